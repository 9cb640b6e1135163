"""Whatever mechanism or protocol a spec file makes is verified, or the file is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import load, load_protocol

HEAD = """
from ldp_verified.language import LDP, BetterThan, Matrix, Mechanism, Rational, load, log, real
from ldp_verified.language.protocol import Protocol, Round, Sends, x
eps = real("eps", above=0)
(grr,) = load("grr")
price, k = grr.parameters


def coin(name, keep, claimed=3, more=()):
    rows = [[keep, 1 - keep], [1 - keep, keep]]
    return Mechanism(name, parameters=[], table=Matrix(rows), claims=[LDP(log(claimed)), *more])


def once(name, of):
    return Protocol(name, [eps], 2, [Round([Sends(of, x, {price: eps, k: 2})])], eps)


ok = coin("ok", Rational(3, 4))
"""
BARE = HEAD[: HEAD.index("ok = ")]
NAMELESS = {
    "in a list": ("family = [coin('lost', Rational(9, 10))]", "lost"),
    "in a mapping": ("family = {'a': coin('lost', Rational(9, 10))}", "lost"),
    "in a loop": ("for j in range(3):\n    m = coin(f'm{j}', Rational(9, 10))", "m0"),
    "overwritten by a true one": (
        "m = coin('lost', Rational(9, 10))\nm = coin('kept', Rational(3, 4))",
        "lost",
    ),
    "deleted": ("m = coin('lost', Rational(9, 10))\ndel m", "lost"),
    "an instance of a loaded one": (
        "family = [grr.instance('lost', {}, claims=[LDP(price / 10)])]",
        "lost",
    ),
    "only its table is used": (
        "m = Mechanism('m', parameters=[], table=coin('lost', Rational(9, 10)).table)",
        "lost",
    ),
    "a class holds it": ("class Held:\n    m = coin('lost', Rational(9, 10))", "lost"),
}


def written(folder: Path, more: str, name: str = "mine.py", head: str = HEAD) -> Path:
    path = folder / name
    path.write_text(head + more + "\n")
    return path


@pytest.mark.parametrize(("more", "lost"), NAMELESS.values(), ids=NAMELESS)
def test_a_mechanism_that_no_name_stands_for_is_refused(
    tmp_path: Path, more: str, lost: str
) -> None:
    path = written(tmp_path, more)
    with pytest.raises(SpecError, match=rf"mine\.py: makes a Mechanism under no name.*{lost}"):
        load(path)


def test_a_protocol_that_no_name_stands_for_is_refused(tmp_path: Path) -> None:
    lost = "found = [once('lost', grr)]\nkept = once('kept', grr)"
    with pytest.raises(SpecError, match=r"makes a Protocol under no name.*lost"):
        load_protocol(written(tmp_path, lost, head=BARE))
    with pytest.raises(SpecError, match=r"makes a Protocol under no name.*lost"):
        load(written(tmp_path, "found = [once('lost', grr)]"))


def test_an_instance_at_the_top_level_is_declared_there(tmp_path: Path) -> None:
    path = written(tmp_path, "mine = grr.instance('mine', {}, claims=[LDP(price / 10)])")
    found = load(path)
    assert [m.name for m in found] == ["ok", "mine"]
    assert {m.origin.path for m in found if m.origin} == {str(path)}
    (grr,) = load("grr")
    assert grr.instance("grr", {}).origin is None
    assert grr.instance("grr", {}).spec_hash != grr.spec_hash


def test_what_a_named_one_uses_needs_no_name(tmp_path: Path) -> None:
    beside = "[BetterThan(coin('worse', Rational(3, 5)))]"
    path = written(tmp_path, f"m = coin('m', Rational(3, 4), more={beside})")
    assert [m.name for m in load(path)] == ["ok", "m"]
    sent = "p = once('p', grr.instance('own', {}))"
    path = written(tmp_path, sent, head=BARE)
    assert load_protocol(path).name == "p"


def test_another_name_for_a_mechanism_is_no_loss(tmp_path: Path) -> None:
    again = "every = [ok]\nfor each in every:\n    last = each\n"
    assert [m.name for m in load(written(tmp_path, again))] == ["ok"]


def test_what_another_file_made_is_that_file_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper may make several of which one is used, and loaded specs are verified elsewhere."""
    monkeypatch.syspath_prepend(str(tmp_path))
    family = "family = [coin(f'of{j}', Rational(3, 4)) for j in range(3)]\nlast = family[-1]"
    written(tmp_path, family, "helper_of_specs.py")
    other = written(tmp_path, "second = coin('second', Rational(3, 4))", "other.py")
    path = written(tmp_path, f"from helper_of_specs import last\nbeside = load({str(other)!r})")
    assert [m.name for m in load(path)] == ["ok", "of2"]


def test_a_function_of_a_helper_makes_it_for_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    written(tmp_path, "", "makes_coins.py")
    path = written(
        tmp_path, "import makes_coins\nlost = [makes_coins.coin('lost', Rational(9, 10))]"
    )
    with pytest.raises(SpecError, match=r"under no name.*lost"):
        load(path)


def test_a_mechanism_beside_a_protocol_that_does_not_send_it_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "p = once('p', grr)")
    for read in (load, load_protocol):
        with pytest.raises(SpecError, match=r"declares the protocol p, which does not send.*ok"):
            read(path)
    path = written(tmp_path, "own = grr.instance('own', {})\np = once('p', own)", head=BARE)
    assert load_protocol(path).rounds[0].sends[0].randomizer.name == "own"


def test_a_protocol_from_a_helper_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    own = "own = grr.instance('own', {})\nmade = once('p', own)"
    written(tmp_path, own, "helper_with_both.py", BARE)
    path = written(tmp_path, "from helper_with_both import made, own", head="")
    with pytest.raises(SpecError, match="declares a protocol"):
        load(path)


@pytest.mark.parametrize("error", ["BaseException('gone')", "GeneratorExit('gone')"])
def test_whatever_a_file_raises_is_explained(tmp_path: Path, error: str) -> None:
    with pytest.raises(SpecError, match=r"mine\.py:\d+: \w+: gone"):
        load(written(tmp_path, f"raise {error}"))


def test_an_interrupt_stays_one(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        load(written(tmp_path, "raise KeyboardInterrupt"))
