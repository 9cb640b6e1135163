"""Cases at small widths of protocols whose users have sets: a thing is sampled, or they count."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols import CandidateCounts, CandidateSizes, PaddedResponse
from tests.program.group_cases import Narrow, Tape, case_of

if TYPE_CHECKING:
    from ldp_verified.run.program import Program
    from tests.program.cases import Case, Law

Things = Callable[[int], list[int]]
"""What lies within a value, in rising order."""


def bits_of(value: int) -> list[int]:
    """The items of a set."""
    return [item for item in range(value.bit_length()) if value >> item & 1]


def within(masks: list[int]) -> Things:
    """The candidates that lie within a set."""
    return lambda value: [j for j, mask in enumerate(masks) if value & mask == mask]


def _sampled(made: Any, width: int, words: int, factors: list[int], held: Things) -> Case:
    """One of the places; `factors` are what is drawn below, in order, a multiple of all places."""
    narrow = Narrow(width)
    program: Program = made.program(narrow.program)

    def chosen(value: int, place: int) -> int:
        own = held(value)
        return own[place] if place < len(own) else int(made.k) + place - len(own)

    def draw(tape: Tape, value: int) -> list[int]:
        residues = [tape.uniform(factor) for factor in factors]
        whole = next(
            x
            for x in range(1 << 16)
            if all(x % f == r for f, r in zip(factors, residues, strict=True))
        )
        place = whole % max(len(held(value)), made.length)
        return tape.drawn(made.inner, chosen(value, place))

    def table(value: int) -> Law:
        law: Law = {}
        places = max(len(held(value)), made.length)
        for place in range(places):
            for report, mass in narrow.law(made.inner, chosen(value, place)).items():
                law[report] = law.get(report, Fraction(0)) + mass / places
        return law

    return case_of(program, words, len(factors) + 1, draw, table)


def _sizes() -> Case:
    made, narrow = CandidateSizes(1.2, 3, ((0,), (1, 2)), "GRR"), Narrow(2)
    held = within([1, 6])

    def draw(tape: Tape, value: int) -> list[int]:
        tape.word()
        return tape.drawn(made.inner, len(held(value)))

    program = made.program(narrow.program)
    return case_of(program, 2, 2, draw, lambda value: narrow.law(made.inner, len(held(value))))


RESIDUES = _sampled(PaddedResponse(1.2, 3, 2), 3, 3, [3, 2], bits_of)
"""Two words give a place; with a word more than that, tapes are too many for every test."""

SET_CASES: dict[str, Case] = {
    "padded_response": _sampled(PaddedResponse(1.2, 2, 1), 2, 2, [2], bits_of),
    "candidate_counts": _sampled(
        CandidateCounts(1.2, 3, ((0,), (1, 2)), 1, "GRR"), 2, 2, [2], within([1, 6])
    ),
    "candidate_sizes": _sizes(),
}
