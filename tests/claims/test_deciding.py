"""Planted-false twins are refuted, outcomes follow from rulings, and the register's own rules."""

from __future__ import annotations

import pytest
from sympy import exp

from ldp_verified.check.claims import (
    AllOf,
    Context,
    Document,
    Entry,
    Ladder,
    Law,
    NotSo,
    OpenReading,
    Part,
    Reading,
    ReadingOutcome,
    Routes,
    Ruling,
    RulingKind,
    Table,
    counts,
    decide,
    part,
)
from ldp_verified.check.claims.entries import Check
from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, load, real
from tests.broken.claims import TWINS

eps = real("eps", above=0)
TRUE = Ladder(exp(eps) >= 1 + eps, eps)
FALSE = Ladder(exp(eps) <= 1 + eps, eps)
OPEN = OpenReading("nobody knows")


def ruling(check: Check) -> Ruling:
    """The ruling on one check, in a run of its own."""
    context = Context(largest=4)
    check.announce(context)
    return check.decide(context)


@pytest.mark.parametrize("twin", TWINS)
def test_a_planted_twin_is_refuted(twin: str) -> None:
    found = ruling(TWINS[twin]())
    assert found.kind is RulingKind.REFUTED, (twin, found)
    assert found.witness is not None
    assert found.witness.explanation


def test_there_are_enough_twins() -> None:
    assert len(TWINS) >= 20


def outcome(checked: Part) -> ReadingOutcome:
    """The outcome of a single part."""
    entry = Entry("X1", "a claim", checked)
    (decided,) = decide([("file", Document("title", [entry]), entry)])
    assert counts([decided])[decided.outcomes[0]] == 1
    return decided.outcomes[0]


@pytest.mark.parametrize(
    ("check", "expected"),
    [(TRUE, ReadingOutcome.PROVED), (FALSE, ReadingOutcome.REFUTED), (OPEN, ReadingOutcome.OPEN)],
)
def test_one_reading(check: Check, expected: ReadingOutcome) -> None:
    assert outcome(part("x", check)) is expected


def test_a_proved_correction_makes_it_corrected_and_no_other() -> None:
    assert outcome(part("x", FALSE, correction=("y", TRUE))) is ReadingOutcome.CORRECTED
    assert outcome(part("x", FALSE, correction=("y", OPEN))) is ReadingOutcome.REFUTED
    assert outcome(part("x", FALSE, correction=("y", FALSE))) is ReadingOutcome.REFUTED
    assert outcome(part("x", OPEN, correction=("y", TRUE))) is ReadingOutcome.OPEN


def test_readings_that_differ() -> None:
    assert outcome(Part(Reading("x", TRUE), Reading("y", FALSE))) is ReadingOutcome.DEPENDS


def test_a_conjunction_is_as_strong_as_its_weakest_part() -> None:
    assert ruling(AllOf(TRUE, OPEN)).kind is RulingKind.OPEN
    assert ruling(AllOf(TRUE, OPEN, FALSE)).kind is RulingKind.REFUTED
    assert ruling(AllOf(TRUE, TRUE)).kind is RulingKind.PROVED


def test_routes_that_contradict_each_other_are_a_fault() -> None:
    assert ruling(Routes(OPEN, TRUE)).kind is RulingKind.PROVED
    with pytest.raises(ArithmeticError):
        ruling(Routes(TRUE, FALSE))


def test_a_negation_is_proved_by_a_witness() -> None:
    assert ruling(NotSo(FALSE)).kind is RulingKind.PROVED
    assert ruling(NotSo(TRUE)).kind is RulingKind.REFUTED
    assert ruling(NotSo(OPEN)).kind is RulingKind.OPEN


def test_a_refutation_without_witness_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="witness"):
        Ruling(RulingKind.REFUTED)
    with pytest.raises(ValueError, match="checker"):
        Ruling(RulingKind.PROVED)


def test_a_claim_about_what_is_no_table_stays_open() -> None:
    binary = load("binary_rr")[0]
    wrong = binary.instance("half", {}, claims=[])
    cells = {name: cell / 2 for name, cell in wrong.table.cells().items()}
    object.__setattr__(wrong, "table", wrong.table.with_cells(cells))
    wrong.__dict__.pop("algebraic_table", None)
    assert ruling(Table(wrong, LDP(wrong.parameters[0]))).kind is RulingKind.OPEN
    assert ruling(Law(wrong, "sums_to_one")).kind is RulingKind.REFUTED


def test_ids_are_unique_and_short() -> None:
    entry = Entry("X1", "a claim", part("x", TRUE))
    with pytest.raises(SpecError, match="different ids"):
        Document("title", [entry, entry])
    with pytest.raises(SpecError, match="short name"):
        Entry("a b", "a claim", part("x", TRUE))
    with pytest.raises(SpecError, match="needs a part"):
        Entry("X1", "a claim")
