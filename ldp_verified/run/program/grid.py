"""Programs of one number: to one of two neighbours on a grid, then a sign or a cell.

The value is a position 0..2^bits within the bounds. They read the words of `run.kernels.rounding`,
then those of `run.kernels.grr` with two outputs, or of `run.kernels.window`, to the same end.
"""

from __future__ import annotations

from typing import Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Comparator,
    Constant,
    Draw,
    Expression,
    Private,
    Program,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import fair, word_of

BITS: Final = 52
"""Bits of a position, unless small ones are to be tried."""

_VALUE: Final = Private()


def rounded_sign(name: str, lie: int, width: int = 64, bits: int = BITS) -> Program:
    """One of the two ends, so that the mean is exact, and the other one with lie / 2^width.

    Args:
        name: of the mechanism.
        lie: threshold of the other end, 1 <= lie and 2 * lie < 2^width.
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word, point = word_of(width), Variable("point", 2)
    lied = (Store(Constant(0), word // lie),)
    body = (
        *rounded(word, point, 1, width, bits),
        Draw(word),
        When(word.at_most(2 * lie - 1), lied, (Store(Constant(0), point),)),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, 2, body))


def rounded_window(
    name: str, m: int, w: int, inside: int, total: int, width: int = 64, bits: int = BITS
) -> Program:
    """A grid point x of 0..m, then one of the w cells from x on, or one of the m other cells.

    Args:
        name: of the mechanism.
        m: steps of the grid. w: cells of the window.
        inside, total: the window has the probability inside / total, 0 < inside < total <=
            2^width.
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word, point = word_of(width), Variable("point", m + 1)
    body = (*rounded(word, point, m, width, bits), *_window(point, m, w, inside, total, width))
    return check(Program(name, (1 << bits) + 1, width, 1, m + w, body))


def rounded_hybrid(name: str, m: int, w: int, width: int = 64, bits: int = BITS) -> Program:
    """A grid point x of 0..m, then with probability 1 - w/m a window report, else one of two atoms.

    The window report is that of `rounded_window(name, m, w, m, m + w)`. The atoms are m + w and m +
    w + 1: a sign that is + with probability x/m, turned with probability w^2/(m^2 + w^2).

    Args:
        name: of the mechanism.
        m: steps of the grid. w: cells of the window, less than m, with m^2 + w^2 <= 2^width.
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word, point = word_of(width), Variable("point", m + 1)
    plus, turned = Variable("plus", 2), Variable("turned", 2)
    turns = m * m + w * w
    of_m, of_turn = (1 << width) // m, (1 << width) // turns
    positive = share_of(word, of_m).less(point)
    atoms = (
        *(*fair(word, m * of_m - 1, width), _flag(plus, positive)),
        *fair(word, turns * of_turn - 1, width),
        _flag(turned, word.less(w * w * of_turn)),
        Store(Constant(0), (plus ^ turned) + (m + w)),
    )
    body = (
        *rounded(word, point, m, width, bits),
        *fair(word, m * of_m - 1, width),
        When(word.less((m - w) * of_m), _window(point, m, w, m, m + w, width), atoms),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, m + w + 2, body))


def _window(point: Variable, m: int, w: int, inside: int, total: int, width: int) -> Block:
    """A cell of the point's window with probability inside / total, else one of the m others.

    Both cells are drawn, so that the number of words does not say which of them is taken.
    """
    word, place = word_of(width), Variable("place", m)
    chosen, near = Variable("chosen", 1 << width), Variable("near", 1 << width)
    of_total, of_w, of_m = ((1 << width) // count for count in (total, w, m))
    far = Choice(place.less(point), place, place + w)
    return (
        *fair(chosen, total * of_total - 1, width),
        *(*fair(near, w * of_w - 1, width), *fair(word, m * of_m - 1, width)),
        Assign(place, share_of(word, of_m)),
        Store(
            Constant(0),
            Choice(chosen.less(inside * of_total), point + share_of(near, of_w), far),
        ),
    )


def _flag(variable: Variable, condition: Comparator) -> Assign:
    """1 where a condition holds, else 0."""
    return Assign(variable, Choice(condition, Constant(1), Constant(0)))


def share_of(word: Variable, share: int) -> Expression:
    """Return the equal share that a word is in; there is one alone if it has all words."""
    return word // share if share < word.below else Constant(0)


def rounded(
    word: Variable,
    point: Variable,
    m: int,
    width: int,
    bits: int,
    position: Expression = _VALUE,
) -> Block:
    """point = floor(position m / 2^bits) or one more, so that the mean is exact.

    The product is taken in two halves, since it may have more than 64 bits.

    Args:
        word: where a word goes. point: where the point goes.
        m: steps of the grid. width: bits of a word. bits: of a position, even and at most `width`.
        position: 0..2^bits; the value, unless it is an array.

    Raises:
        ParameterError: `bits` is none of these.
    """
    if bits % 2 or not 0 < bits <= width:
        raise ParameterError("bits", f"must be even and in 2..{width}", bits)
    half = bits // 2
    ones = (1 << half) - 1
    high, rest = Variable("high", 1 << 64), Variable("rest", 1 << 64)
    floor = (high >> half) + (rest >> bits)
    up = (word >> (width - bits)).less(rest & ((1 << bits) - 1))
    return (
        Assign(high, (position >> half) * m),
        Assign(rest, ((high & ones) << half) + (position & ones) * m),
        Draw(word),
        # It is at most m; the remainder says so to who looks at bounds alone.
        Assign(point, (floor + Choice(up, Constant(1), Constant(0))) % (m + 1)),
    )
