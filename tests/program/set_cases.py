"""Cases at small widths of protocols whose users have sets: a thing is sampled, or they count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols import CandidateCounts, CandidateSizes, PaddedResponse
from ldp_verified.run.program.schemes import k_rr
from ldp_verified.run.program.sets import number_within, sampled_item
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


def response_law(held: dict[int, Fraction], outputs: int, width: int) -> Law:
    """The law of k-ary response, of which each lie has one word, on what is held with a law."""
    lie = Fraction(1, 1 << width)
    truth = 1 - outputs * lie
    return {(y,): lie + truth * held.get(y, Fraction(0)) for y in range(outputs)}


def reservoir(tape: Tape, most: int, places: int) -> int:
    """The last place, of so many, whose number was 0: of r of them it is uniform below r."""
    place = 0
    for r in range(2, most + 1):
        mask = (1 << (r - 1).bit_length()) - 1
        ticket = tape.word() & mask
        while ticket >= r:
            ticket = tape.word() & mask
        if ticket == 0 and r <= places:
            place = r - 1
    return place


def listed_case(
    items: int,
    length: int,
    width: int,
    words: int,
    candidates: Sequence[tuple[int, ...]] | None = None,
) -> Case:
    """Sets that are arrays, as those of very many items are: a place is that of a reservoir."""
    wanted = [sum(1 << i for i in c) for c in candidates or [(i,) for i in range(items)]]
    things, most = len(wanted), max(len(wanted), length)
    outputs = things + length

    def own(value: int) -> list[int]:
        # The first item of an array is the highest digit of its number.
        held = sum(1 << i for i in range(items) if value >> (items - 1 - i) & 1)
        return within(wanted)(held)

    def chosen(value: int, place: int) -> int:
        held = own(value)
        return held[place] if place < len(held) else things + place - len(held)

    def draw(tape: Tape, value: int) -> list[int]:
        place = reservoir(tape, most, max(len(own(value)), length))
        answer = tape.word()
        return [answer if answer < outputs else chosen(value, place)]

    def table(value: int) -> Law:
        places = max(len(own(value)), length)
        share = Fraction(1, places)
        return response_law({chosen(value, p): share for p in range(places)}, outputs, width)

    inner = k_rr("grr", outputs, 1, width)
    program = sampled_item("padded_response", items, length, inner, candidates, packed=0)
    return case_of(program, words, most, draw, table)


def counted_case(items: int, width: int, candidates: Sequence[tuple[int, ...]]) -> Case:
    """How many candidates lie within a set that is an array."""
    outputs = len(candidates) + 1

    def size(value: int) -> int:
        held = {i for i in range(items) if value >> (items - 1 - i) & 1}
        return sum(held >= {*each} for each in candidates)

    def draw(tape: Tape, value: int) -> list[int]:
        _, answer = tape.word(), tape.word()
        return [answer if answer < outputs else size(value)]

    def table(value: int) -> Law:
        return response_law({size(value): Fraction(1)}, outputs, width)

    inner = k_rr("grr", outputs, 1, width)
    program = number_within("candidate_sizes", items, candidates, inner, packed=0)
    return case_of(program, 2, 2, draw, table)


RESIDUES = _sampled(PaddedResponse(1.2, 3, 2), 3, 3, [3, 2], bits_of)
"""Two words give a place; with a word more than that, tapes are too many for every test."""

SET_CASES: dict[str, Case] = {
    "padded_response": _sampled(PaddedResponse(1.2, 2, 1), 2, 2, [2], bits_of),
    "candidate_counts": _sampled(
        CandidateCounts(1.2, 3, ((0,), (1, 2)), 1, "GRR"), 2, 2, [2], within([1, 6])
    ),
    "candidate_sizes": _sizes(),
    "padded_listed": listed_case(3, 2, 3, 3),
    "candidates_listed": listed_case(3, 1, 2, 2, ((0,), (1, 2))),
    "sizes_listed": counted_case(3, 2, ((0,), (1, 2))),
}
