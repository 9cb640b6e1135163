"""What proofs/lib/ProgramBits.v and ProgramPlanes.v prove, over every sequence of words, of ours.

The theorems speak of programs that are written down in Coq. Here the interpreter runs `one_hot`
over all sequences of few words, and the counts are the theorems'.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from ldp_verified.run.program.schemes import one_hot
from tests.broken.programs import wrong_programs
from tests.program.counts import Counts, counted, counts_or_none


def of_all_planes(k: int, cells: tuple[int, int], widths: tuple[int, int], value: int) -> Counts:
    """What `one_hot_counts` says, of as many words as are read at most."""
    (one, zero), (width, lanes) = cells, widths
    words, planes = 1 << max(width, lanes), planes_of(zero, width)
    blocks = -(-k // lanes)
    below, rest = zero >> (width - planes), blocks * planes
    found: Counts = Counter()
    for bits in product((0, 1), repeat=k):
        own = one * words >> width
        cell = prod(
            [
                own if bits[value] else words - own,
                *(below if bits[v] else (1 << planes) - below for v in range(k) if v != value),
            ]
        )
        # The own lane is drawn too, and may be anything.
        share = Fraction(cell * words**rest, 1 << planes * (k - 1))
        assert share.denominator == 1
        found[packed(bits, lanes)] = int(share)
    return found


def planes_of(zero: int, width: int) -> int:
    """How many digits of a threshold decide something."""
    return width - ((zero & -zero).bit_length() - 1)


def packed(bits: tuple[int, ...], lanes: int) -> tuple[int, ...]:
    """Bits as numbers of a report, the lowest first."""
    return tuple(
        sum(bit << i for i, bit in enumerate(bits[first : first + lanes]))
        for first in range(0, len(bits), lanes)
    )


CASES = {
    "one_block": (2, (2, 1), (2, 2)),
    "one_plane": (2, (3, 2), (2, 2)),
    "two_blocks": (3, (3, 1), (2, 2)),
    "a_word_longer_than_a_block": (2, (5, 3), (3, 2)),
    "a_block_for_each_bit": (2, (1, 1), (2, 1)),
}


@pytest.mark.parametrize("case", CASES)
def test_counts_of_every_sequence_are_those_of_the_theorem(case: str) -> None:
    k, cells, widths = CASES[case]
    program = one_hot("oue", k, *cells, *widths)
    length = 1 + -(-k // widths[1]) * planes_of(cells[1], widths[0])
    for value in range(k):
        assert counted(program, value, length) == of_all_planes(k, cells, widths, value)


@pytest.mark.parametrize("case", CASES)
def test_fewer_words_lead_to_no_report(case: str) -> None:
    """All planes are read without a look: `free` of the theorems is the number of planes."""
    k, cells, widths = CASES[case]
    program = one_hot("oue", k, *cells, *widths)
    for read in range(1 + -(-k // widths[1]) * planes_of(cells[1], widths[0])):
        assert counted(program, 0, read) == {None: (1 << max(widths)) ** read}


def test_a_wrong_program_has_other_counts() -> None:
    program, said = (
        one_hot("oue", 3, 3, 1, 2, 2),
        [of_all_planes(3, (3, 1), (2, 2), value) for value in range(3)],
    )
    equal = [
        slip
        for slip, wrong in wrong_programs(program)
        if [counts_or_none(wrong, value, 5) for value in range(3)] == said
    ]
    # A lane that is 1 after the digits 1 and 0, in place of 0 and 0, has the same law.
    assert equal == ["a table is off by one, place 2"]


def test_a_threshold_beside_the_table_has_other_counts() -> None:
    said = of_all_planes(2, (2, 1), (2, 2), 0)
    assert counted(one_hot("oue", 2, 2, 3, 2, 2), 0, 3) != said
    assert counted(one_hot("oue", 2, 1, 1, 2, 2), 0, 3) != said
    assert counted(one_hot("oue", 2, 2, 2, 2, 2), 0, 3) != said
