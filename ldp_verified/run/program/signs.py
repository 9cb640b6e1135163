"""Programs of one sign: a set or a column is drawn, and a response reports the parity within it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.designs import PARITY, parity
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Expression,
    Private,
    Program,
    ProgramEntry,
    Variable,
)
from ldp_verified.run.program.groups import (
    InnerProgram,
    Names,
    coin_of,
    digits_of,
    together,
    uniform,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def set_parity(name: str, bits: int, masks: Sequence[int], response: Program) -> Program:
    """A uniform set of the value's bits, and whether an odd number of them is 1, by a response.

    Args:
        name: of the protocol.
        bits: of a value.
        masks: the sets.
        response: the program of a response on 0 and 1.

    Returns:
        A program whose report is 2 s + y, of the set s and the answer y.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    chosen, coin = Variable("chosen", len(masks)), coin_of(response.width)
    drawn = uniform(chosen, coin, response.width)
    seen = parity(Private() & ProgramEntry(tuple(masks), chosen), 1 << bits)
    part = InnerProgram(response, PARITY, code=chosen * 2, most=2 * len(masks) - 2)
    return _signed(name, 1 << bits, (*drawn, *seen), part, (chosen, coin))


def wavelet_sign(name: str, k: int, levels: int, response: Program) -> Program:
    """A uniform level and column, and the sign of the value's half of its node, by a response.

    Args:
        name: of the protocol.
        k: number of values, at most 2^levels.
        levels: of the binary tree.
        response: the program of a response on 0 and 1.

    Returns:
        A program whose report is 2 c + y, of the column c among those of all levels, the levels
        one after the other, and of the answer y.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    half, coin = 1 << levels - 1, coin_of(response.width)
    level, drawn = Variable("level", levels), Variable("drawn", half)
    column, node = Variable("column", 2 * half), Variable("node", 2 * half)
    first = ProgramEntry(tuple((1 << h) - 1 for h in range(levels)), level)
    # A node and the half of it are a prefix that is one bit longer.
    shift = ProgramEntry(tuple(levels - 1 - h for h in range(levels)), level)
    public: Block = (
        *uniform(level, coin, response.width),
        *uniform(drawn, coin, response.width),
        Assign(column, drawn & first),
        Assign(node, Private() >> shift),
        *parity(((node >> 1) & column) ^ ((node & 1) << levels - 1), 2 * half),
    )
    part = InnerProgram(response, PARITY, code=(column + first) * 2, most=2 * (2 * half - 2))
    return _signed(name, k, public, part, (level, drawn, column, node, coin))


def box_sign(
    name: str, sizes: tuple[int, int], bits: tuple[int, int], response: Program
) -> Program:
    """A uniform pair of levels and a column, and the product of both values' signs, by a response.

    Args:
        name: of the protocol.
        sizes: numbers of both values: a pair (a, b) is the value a * sizes[1] + b.
        bits: levels over each.
        response: the program of a response on 0 and 1.

    Returns:
        A program whose report is 2 (p c + j) + y, of the pair p of levels, column j of c, and y.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    (first, second), coin = bits, coin_of(response.width)
    pairs = [(i, j) for i in range(first + 1) for j in range(second + 1)][1:]
    columns = 1 << first + second - 2
    pair, column = Variable("pair", len(pairs)), Variable("column", columns)
    one, other = Variable("one", 1 << first), Variable("other", 1 << second)
    # A node and its half are a prefix; without a level both are 0.
    shifts = [tuple(b - levels[at] for levels in pairs) for at, b in enumerate(bits)]
    nodes: Expression = ((one >> 1) << second - 1) | (other >> 1)
    public: Block = (
        *uniform(pair, coin, response.width),
        *uniform(column, coin, response.width),
        Assign(one, digits_of(sizes)[0] >> ProgramEntry(shifts[0], pair)),
        Assign(other, digits_of(sizes)[1] >> ProgramEntry(shifts[1], pair)),
        *parity((nodes & column) ^ (((one ^ other) & 1) << first + second - 2), 2 * columns),
    )
    code = (pair * columns + column) * 2
    part = InnerProgram(response, PARITY, code=code, most=2 * (len(pairs) * columns - 1))
    return _signed(name, sizes[0] * sizes[1], public, part, (pair, column, one, other, coin))


def _signed(
    name: str, inputs: int, public: Block, part: InnerProgram, taken: tuple[Variable, ...]
) -> Program:
    names = Names(*taken, PARITY)
    return together(name, inputs, (*public, *names.placed(part)), [part])
