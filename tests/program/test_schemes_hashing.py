"""What proofs/lib/ProgramHashing.v and ProgramFields.v prove, over every sequence, of ours.

The theorems speak of programs that are written down in Coq. Here the interpreter runs
`local_hashing` over all sequences of few words, and the counts are the theorems'.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.program.schemes import local_hashing
from tests.broken.programs import wrong_programs
from tests.program.counts import Counts, counted, counts_or_none

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = Callable[[int], int]


def first_accepted(bad: int, then: Answer) -> Answer:
    """The definition of that name."""

    def counts(length: int) -> int:
        return then(length - 1) + bad * counts(length - 1) if length else 0

    return counts


def hashed(coefficients: tuple[int, ...], value: int, base: int, g: int) -> int:
    """The definition of `hash`."""
    bucket = 0
    for c in coefficients:
        bucket, value = (bucket + c * (value % base)) % g, value // base
    return bucket


def answer(words: int, g: int, lie: int, right: bool) -> Answer:
    """The definition of `hash_answer`."""
    cell = words - (g - 1) * lie if right else lie
    return lambda length: cell * words ** (length - 1) if length else 0


def of_shares(
    sizes: list[int], g: int, lie: int, base: int, c: int, width: int, value: int, length: int
) -> Counts:
    """What `local_hashing_counts` says."""
    words = 1 << width
    share = words // g**c
    found: Counts = Counter()
    for t in product(range(g), repeat=sum(sizes)):
        for y in range(g):
            then = answer(words, g, lie, y == hashed(t, value, base, g))
            for _ in sizes:
                then = first_accepted(words % g**c, then)
            found[(*t, y)] = prod(g ** (c - n) * share for n in sizes) * then(length)
    found[None] = words**length - found.total()
    return +found


def of_fields(
    sizes: list[int], r: int, lie: int, base: int, width: int, value: int, length: int
) -> Counts:
    """What `local_hashing_fields_counts` says."""
    words, g = 1 << width, 1 << r
    found: Counts = Counter()
    for t in product(range(g), repeat=sum(sizes)):
        for y in range(g):
            then = answer(words, g, lie, y == hashed(t, value, base, g))
            share = prod(1 << (width - r * n) for n in sizes)
            found[(*t, y)] = share * then(max(0, length - len(sizes)))
    found[None] = words**length - found.total()
    return +found


def shares(k: int, g: int, lie: int, digits: int, c: int, width: int) -> list[int]:
    """How many coefficients each word gives."""
    assert k <= g**digits
    assert g * lie < 1 << width
    return [c] * (digits // c) + [digits % c] * bool(digits % c)


# k, g, lie, digits, base, coefficients of a word, width
SHARES = {
    "a_word_each": (3, 3, 2, 1, 3, 1, 3),
    "two_words": (4, 3, 1, 2, 3, 1, 2),
    "two_of_a_word": (4, 3, 2, 2, 3, 2, 4),
    "one_of_the_last": (5, 2, 1, 3, 2, 2, 2),
    "not_a_prime": (2, 6, 1, 1, 2, 1, 3),
}


@pytest.mark.parametrize("case", SHARES)
def test_counts_of_shares_are_those_of_the_theorem(case: str) -> None:
    k, g, lie, digits, base, c, width = SHARES[case]
    program = local_hashing("olh", k, g, lie, digits, base, (0, c), width)
    sizes = shares(k, g, lie, digits, c, width)
    for value in range(k):
        for length in range(1, 12 // width):
            said = of_shares(sizes, g, lie, base, c, width, value, length)
            assert counted(program, value, length) == said


# k, r, lie, digits, lanes, width
FIELDS = {
    "one_lane": (3, 1, 1, 2, 1, 2),
    "two_lanes": (5, 1, 3, 3, 2, 4),
    "two_bits": (3, 2, 1, 2, 1, 4),
    "two_words": (5, 1, 1, 3, 2, 2),
    "bits_that_are_not_looked_at": (3, 2, 2, 1, 1, 5),
}


@pytest.mark.parametrize("case", FIELDS)
def test_counts_of_fields_are_those_of_the_theorem(case: str) -> None:
    k, r, lie, digits, lanes, width = FIELDS[case]
    program = local_hashing("olh", k, 1 << r, lie, digits, 2, (lanes, 0), width)
    c = lanes * (width // lanes // r)
    sizes = shares(k, 1 << r, lie, digits, c, width)
    for value in range(k):
        for length in range(1, 12 // width):
            said = of_fields(sizes, r, lie, 2, width, value, length)
            assert counted(program, value, length) == said


def test_a_wrong_program_has_other_counts() -> None:
    program = local_hashing("olh", 4, 3, 1, 2, 3, (0, 1), 2)
    said = [of_shares([1, 1], 3, 1, 3, 1, 2, value, 5) for value in range(4)]
    equal = [
        slip
        for slip, wrong in wrong_programs(program)
        if [counts_or_none(wrong, value, 5) for value in range(4)] == said
    ]
    assert not equal
    program = local_hashing("olh", 5, 2, 1, 3, 2, (2, 0), 2)
    said = [of_fields([2, 1], 1, 1, 2, 2, value, 3) for value in range(5)]
    equal = [
        slip
        for slip, wrong in wrong_programs(program)
        if [counts_or_none(wrong, value, 3) for value in range(5)] == said
    ]
    # Fields in another order have the same law.
    assert equal == ["a table is off by one, place 0", "a table is off by one, place 1"]
