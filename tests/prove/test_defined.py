"""Every divisor, root and logarithm of a spec is an obligation, also where it has cancelled."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.language import Matrix, Mechanism, Rational, exp, load_file, n, real
from ldp_verified.prove import verify
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.defined import defined as obligations
from ldp_verified.prove.coq.forms import theorems_of
from ldp_verified.prove.coq.needed import needed
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.needs import needs_of, undefined
from ldp_verified.prove.smt import queries
from ldp_verified.prove.statements.certificate import find
from ldp_verified.prove.verdicts import Status, Verdict
from tests.broken.singular import HARMLESS, HEAD, OPEN, REFUTED


def last(tmp_path: Path, text: str) -> Mechanism:
    """The last mechanism of a spec file with this text."""
    path = tmp_path / "mine.py"
    path.write_text(HEAD + text + "\n")
    return load_file(path)[-1]


def shown(mechanism: Mechanism) -> bool:
    """Return whether the certificate shows every need."""
    statement: dict[str, Any] = {
        "variables": [],
        "pair_tables": [],
        "weights": None,
        "claims": [],
        "defined": needs_of(mechanism).statement(),
    }
    outcomes = checker.check(statement, find(statement, mechanism.name, "hash"))
    return all(outcome.shown for outcome in outcomes)


def defined(mechanism: Mechanism) -> Verdict:
    """The verdict on what the mechanism needs."""
    found = verify(mechanism, 3, smt=False, coq=False, derived=False)
    return next(v for v in found.verdicts if v.obligation == "defined")


@pytest.mark.parametrize(("text", "where"), REFUTED.values(), ids=REFUTED)
def test_what_has_no_value_somewhere_is_refuted_there(
    text: str, where: str, tmp_path: Path
) -> None:
    mechanism = last(tmp_path, text)
    found = undefined(mechanism, needs_of(mechanism))
    assert found is not None
    assert found.witness is not None
    assert not shown(mechanism)
    assert where in " ".join(
        f"{name} = {value}" for name, value in found.witness.parameters.items()
    )


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_what_may_have_no_value_is_not_shown(text: str, tmp_path: Path) -> None:
    mechanism = last(tmp_path, text)
    assert not shown(mechanism)
    with pytest.raises(NotCertifiedError):
        needed(theorems_of(mechanism, False))
    assert undefined(mechanism, needs_of(mechanism)) is None


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_always_has_a_value_is_shown(text: str, tmp_path: Path) -> None:
    mechanism = last(tmp_path, text)
    assert shown(mechanism)
    needed(theorems_of(mechanism, False))
    assert undefined(mechanism, needs_of(mechanism)) is None


def test_the_verdicts(tmp_path: Path) -> None:
    statuses = {
        text: defined(last(tmp_path, text)).status.value
        for text in (
            REFUTED["the issue's, as it stands"][0],
            REFUTED["the issue's, gone at once"][0],
            OPEN["put in afterwards"],
            HARMLESS["a divisor that is never 0"],
        )
    }
    assert [*statuses.values()] == ["refuted", "refuted", "open", "proved by one group"]


def test_a_zero_where_tables_are_enumerated_is_refuted_and_no_fault_of_ours(tmp_path: Path) -> None:
    quarter = "Rational(1, 4)"
    text = f"m = warner((a**2 - {quarter}**2)/(a - {quarter}) - {quarter}, a)"
    found = verify(last(tmp_path, text), coq=False)
    statuses = {each.obligation: each.status for each in found.verdicts}
    assert statuses["defined"] is Status.REFUTED
    assert not [each for each in found.verdicts if each.status.for_all]


def test_a_second_reading_finds_it_again(tmp_path: Path) -> None:
    for name in ("put in afterwards", "put in afterwards"):
        assert not shown(last(tmp_path, OPEN[name]))


def test_division_outside_of_a_file_is_seen_too() -> None:
    a = real("a", above=0, below=Rational(1, 2))
    c = a * ((5 * a - 1) / (5 * a - 1))
    assert c == a
    mechanism = Mechanism("m", parameters=[a], table=Matrix([[1 - c, c], [c, 1 - c]]))
    found = undefined(mechanism, needs_of(mechanism))
    assert found is not None
    assert found.witness is not None
    assert found.witness.parameters == {"a": "1/5"}


def test_what_an_imported_module_divided_is_seen_at_every_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = "from ldp_verified.language import *\n"
    helper += "a = real('a', above=0, below=Rational(1, 2))\n"
    helper += "cell = a * ((5*a - 1)/(5*a - 1))\n"
    (tmp_path / "shares_of_a.py").write_text(helper)
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(2):
        text = "from shares_of_a import a, cell\nm = warner(cell, a)"
        assert not shown(last(tmp_path, text))
    made = importlib.import_module("shares_of_a")
    table = Matrix([[1 - made.cell, made.cell], [made.cell, 1 - made.cell]])
    assert not shown(Mechanism("m", parameters=[made.a], table=table))


def test_parameters_made_later_are_not_charged_with_it() -> None:
    a = real("a", above=0, below=Rational(1, 2))
    _ = (5 * a - 1) / (5 * a - 1)
    a = real("a", above=0, below=Rational(1, 2))
    mechanism = Mechanism("m", parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]]))
    assert mechanism.requirements == ()


def test_what_an_earlier_mechanism_divided_by_refutes_no_later_one() -> None:
    a = real("a", above=0, below=Rational(1, 2))
    c = a * ((5 * a - 1) / (5 * a - 1))
    first, second = (
        Mechanism(name, parameters=[a], table=Matrix([[1 - p, p], [p, 1 - p]]))
        for name, p in (("first", c), ("second", a))
    )
    assert undefined(first, needs_of(first)) is not None
    assert undefined(second, needs_of(second)) is None


TWO_TESTS = """
from ldp_verified.language import Matrix, Mechanism, Rational, real

a = real("a", above=0, below=Rational(1, 2))

def test_one_divides():
    assert a * ((5 * a - 1) / (5 * a - 1)) == a

def test_another_does_not():
    assert Mechanism("m", parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]])).requirements == ()
"""


@pytest.mark.parametrize(
    "command",
    [[str(Path(sys.executable).with_name("pytest"))], [sys.executable, "-m", "pytest"]],
    ids=["script", "module"],
)
def test_what_another_test_divided_by_is_no_need_of_this_one(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "test_two.py").write_text(TWO_TESTS)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_two.py"]
    run = subprocess.run(
        [*command, *options], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert "2 passed" in run.stdout, run.stdout


def test_another_mechanisms_number_of_users_is_not_divided_by_here() -> None:
    a, b = (real(name, above=0, below=Rational(1, 2)) for name in "ab")
    _ = n / (n * b - 1)
    mechanism = Mechanism("m", parameters=[a], table=Matrix([[1 - a, a], [a, 1 - a]]))
    assert mechanism.requirements == ()


def test_an_instance_needs_what_the_whole_needs(tmp_path: Path) -> None:
    mechanism = last(tmp_path, "m = warner(a*((k - 5)/(k - 5)), a, k)")
    a, k = mechanism.parameters
    assert not shown(mechanism.instance("free", {}))
    assert shown(mechanism.instance("six", {k: 6}))
    assert not shown(mechanism.instance("third", {a: Rational(1, 3)}))


def test_the_solver_is_asked_for_a_zero(tmp_path: Path) -> None:
    needs = needs_of(last(tmp_path, "m = warner(a*((3*a - 1)/(3*a - 1)), a)"))
    asked = queries(obligations({"defined": needs.statement()}))
    assert [query.negation for query in asked] == ["(= (+ (* 3 a) (- 1)) 0)"]


def test_what_e_to_the_eps_is_not_is_stated_in_it() -> None:
    eps = real("eps", above=0)
    cell = exp(eps / 2) / (exp(eps / 2) + 1)
    table = Matrix([[cell, 1 - cell], [1 - cell, cell]])
    needs = needs_of(Mechanism("m", parameters=[eps], table=table))
    assert [str(value) for value, _ in needs.stated] == ["s + 1"]
    assert all(isinstance(value, sympy.Expr) for value, _ in needs.stated)
