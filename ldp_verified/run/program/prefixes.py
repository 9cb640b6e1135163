"""The program of a protocol that reports on prefixes of wide values (prefix extending, PEM).

A group is drawn, without a look at the value. Then comes a random function of the balanced family
of `run.kernels.wide`, a Toeplitz matrix mod 2. Last is k-ary randomized response on the bucket of
the prefix whose length the group has. Words are read in the order of `protocols.grouped_hashing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.designs import PARITY, parity
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Constant,
    Draw,
    Expression,
    Loop,
    Private,
    Program,
    ProgramEntry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import fair, k_rr_answer, word_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def hashed_prefix(
    name: str,
    bits: int,
    lengths: Sequence[int],
    g: int,
    lie: int,
    coins: tuple[int, int],
    width: int = 64,
) -> Program:
    """A group, a function to g buckets, and k-ary randomized response of the prefix's bucket.

    Args:
        name: of the protocol.
        bits: of a value, 1..2 width; the first one is the uppermost.
        lengths: of the prefixes of each group, the last being the one that confirms.
        g: number of buckets, a power of two above 1.
        lie: threshold of each wrong bucket, 1 <= lie and g * lie < 2^width.
        coins: (a, b): of b users a are spread evenly over the groups before the last.
        width: bits of a word, and of half a row of a function's matrix.

    Returns:
        A program whose reports are the group, the three words of the function, lowest first, and
        the bucket.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    (some, all_), r, wide = coins, g.bit_length() - 1, bits > width
    levels, whole = len(lengths) - 1, 1 << width
    word, coin = word_of(width), Variable("coin", all_ * levels)
    group, bucket = Variable("group", levels + 1), Variable("bucket", g)
    low, high = Variable("low", whole), Variable("high", whole)
    more, row = Variable("more", 1 << (r - 1)), Variable("row", r)
    body: Block = (
        *fair(word, whole - whole % (all_ * levels) - 1, width),
        Assign(coin, word % (all_ * levels)),
        When(
            coin.less(some * levels),
            (Assign(group, coin // some),),
            (Assign(group, Constant(levels)),),
        ),
        *(Store(Constant(0), group), Draw(low), Draw(high), Draw(word)),
        Assign(more, word & ((1 << (r - 1)) - 1)),
        *(Store(Constant(1), low), Store(Constant(2), high), Store(Constant(3), more)),
    )
    upper, lower = Variable("upper_prefix", whole), Variable("lower_prefix", whole)
    taken = _first_bits(bits, width)
    body += (Assign(upper, taken[0] & ProgramEntry(_masks(lengths, width, 0), group)),)
    selected = high & upper
    moved: Block = (
        Assign(high, (high >> 1) | ((more & 1) << (width - 1))),
        Assign(more, more >> 1),
    )
    if wide:
        body += (Assign(lower, taken[1] & ProgramEntry(_masks(lengths, width, 1), group)),)
        selected = selected ^ (low & lower)
        moved = (Assign(low, (low >> 1) | ((high & 1) << (width - 1))), *moved)
    step = (
        *parity(selected, whole),
        Assign(bucket, bucket | (PARITY << row)),
        *moved,
    )
    body += (
        Assign(bucket, Constant(0)),
        Loop(row, r, step),
        *(Draw(word), k_rr_answer(word, g, lie, Constant(4), bucket)),
    )
    return check(Program(name, 1 << bits, width, 5, max(whole, levels + 1), body, half=width))


def _first_bits(bits: int, width: int) -> tuple[Expression, Expression]:
    """The first and the second `width` bits of a value that begins at the uppermost of them."""
    lower, upper = Private(), Private(upper=True)
    if bits <= width:
        return lower << (width - bits), Constant(0)
    gap = 2 * width - bits
    if gap == 0:
        return upper, lower
    return (upper << gap) | (lower >> (width - gap)), (lower & ((1 << (width - gap)) - 1)) << gap


def _masks(lengths: Sequence[int], width: int, half: int) -> tuple[int, ...]:
    """For each group the bits that its prefix has in the first or second half."""
    counts = [min(max(length - half * width, 0), width) for length in lengths]
    return tuple(((1 << count) - 1) << (width - count) for count in counts)
