"""The verifier, the solver's printer and Coq's each keep two variables apart by themselves."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ldp_verified.language import LDP, Matrix, Mechanism, exp, log, real
from ldp_verified.prove import checker
from ldp_verified.prove.certificate import find
from ldp_verified.prove.coq.printer import Printed, coq_print
from ldp_verified.prove.coq.terms import identifiers
from ldp_verified.prove.obligations import obligations
from ldp_verified.prove.polynomials import ExpressionError, Ring
from ldp_verified.prove.smt import queries
from tests.broken.names import NOT_WORDS, STATEMENTS, statement


@pytest.mark.parametrize("given", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_whose_names_are_not_different_shows_nothing(given: dict[str, Any]) -> None:
    with pytest.raises(ExpressionError, match=r"one name|no name|not read back"):
        obligations(given)
    with pytest.raises(ExpressionError):
        checker.check(given, {"format": checker.FORMAT, "statement": given})


def find_and_check(given: dict[str, Any], relation: str) -> bool:
    """Return whether a certificate is found and accepted for the first claim with this relation."""
    given["claims"][0]["relation"] = relation
    try:
        outcomes = checker.check(given, find(given, "m", "hash"))
    except ExpressionError:
        return False
    return all(outcome.shown for outcome in outcomes)


def test_the_names_of_the_shifted_variables_are_nobody_elses() -> None:
    assert not find_and_check(statement("a", "t_a", value="a + t_a"), ">")
    assert find_and_check(statement("a", "b", value="a + b"), ">")


@pytest.mark.parametrize("name", [name for name in NOT_WORDS if name != "_a"])
def test_a_ring_has_no_such_variable(name: str) -> None:
    with pytest.raises(ExpressionError):
        Ring(["x", name])
    with pytest.raises(ExpressionError):
        Ring(["x"]).parse(f"x + {name}")


@pytest.mark.parametrize("name", ["lambda", "None", "True", "if"])
def test_nor_one_that_is_a_word(name: str) -> None:
    with pytest.raises(ExpressionError, match=r"word of the language|not read back"):
        Ring([name])


def test_the_solver_is_told_of_every_variable_once() -> None:
    given = statement("a", "A", value="a - A")
    (query,) = queries(obligations(given))
    assert [v.name for v in query.variables] == ["a", "A"]


def test_coqs_names_are_different() -> None:
    assert identifiers(["one", "one_", "x", "x_", "x__"]) == ["one_", "one__", "x_", "x__", "x___"]
    assert identifiers(["eps"], ["eps"]) == ["eps_"]


def test_a_parameter_named_eps_is_not_the_epsilon_of_the_theorem() -> None:
    level = real("epsilon", above=0)
    eps = real("eps", above=0, below=1)
    cell = eps / (1 + exp(level))
    table = Matrix([[1 - cell, cell], [cell, 1 - cell]])
    printed = coq_print(Mechanism("m", parameters=[level, eps], table=table))
    assert isinstance(printed, Printed)
    binders = re.findall(r"forall (\(eps : R\).*?), ", printed.text)
    assert binders
    assert all(re.findall(r"\((\w+) :", each) == ["eps", "eps_"] for each in binders)


def test_two_parameters_stay_two_in_every_lemma() -> None:
    one, other = real("one", above=0, below=1), real("one_", above=0, below=1)
    cell = one * other / 2
    table = Matrix([[1 - cell, cell], [cell, 1 - cell]])
    claims = [LDP(log((1 - cell) / cell))]
    printed = coq_print(Mechanism("m", parameters=[one, other], table=table, claims=claims))
    assert isinstance(printed, Printed)
    binders = re.findall(r"forall ([\w ]+) : R, ", printed.text)
    assert binders
    assert all(len(set(names.split())) == len(names.split()) for names in binders)
