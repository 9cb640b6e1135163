"""A verdict is on the formal statement, whose text is rendered; prose beside it has none."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Integer, Rational, exp

from ldp_verified.app.report import claims
from ldp_verified.check.claims import (
    BOUNDED_TWICE,
    LOSS_TAIL,
    POINTWISE,
    POINTWISE_TIMES_OUTPUTS,
    SETWISE,
    UNBOUNDED,
    Check,
    Context,
    Document,
    Entry,
    Grid,
    Implies,
    Ladder,
    Part,
    Reading,
    ReadingOutcome,
    Relation,
    Ruling,
    RulingKind,
    Stated,
    Table,
    chosen,
    decide,
    equal,
    load_documents,
    part,
)
from ldp_verified.check.claims.loader import compared
from ldp_verified.language import LDP, Unbiased, Variance, load, n, real
from ldp_verified.prove.coq.coqc import coqc_available

(binary,) = load("binary_rr")
(own,) = binary.parameters
u = exp(own)
eps, level = real("eps", above=0), real("level", above=1)


def ruling(check: Check) -> Ruling:
    """The ruling in a run of its own."""
    context = Context(largest=4)
    check.announce(context)
    return check.decide(context)


def readings() -> list[tuple[str, Reading]]:
    """Every reading and correction of the register, with its id."""
    return [
        (entry.id, each)
        for _, _, entry in chosen(load_documents(), [])
        for part in entry.parts
        for each in (*part.readings, *part.corrections)
    ]


def test_prose_that_is_edited_into_a_falsehood_changes_no_statement() -> None:
    check = Table(binary, LDP(own, tight=True))
    false = Reading("flipping with 1/(1 + e^(50 eps)) is eps-LDP", check, adds="for no eps")
    assert false.statement == Reading("as stated", check).statement
    assert "50" not in false.statement
    entry = Entry("X1", "a claim", Part(false))
    page = claims.page(decide([("file", Document("title", [entry]), entry)]))
    verdict, words = page.index("**proved"), page.index("1/(1 + e^(50 eps))")
    assert page.index("eps-LDP with eps = eps, tight") < verdict < words
    assert "In words: " in page[verdict:words]


def test_every_reading_of_the_register_was_compared_with_its_source() -> None:
    known = compared()
    for name, each in readings():
        assert (name, each.statement) in known, (name, each.words)


def test_what_has_no_formal_version_is_never_proved() -> None:
    without = [each for _, each in readings() if "no formal version" in each.statement]
    assert without
    assert {each.check.decide(Context()).kind for each in without} == {RulingKind.OPEN}


def _moved(expression: Any) -> list[Any]:
    """The same with each of its integers moved by one, one at a time."""
    numbers = sorted(expression.atoms(Integer), key=int)
    return [expression.xreplace({number: number + 1}) for number in numbers]


def test_a_changed_number_changes_the_statement() -> None:
    known = compared()
    looked = 0
    for name, each in readings():
        if not isinstance(each.check, Relation | Ladder | Grid):
            continue
        relation = each.check.relation
        for left in _moved(relation.lhs):
            changed = relation.func(left, relation.rhs, evaluate=False)
            kept = dict(each.check.__dict__, relation=changed)
            kept.pop("_about", None)
            edited = type(each.check)(**kept)
            if changed == relation:
                continue
            looked += 1
            assert (name, edited.says()) not in known, (name, edited.says())
    assert looked > 40


EDITS: dict[str, tuple[Check, RulingKind]] = {
    "half the epsilon": (Table(binary, LDP(own / 2)), RulingKind.REFUTED),
    "twice the epsilon, not tight": (Table(binary, LDP(2 * own)), RulingKind.PROVED),
    "twice the epsilon, tight": (Table(binary, LDP(2 * own, tight=True)), RulingKind.REFUTED),
    "another weight": (Table(binary, Unbiased(u / (u - 1), 1 / (u - 1))), RulingKind.REFUTED),
    "another variance": (Table(binary, Variance(2 * n * u / (u - 1) ** 2)), RulingKind.REFUTED),
    "a steeper slope": (
        Ladder(exp(eps) / (exp(eps) + 1) <= Rational(1, 2) + eps / 5, eps),
        RulingKind.REFUTED,
    ),
    "a flatter slope": (
        Ladder(exp(eps) / (exp(eps) + 1) <= Rational(1, 2) + eps / 3, eps),
        RulingKind.PROVED,
    ),
    "the other direction": (
        Relation(level / (level + 1) < Rational(1, 2), (level,)),
        RulingKind.REFUTED,
    ),
    "an equation with a 3": (
        Relation(equal((level**2 - 1) / (level - 1), level + 3), (level,)),
        RulingKind.REFUTED,
    ),
    "a larger range": (
        Relation(equal(real("x", at_least=-1) * 0, 0), (real("x", at_least=-1),)),
        RulingKind.PROVED,
    ),
}
"""What somebody writes into a formal version -> the check, and what becomes of it."""


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_statement_is_decided_afresh(edit: str) -> None:
    check, expected = EDITS[edit]
    entry = Entry("A6", "a claim of the sources", part("as stated", check))
    (found,) = decide([("file", Document("title", [entry]), entry)], Context(largest=4))
    (decided,) = found.parts[0].readings
    assert decided.ruling.kind is expected
    assert not decided.compared
    assert (decided.ruling.witness is not None) is (expected is RulingKind.REFUTED)
    page = claims.page([found])
    assert claims.NOT_COMPARED in page
    assert "In words: as stated." in page


def test_a_statement_that_is_not_the_named_theorems_stays_unproved() -> None:
    # Each is named a theorem that says something else; the first is even true.
    true = Implies(POINTWISE, POINTWISE_TIMES_OUTPUTS, "LDP.Approximate.sets_pointwise")
    assert ruling(true).kind is not RulingKind.PROVED
    false = Implies(SETWISE, LOSS_TAIL, "LDP.Approximate.tail_sets")
    assert ruling(false).kind is RulingKind.REFUTED
    chain = Implies(UNBOUNDED, BOUNDED_TWICE, "LDP.Approximate.ldp_sets", delta=False)
    assert ruling(chain).kind is not RulingKind.PROVED


def test_the_kernel_decides_a_statement_with_a_proof_of_its_own() -> None:
    right = Stated("forall x : R, x * x >= 0", "intros x; nra")
    wrong = Stated("forall x : R, x * x >= x", "intros x; nra")
    admitted = Stated(
        "forall x : R, x * x >= x", "admit. Admitted. Lemma other : True. Proof. auto"
    )
    context = Context()
    for each in (right, wrong, admitted):
        each.announce(context)
    if coqc_available():
        assert right.decide(context).kind is RulingKind.PROVED
    assert wrong.decide(context).kind is RulingKind.OPEN
    assert admitted.decide(context).kind is RulingKind.OPEN


def test_an_outcome_says_nothing_about_words() -> None:
    entry = Entry("X1", "x", part("true", Ladder(exp(eps) <= 1 + eps, eps)))
    (found,) = decide([("file", Document("title", [entry]), entry)])
    assert found.outcomes == (ReadingOutcome.REFUTED,)
