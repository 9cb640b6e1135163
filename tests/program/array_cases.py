"""Cases at small widths of protocols whose values are arrays of numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.run.program.corners import rounded_corner
from ldp_verified.run.program.pairs import sampled_sign
from ldp_verified.run.program.schemes import k_rr
from ldp_verified.run.program.sets import MOST_PACKED
from tests.program.group_cases import case_of
from tests.program.set_cases import reservoir

if TYPE_CHECKING:
    from tests.program.cases import Case, Law
    from tests.program.group_cases import Tape

BITS = 2
"""Of a position: there are five."""

POSITIONS = (1 << BITS) + 1


def digits_of(value: int, base: int, length: int) -> list[int]:
    """The numbers of the value that has a number; the last one is the lowest digit."""
    return [value // base**place % base for place in reversed(range(length))]


def corner_law(positions: list[int], inside: Fraction) -> Law:
    """The law of Duchi's mechanism for vectors: signs, then a corner near them or another one."""
    d = len(positions)
    near = [mask for mask in range(1 << d) if 2 * mask.bit_count() < d]
    law: Law = dict.fromkeys(((corner,) for corner in range(1 << d)), Fraction(0))
    for signs in range(1 << d):
        ups = [Fraction(position, 1 << BITS) for position in positions]
        share = math.prod(
            (up if signs >> j & 1 else 1 - up for j, up in enumerate(ups)), start=Fraction(1)
        )
        for mask in range(1 << d):
            kind = inside / len(near) if mask in near else (1 - inside) / ((1 << d) - len(near))
            law[(signs ^ mask,)] += share * kind
    return {report: mass for report, mass in law.items() if mass}


def corner_case(d: int, inside: int, width: int, words: int) -> Case:
    """A vector of d numbers."""

    def draw(tape: Tape, value: int) -> list[int]:
        signs = 0
        for place, position in enumerate(digits_of(value, POSITIONS, d)):
            signs |= (tape.word() >> (width - BITS) < position) << place
        mask = tape.word() % (1 << d)
        while 2 * mask.bit_count() == d:
            mask = tape.word() % (1 << d)
        near = mask if 2 * mask.bit_count() < d else (1 << d) - 1 - mask
        far = (1 << d) - 1 - near
        if d % 2 == 0:
            far = tape.word() % (1 << d)
            while 2 * far.bit_count() < d:
                far = tape.word() % (1 << d)
        return [signs ^ (near if tape.word() < inside else far)]

    def table(value: int) -> Law:
        return corner_law(digits_of(value, POSITIONS, d), Fraction(inside, 1 << width))

    program = rounded_corner("duchi_vector", d, inside, width, BITS)
    return case_of(program, words, d + 3 - d % 2, draw, table)


def pairs_of(value: int, k: int) -> list[tuple[int, int]]:
    """The keys of a value and the positions of their numbers; 0 is no pair."""
    return [(key, n - 1) for key, n in enumerate(digits_of(value, POSITIONS + 1, k)) if n]


def sampled_law(value: int, k: int, length: int) -> dict[tuple[int, int], Fraction]:
    """The law of the sampled (key, sign); of a dummy that is counted from 0 it is (-1, dummy)."""
    pairs, law = pairs_of(value, k), dict[tuple[int, int], Fraction]()
    places = max(len(pairs), length)
    for key, position in pairs:
        up = Fraction(position, 1 << BITS)
        law |= {(key, 1): up / places, (key, 0): (1 - up) / places}
    return law | {(-1, j): Fraction(1, places) for j in range(length - len(pairs))}


def item_of(sampled: tuple[int, int], k: int) -> int:
    """What the mechanism reports on: a signed key or a dummy."""
    key, sign = sampled
    return 2 * k + sign if key < 0 else 2 * key + sign


def response_case(k: int, length: int, width: int, words: int, packed: int = MOST_PACKED) -> Case:
    """Key-value pairs over k-ary randomized response; one word gives the place, one each lie."""
    items = 2 * k + length
    factor = math.lcm(*range(length, max(k, length) + 1))

    def draw(tape: Tape, value: int) -> list[int]:
        pairs = pairs_of(value, k)
        places = max(len(pairs), length)
        place = (
            tape.uniform(factor) % places
            if k <= packed
            else reservoir(tape, max(k, length), places)
        )
        word = tape.word() >> (width - BITS)
        sampled = (-1, place - len(pairs))
        if place < len(pairs):
            sampled = pairs[place][0], int(word < pairs[place][1])
        answer = tape.word()
        return [answer if answer < items else item_of(sampled, k)]

    def table(value: int) -> Law:
        law: Law = {}
        for sampled, share in sampled_law(value, k, length).items():
            for report in range(items):
                truth = 1 - Fraction(items, 1 << width) if report == item_of(sampled, k) else 0
                mass = share * (Fraction(1, 1 << width) + truth)
                law[(report,)] = law.get((report,), Fraction(0)) + mass
        return law

    inner = k_rr("grr", items, 1, width)
    program = sampled_sign("key_value_response", k, length, inner, BITS, packed)
    return case_of(program, words, 3, draw, table)


ARRAY_CASES: dict[str, Case] = {
    "duchi_vector_one": corner_case(1, 3, 2, 3),
    "key_value_response": response_case(2, 1, 3, 3),
    "pairs_listed": response_case(2, 1, 3, 3, packed=0),
}
ARRAY_SIZES: dict[str, Case] = {
    "duchi_vector_two": corner_case(2, 3, 2, 6),
}
"""Of more values: `make test-clients` and `test_corners.py` run them."""

THREE_SIGNS = corner_case(3, 5, 3, 5)
"""An odd number of signs, with 125 values."""
