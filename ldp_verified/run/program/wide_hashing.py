"""Parts of programs that hash a wide value: its bits, a random function, and the bucket.

A function is one of the balanced family of `run.kernels.wide`, a Toeplitz matrix mod 2: row j is
bits j to j + 2 width - 1 of its seed, and bit j of a bucket is the parity of the bits that row j
selects of what is hashed. A value of `bits` bits begins at the uppermost of 2 width bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.designs import PARITY, parity
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Constant,
    Draw,
    Expression,
    Loop,
    Private,
    ProgramEntry,
    Variable,
)
from ldp_verified.run.program.parts import word_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class WideHash:
    """The variables of one function, of what it hashes, and of the bucket.

    Args:
        bits: of a value, 1..2 width.
        r: bits of a bucket.
        width: bits of a word, and of half a row of a function's matrix.

    Attributes:
        low, high, more: the seed, lowest part first; `more` has r - 1 bits.
        upper, lower: both halves of what is hashed.
        bucket: the hash.
    """

    def __init__(self, bits: int, r: int, width: int) -> None:
        whole = 1 << width
        self._bits, self._r, self._width = bits, r, width
        self.low, self.high = Variable("low", whole), Variable("high", whole)
        self.more = Variable("more", 1 << (r - 1))
        self.upper, self.lower = Variable("upper_prefix", whole), Variable("lower_prefix", whole)
        self.bucket = Variable("bucket", 1 << r)

    @property
    def wide(self) -> bool:
        """Return whether a value has bits in the lower half."""
        return self._bits > self._width

    @property
    def value(self) -> tuple[Expression, Expression]:
        """Both halves of the private value."""
        lower, upper = Private(), Private(upper=True)
        bits, width = self._bits, self._width
        if bits <= width:
            return lower << (width - bits), Constant(0)
        gap = 2 * width - bits
        if gap == 0:
            return upper, lower
        moved = (lower & ((1 << (width - gap)) - 1)) << gap
        return (upper << gap) | (lower >> (width - gap)), moved

    def drawn(self) -> Block:
        """A uniform function: three words, of the last of which the lowest r - 1 bits count."""
        word = word_of(self._width)
        return (
            *(Draw(self.low), Draw(self.high), Draw(word)),
            Assign(self.more, word & ((1 << (self._r - 1)) - 1)),
        )

    def prefix(self, lengths: Sequence[int], group: Expression) -> Block:
        """What is hashed becomes the prefix whose length the group has."""
        steps: Block = ()
        for half, target in enumerate((self.upper, self.lower)[: 1 + self.wide]):
            taken = self.value[half] & ProgramEntry(_masks(lengths, self._width, half), group)
            steps += (Assign(target, taken),)
        return steps

    def hashed(self) -> Block:
        """The bucket of what is hashed. The function's variables are changed by it."""
        low, high, more, width = self.low, self.high, self.more, self._width
        selected: Expression = high & self.upper
        moved: Block = (
            Assign(high, (high >> 1) | ((more & 1) << (width - 1))),
            Assign(more, more >> 1),
        )
        if self.wide:
            selected = selected ^ (low & self.lower)
            moved = (Assign(low, (low >> 1) | ((high & 1) << (width - 1))), *moved)
        row = Variable("row", self._r)
        step = (
            *parity(selected, 1 << width),
            Assign(self.bucket, self.bucket | (PARITY << row)),
            *moved,
        )
        return (Assign(self.bucket, Constant(0)), Loop(row, self._r, step))


def _masks(lengths: Sequence[int], width: int, half: int) -> tuple[int, ...]:
    """The bits that each group's prefix has in the first or second half."""
    counts = [min(max(length - half * width, 0), width) for length in lengths]
    return tuple(((1 << count) - 1) << (width - count) for count in counts)
