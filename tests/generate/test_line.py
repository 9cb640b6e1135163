"""A density of one's own keeps the spec's function; one that cannot be drawn is refused by name."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.run import conform
from ldp_verified.errors import SpecError
from ldp_verified.generate import generate
from ldp_verified.generate.density import OWN, base_of
from ldp_verified.language import Density, load, load_file
from ldp_verified.prove.enumeration.concrete_density import concrete
from tests.broken.own_densities import REFUTED, UNDRAWN
from tests.cli.running import run
from tests.generate.own_lines import HEAD, ROOT, example

if TYPE_CHECKING:
    from pathlib import Path


def declared(folder: Path, text: str) -> Path:
    path = folder / "mine.py"
    path.write_text(HEAD + text)
    return path


@pytest.mark.parametrize("name", ["two_steps", "tilted"])
def test_the_function_is_the_specs_density(name: str) -> None:
    cls, spec = example(name)
    form = spec.algebraic_table
    assert isinstance(form, Density)
    values = [Fraction(7, 3), Fraction(1, 5)][: len(spec.variables)]
    for x in (Fraction(0), Fraction(1, 3), Fraction(1)):
        law = concrete(form, dict(zip(spec.variables, values, strict=True)), x)
        wanted = [
            *(low for low, _, _ in law.pieces),
            law.pieces[-1][1],
            *(level for _, _, level in law.pieces),
            *(place for place, _ in law.atoms),
            *(mass for _, mass in law.atoms),
        ]
        assert list(cls.density(x, *values)) == wanted


@pytest.mark.parametrize("obligation", REFUTED)
def test_a_density_that_is_not_as_claimed_gives_no_module(obligation: str, tmp_path: Path) -> None:
    path, module = declared(tmp_path, REFUTED[obligation]), tmp_path / "module.py"
    result = run("generate", path, "-o", module)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"mine: {obligation} is refuted" in result.stderr
    assert "nothing was written" in result.stderr
    assert not module.exists()


@pytest.mark.parametrize("why", UNDRAWN)
def test_what_cannot_be_drawn_says_why(why: str, tmp_path: Path) -> None:
    path, module = declared(tmp_path, UNDRAWN[why]), tmp_path / "module.py"
    # A word of the class is refused by the vocabulary, before anything is to be drawn.
    says = "needs another name: .*" if "in the class" in why else "mine: has no .*"
    with pytest.raises(SpecError, match=f"{says}{re.escape(why)}"):
        generate(path)
    result = run("generate", path, "-o", module)
    assert (result.exit_code, result.stdout) == (2, "")
    assert why.partition(", got")[0] in result.stderr
    assert not module.exists()


def test_noise_of_ones_own_has_no_sampler(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = (ROOT / "spec" / "geometric.py").read_text()
    text = text.replace('    sampler="geometric",\n', "")
    path.write_text(text.replace('"geometric",\n', '"my_geometric",\n'))
    with pytest.raises(SpecError, match="the catalogue's geometric, laplace, staircase, trunc"):
        generate(path)


def test_a_name_of_the_catalogue_does_not_make_it_the_catalogues(tmp_path: Path) -> None:
    """The same table keeps its class; another table under the name has one of its own."""
    text = (ROOT / "spec" / "duchi.py").read_text()
    path = tmp_path / "mine.py"
    path.write_text(text)
    assert (
        base_of(load_file(path)[0]) == base_of(load("duchi")[0]) == ("sign", "NumberSignRandomizer")
    )
    changed = text.replace("B = (u + 1) / (u - 1)", "B = 2 * (u + 1) / (u - 1)")
    path.write_text(changed)
    with pytest.raises(SpecError, match="draws from the law of duchi only"):
        base_of(load_file(path)[0])
    path.write_text(changed.replace('    sampler="sign",\n', ""))
    (other,) = load_file(path)
    assert other.name == "duchi"
    assert base_of(other) == OWN
    assert "class Duchi(LineRandomizer):" in generate(path)


@pytest.mark.parametrize("name", ["two_steps", "tilted"])
def test_generated_code_conforms(name: str) -> None:
    """Level 1e-7 for each run over right code."""
    report = conform(str(ROOT / "examples" / "specs" / f"{name}.py"), n=400_000)
    assert report.outcome is ConformanceOutcome.PASSED, report.seed
    assert len(report.comparisons) == 16
