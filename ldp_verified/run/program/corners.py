"""The program of Duchi's mechanism for vectors: signs of numbers, then one of two corners.

`run.kernels.corners` draws corners until one is of the kind that a word chose, so how many words it
reads tells more than the report where the kinds are not equally many. Here a corner of each kind
is drawn whatever the word says, and the word is read last. Python's client sends the same law.
"""

from __future__ import annotations

from typing import Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Loop,
    PrivateNumber,
    Program,
    Retry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.grid import BITS, rounded
from ldp_verified.run.program.parts import word_of

MOST_SIGNS: Final = 62
"""The largest number of signs of a value: as many as the kernel packs into one number."""


def rounded_corner(name: str, d: int, inside: int, width: int = 64, bits: int = BITS) -> Program:
    """A corner that agrees with the signs of d numbers in more than half, or another one.

    Args:
        name: of the mechanism.
        d: numbers of a value, 1..62 and at most `width`.
        inside: threshold of the near corners, 1..2^width - 1.
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Returns:
        A program whose report is the corner: bit j is 1 where number j has a +.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    if not 1 <= d <= min(width, MOST_SIGNS):
        raise ParameterError("d", f"must be in 1..{min(width, MOST_SIGNS)}", d)
    if not 1 <= inside < 1 << width:
        raise ParameterError("inside", f"must be in 1..2^{width} - 1", inside)
    corners, ones = 1 << d, (1 << d) - 1
    word, point, turn = word_of(width), Variable("point", 2), Variable("turn", d)
    signs, mask, count = (
        *(Variable("signs", corners), Variable("mask", corners)),
        Variable("count", d + 1),
    )
    near, far = Variable("near", corners), Variable("far", corners)
    signed = (
        *rounded(word, point, 1, width, bits, PrivateNumber(turn)),
        Assign(signs, signs | (point << turn)),
    )
    # What a corner is apart from the signs, and in how many of them.
    apart: Block = (
        *(Draw(word), Assign(mask, word & ones), Assign(count, Constant(0))),
        Loop(turn, d, (Assign(count, (count + ((mask >> turn) & 1)) % (d + 1)),)),
    )
    # The opposite corner of one that is apart in more than half is apart in fewer.
    folded = When(count.at_most((d - 1) // 2), (Assign(near, mask),), (Assign(near, mask ^ ones),))
    drawn: Block = (*apart, folded, Assign(far, near ^ ones))
    if (
        d % 2 == 0
    ):  # corners that are apart in exactly half are far ones, and so are their opposites
        drawn = (
            *(Retry(apart, count.unequal(d // 2)), folded),
            *(Retry(apart, Constant(d // 2).at_most(count)), Assign(far, mask)),
        )
    body = (
        *(Assign(signs, Constant(0)), Loop(turn, d, signed), *drawn, Draw(word)),
        Store(Constant(0), signs ^ Choice(word.less(inside), near, far)),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, corners, body, length=d))
