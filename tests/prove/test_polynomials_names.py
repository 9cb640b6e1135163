"""The verifier, the solver's printer and Coq's each keep two variables apart by themselves."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ldp_verified.language import (
    LDP,
    Design,
    HashedSigns,
    Matrix,
    Mechanism,
    exp,
    integer,
    log,
    real,
)
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.certificates.polynomials import ExpressionError, Ring
from ldp_verified.prove.coq.library import defined_names
from ldp_verified.prove.coq.printer import Printed, coq_print
from ldp_verified.prove.coq.terms import LABEL, RESERVED, identifiers
from ldp_verified.prove.smt import queries
from ldp_verified.prove.statements.certificate import find
from tests.broken.names import NOT_WORDS, STATEMENTS, statement
from tests.repository.test_catalogue import ROOT


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


def test_coqs_names_are_not_those_of_proofs_labels_and_definitions() -> None:
    """A parameter called `I` would stand for the proof of True in every printed term."""
    names = ["I", "conj", "a_lower", "matrix_stochastic", "ldp", "mine", "mine_rows", "a"]
    assert identifiers(names, own="mine") == [
        "I_", "conj_", "a_lower_", "matrix_stochastic_", "ldp_", "p_mine", "p_mine_rows", "a"
    ]  # fmt: skip


WORD = re.compile(r"[A-Za-z_][\w']*")

TACTICS = frozenset(
    """
    From Coq Require Import Reals List Arith Lra Lia Psatz ListNotations Open Scope R_scope LDP
    intros apply assert eapply exact rewrite erewrite unfold pose proof split refine ring simpl now
    ltac destruct cbn etransitivity assumption repeat eqb of_nat abs_nat Znumtheory None _
    own other ratio top Q U
    """.split()  # noqa: SIM905  a table of words reads better
)
"""Words of Coq's commands and tactics, qualified names and named arguments: a variable takes none
of them away."""


def test_whatever_a_printed_theory_mentions_is_its_own_or_known() -> None:
    """Every word of the committed theories that a parameter could take away is a reserved one."""
    library = defined_names(ROOT / "proofs")
    for path in sorted((ROOT / "proofs" / "generated").glob("*.v")):
        text = re.sub(r"\(\*.*?\*\)", "", path.read_text(), flags=re.DOTALL)
        own = set(re.findall(r"(?:Definition|Lemma|Theorem)\s+([\w']+)", text))
        bound = {
            name
            for group in re.findall(r"forall ([^,]*),|Definition \w+ ([^=]*?) :", text)
            for name in WORD.findall(" ".join(group))
        }
        labels = {word for word in WORD.findall(text) if LABEL.fullmatch(word)}
        files = {each.stem for each in (ROOT / "proofs" / "lib").glob("*.v")}
        known = own | bound | labels | library | files | RESERVED | TACTICS
        left = set(WORD.findall(text)) - known
        assert not left, (path.name, sorted(left))


def test_no_bound_variable_of_a_printer_can_be_a_parameter() -> None:
    """`exists t, t = 2 ^ t` would be false, and every theorem with that premise true."""
    bound = re.compile(r"\b(?:fun|exists|forall) ((?:[a-z_]\w*'? ?)+)(?:,| =>|:)")
    found = {
        name
        for path in sorted((ROOT / "ldp_verified" / "prove" / "coq").glob("*.py"))
        for group in bound.findall(path.read_text())
        for name in group.split()
    }
    assert {"t", "bound_", "v", "xs", "inside"} <= found
    spelled = dict(zip(sorted(found), identifiers(sorted(found)), strict=True))
    assert {name for name, used in spelled.items() if used == name} <= {*"_sia", "shown"}


def test_buckets_called_like_the_exponent_of_their_power() -> None:
    eps, k, t = real("eps", above=0), integer("k", at_least=2), integer("t", at_least=2)
    u, family = exp(eps), integer("family", at_least=1)
    table = Design(
        blocks=2 * t * family,
        containing=t * family,
        together=t * family * (t + 1) / (2 * t),
        inside=u / (t * family * (u + 1)),
        outside=1 / (t * family * (u + 1)),
        structure=HashedSigns(k, t, family),
    )
    printed = coq_print(Mechanism("m", parameters=[eps, k, t, family], table=table), attempt=True)
    assert isinstance(printed, Printed)
    assert "(exists t, t_ = 2 ^ t)%nat" in printed.text
    assert "exists t, t =" not in printed.text


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
