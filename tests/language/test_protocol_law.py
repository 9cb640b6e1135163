"""One law under other prose, and neighbours that are other laws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ldp_verified.language import catalogue_folder, load_protocol

NAMES = sorted(path.stem for path in (catalogue_folder() / "protocols").glob("*.py"))


def text_of(name: str) -> str:
    return (catalogue_folder() / "protocols" / f"{name}.py").read_text(encoding="utf-8")


def changed(folder: Path, name: str, old: str, new: str) -> str:
    """The hash of a declaration in which one thing is another."""
    text = text_of(name)
    assert old in text
    file = folder / f"{name}_changed.py"
    file.write_text(text.replace(old, new), encoding="utf-8")
    return load_protocol(file).law_hash


@pytest.mark.parametrize("name", NAMES)
def test_prose_is_no_part_of_a_law(name: str, tmp_path: Path) -> None:
    text = text_of(name)
    restyled = '"""Other prose."""\n' + text.split('"""\n', 1)[1]
    for field in ("title", "source"):
        restyled = re.sub(rf'{field}="[^"]*"', f'{field}="Another"', restyled)
    restyled = re.sub(r'Published\("[^"]*"', 'Published("other words"', restyled)
    file = tmp_path / "another.py"
    file.write_text(restyled + "\nUNUSED = 1  # a comment\n", encoding="utf-8")
    assert restyled != text
    assert load_protocol(file).law_hash == load_protocol(name).law_hash


def test_all_laws_are_different() -> None:
    assert len({load_protocol(name).law_hash for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("prefix_extending", "coin / 17", "coin / 16"),
        ("prefix_extending", "coins=20 * levels", "coins=21 * levels"),
        ("prefix_extending", "first + group * step", "first + 2 * group * step"),
        ("prefix_extending", "eps_: eps,", "eps_: eps / 2,"),
        ("prefix_extending", "    epsilon=eps,", "    epsilon=2 * eps,"),
        ("prefix_extending", "values=2**bits", "values=3**bits"),
        ("prefix_extending", 'integer("step", at_least=1)', 'integer("step", at_least=2)'),
        ("prefix_extending", 'real("eps", above=0)', 'real("eps", at_least=0)'),
        ("prefix_extending", "g: buckets", "g: 2"),
        ("prefix_extending", "M: functions", "M: 2 * functions"),
        ("sign_matrix", "k: 2}", "k: 3}"),
        ("padded_response", "draws=choices(k, l)", "draws=2 * choices(k, l)"),
        ("padded_hashing", "draws=choices(k, l)", "draws=2 * choices(k, l)"),
        ("sign_matrix", "2**X, of=coin", "3**X, of=coin"),
        ("bit_reduction", "eps_: eps", "eps_: eps + 1"),
    ],
)
def test_another_declaration_is_another_law(name: str, old: str, new: str, tmp_path: Path) -> None:
    assert changed(tmp_path, name, old, new) != load_protocol(name).law_hash


def test_the_order_of_terms_is_no_part_of_a_law(tmp_path: Path) -> None:
    mine = load_protocol("prefix_extending").law_hash
    for old, new in [
        ("first + group * step", "step * group + first"),
        ("20 * levels", "levels * 20"),
        ("[eps, bits, first, step", "[step, bits, first, eps"),
    ]:
        assert changed(tmp_path, "prefix_extending", old, new) == mine
