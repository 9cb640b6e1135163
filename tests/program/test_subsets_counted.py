"""What proofs/lib/ProgramSubsets.v proves of values that come in, over every sequence, of ours.

The theorems speak of a machine that is written down in Coq. Here it is written down once more, and
the interpreter runs `subset`, with one slice in a word and no planes, over all sequences of few
words: reports have the machine's counts, and these are around the law that is proved.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import factorial, perm

import pytest

from ldp_verified.run.program.subsets import subset
from tests.broken.programs import wrong_programs
from tests.program.counts import Counts, counted, counts_or_none

Moved = Counter[tuple[tuple[int, ...], int] | None]

# k, size, deny, width: of the thresholds and of words, which are a slice each
CASES = {
    "one_comes_in": (3, 1, 3, 3),
    "two_come_in": (3, 2, 5, 3),
    "all_slices_are_fair": (4, 2, 1, 2),
    "three_come_in": (5, 3, 2, 3),
}


def moved(k: int, free: tuple[int, ...], left: int, width: int, length: int) -> Moved:
    """`moving_step` over all sequences: what is free at last and what moved last; None: neither."""
    slices = 1 << width
    states = Counter({(free, left): 1})
    found: Moved = Counter()
    for rest in reversed(range(length)):
        following: Counter[tuple[tuple[int, ...], int]] = Counter()
        for (free_now, left_now), many in states.items():
            for word in range(slices):
                value, remainder = divmod(word * k, slices)
                if remainder < slices % k or value not in free_now:
                    following[free_now, left_now] += many
                    continue
                others = tuple(p for p in free_now if p != value)
                if left_now > 1:
                    following[others, left_now - 1] += many
                else:
                    found[others, value] += many * slices**rest
        states = following
    found[None] = states.total()
    return +found


def reported(k: int, size: int, deny: int, width: int, value: int, length: int) -> Counts:
    """The reports: the own value for the last one that came in, or all that came in."""
    others = tuple(p for p in range(k) if p != value)
    found: Counts = Counter()
    for end, many in moved(k, others, size, width, length).items():
        if end is None:
            found[None] += many << width
            continue
        free, last = end
        came = set(others) - set(free)
        found[(sum(1 << p for p in came),)] += many * deny
        with_own = came ^ {last, value}
        found[(sum(1 << p for p in with_own),)] += many * ((1 << width) - deny)
    return +found


@pytest.mark.parametrize("case", CASES)
def test_counts_are_those_of_the_machine_and_around_its_law(case: str) -> None:
    k, size, deny, width = CASES[case]
    program = subset("subset", k, size, False, deny, (0, 0), (width, 1), (width, width))
    for value in (0, k - 1):
        for length in range(1, 10 // width + 1):
            said = reported(k, size, deny, width, value, length)
            assert counted(program, value, 1 + length) == said
            ends = moved(k, tuple(p for p in range(k) if p != value), size, width, length)
            # (m - 1)! / (n (n - 1) ... (n - m + 1)), of each set and each of it as the last one.
            law = Fraction(factorial(size - 1), perm(k - 1, size))
            others = [p for p in range(k) if p != value]
            for free in combinations(others, k - 1 - size):
                for last in set(others) - set(free):
                    ended = ends[free, last]
                    assert ended <= law * (1 << width) ** length <= ended + ends[None]


def test_a_wrong_program_has_other_counts() -> None:
    k, size, deny, width = CASES["two_come_in"]
    program = subset("subset", k, size, False, deny, (0, 0), (width, 1), (width, width))
    lengths = (2, 3)
    said = [reported(k, size, deny, width, value, n) for value in range(k) for n in lengths]
    rejected = [
        slip
        for slip, wrong in wrong_programs(program)
        if "rejected" not in slip
        and [counts_or_none(wrong, value, 1 + n) for value in range(k) for n in lengths] != said
    ]
    assert {slip.split(", place")[0] for slip in rejected} >= {
        "< for <=, or <= for <",
        "a threshold one too high",
        "a threshold one too low",
        "the private value is 0",
    }
