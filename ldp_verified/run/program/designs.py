"""Programs of small tables and of Sylvester's matrix: one or two words, and no rejection.

They read the same words to the same end as `run.kernels.categorical` and `run.kernels.hadamard`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Private,
    Program,
    ProgramEntry,
    Store,
    Variable,
)
from ldp_verified.run.program.parts import word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_OUTPUTS: Final = 64
"""Outputs of a table of cuts: a word is compared with one after the other."""


def table_of_cuts(name: str, cuts: Sequence[Sequence[int]], width: int = 64) -> Program:
    """The output y of a word is the number of cuts in the value's row that are not above it.

    Args:
        name: of the mechanism.
        cuts: a row for each value, of integers in 1..2^width - 1 that grow.
        width: bits of a word.

    Raises:
        ParameterError: the rows are none of these, or too long.
    """
    rows = [tuple(row) for row in cuts]
    outputs = len(rows[0]) + 1
    if not 2 <= outputs <= MOST_OUTPUTS or any(len(row) != outputs - 1 for row in rows):
        raise ParameterError("cuts", f"must have 2 to {MOST_OUTPUTS} outputs in each row", rows)
    if any(list(row) != sorted({0, *row, 1 << width})[1:-1] for row in rows):
        raise ParameterError("cuts", f"must grow, within 1..{(1 << width) - 1}", rows)
    word = word_of(width)
    output: Expression = Constant(outputs - 1)
    for y in reversed(range(outputs - 1)):
        cut = ProgramEntry(tuple(row[y] for row in rows), Private())
        output = Choice(word.less(cut), Constant(y), output)
    body = (Draw(word), Store(Constant(0), output))
    return check(Program(name, len(rows), width, 1, outputs, body))


def hadamard_column(name: str, k: int, deny: int, width: int = 64) -> Program:
    """A column of Sylvester's matrix in which row x + 1 has a +1, or with deny / 2^width a -1.

    Args:
        name: of the mechanism.
        k: number of values, below 2^(width + 1).
        deny: threshold of the sign -1, 1..2^width - 1.
        width: bits of a word.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    order = 1 << k.bit_length()
    bits = order.bit_length() - 2
    ones = order - 1
    sign, word, odd = Variable("sign", 1 << width), word_of(width), Variable("odd", 2)
    row, lowest = Variable("row", order), Variable("lowest", order)
    drawn, column = Variable("drawn", 1 << bits), Variable("column", order)
    before = row & ((row + ones) & ones)  # without the lowest 1: row & (row - 1)
    below = drawn & ((lowest + ones) & ones)
    body = (
        *(Draw(sign), Draw(word), Assign(row, Private() + 1)),
        Assign(odd, Choice(sign.less(deny), Constant(1), Constant(0))),
        *(Assign(lowest, row ^ before), Assign(drawn, word >> (width - bits))),
        Assign(column, ((drawn ^ below) << 1) | below),
        *parity(column & row, order),
        Store(Constant(0), column | Choice(PARITY.unequal(odd), lowest, Constant(0))),
    )
    return check(Program(name, k, width, 1, order, body))


def hadamard_sign(name: str, k: int, deny: int, width: int = 64) -> Program:
    """A uniform column j and the sign of row x in it, turned with deny / 2^width.

    Args:
        name: of the mechanism.
        k: number of values, at most 2^width.
        deny: threshold of the other sign, 1..2^width - 1.
        width: bits of a word.

    Returns:
        A program whose reports are 2 j for the sign +1 and 2 j + 1 for -1.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    bits = (k - 1).bit_length()
    word, column = word_of(width), Variable("column", 1 << bits)
    turned = Choice(word.less(deny), Constant(1), Constant(0))
    body = (
        *(Draw(word), Assign(column, word >> (width - bits)), Draw(word)),
        *parity(column & Private(), 1 << bits),
        Store(Constant(0), (column << 1) | (PARITY ^ turned)),
    )
    return check(Program(name, k, width, 1, 2 << bits, body))


PARITY: Final = Variable("parity", 2)
"""Where `parity` leaves its answer."""


def parity(number: Expression, below: int) -> Block:
    """Return 1 if a number below a power of two has an odd number of ones."""
    common = Variable("common", below)
    steps: list[Assign] = [Assign(common, number)]
    half = 1 << ((below - 1).bit_length() - 1).bit_length()
    while half > 1:
        half >>= 1
        steps.append(Assign(common, common ^ (common >> half)))
    return (*steps, Assign(PARITY, common & 1))
