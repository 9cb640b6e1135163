"""The program of RAPPOR: permanent bits follow from a key of the device, and are reported on anew.

A client draws its key and its cohort once, and keeps these alone: the permanent answers about all
values follow from them. A key of 32 bytes is as many words as there are; that each answer has the
permanent law rests on `keyed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Constant,
    Draw,
    Keep,
    Kept,
    Key,
    Loop,
    Private,
    Program,
    ProgramEntry,
    Recall,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.keyed import KEY_CELLS
from ldp_verified.run.program.memory import coin, less_one, packed_sets
from ldp_verified.run.program.parts import fair, word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_CELL_BITS = 32


def keyed_bits(
    name: str,
    sets: Sequence[Sequence[Sequence[int]]],
    m: int,
    permanent: tuple[int, int],
    again: tuple[int, int],
    width: int = 64,
    lanes: int = 64,
) -> Program:
    """Bits of a value, randomized once by words of the device's key, and again in every report.

    Args:
        name: of the protocol.
        sets: for each cohort and each value the bits that it sets. A client draws its cohort once;
            where there is one alone, it is no part of the report.
        m: number of bits.
        permanent: thresholds of a permanent 1 for a bit that is set, and for one that is not;
            0..2^width.
        again: thresholds of a reported 1 for a permanent 1, and for a 0; 0..2^width.
        width: bits of a word. Where it is not 64, the key is a list of its words, one for each
            cohort, value and bit: with every key every function is tried.
        lanes: bits in one number of the report.

    Returns:
        A program whose reports are the cohort, where there are several, then the packed bits.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    cohorts, k, blocks = len(sets), len(sets[0]), -(-m // lanes)
    several, listed = int(cohorts > 1), width < 64
    key = Key(1, cohorts * k * m if listed else KEY_CELLS, listed)
    word, cohort, place = (
        word_of(width),
        Variable("cohort", cohorts),
        Variable("place", k * cohorts),
    )
    at, bit, part = Variable("at", m), Variable("bit", 2), Variable("part", key.cells)
    share = (1 << width) // cohorts
    # The first cell is written last: a key whose words did not suffice is drawn again as a whole.
    once = (
        Loop(part, key.cells, _drawn_cell(word, part, width)),
        *(fair(word, share * cohorts - 1, width) if several else ()),
        Keep(Constant(0), word // share + 1 if several else Constant(1)),
    )
    is_set = (
        ProgramEntry(
            packed_sets([each for some in sets for each in some], m, lanes),
            place * blocks + at // lanes,
        )
        >> (at % lanes)
    ) & 1
    slot = at // lanes + several
    reported = coin(word, bit, again, width) << (at % lanes)
    each_bit: Block = (
        Recall(word, place * m + at),
        *(Assign(bit, coin(word, is_set, permanent, width)), Draw(word)),
        Store(slot, Slot(slot) | reported),
    )
    body = (
        When(Kept(Constant(0)).at_most(0), once),
        Assign(cohort, less_one(Kept(Constant(0)), cohorts)),
        *((Store(Constant(0), cohort),) if several else ()),
        Assign(place, cohort * k + Private()),
        Loop(at, m, each_bit),
    )
    below, kept_below = max(1 << lanes, cohorts), max(1 << min(width, _CELL_BITS), cohorts + 1)
    sizes = (several + blocks, below, body, 1 + key.cells, kept_below)
    return check(Program(name, k, width, *sizes, key=key))


def _drawn_cell(word: Variable, part: Variable, width: int) -> Block:
    """A word into a cell of the key; of a long one the lower half, which is as uniform."""
    return (Draw(word), Keep(part + 1, word & ((1 << min(width, _CELL_BITS)) - 1)))
