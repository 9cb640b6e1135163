"""Reports with one of three symbols for each key: whether there is one, and its sign."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.layouts import BitLayout, CheckedReports, Unsigned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.packing import PackedShape

    Integers = NDArray[np.int64]

AT_A_TIME = 1 << 22
"""Bits that are unpacked together."""


@dataclass(frozen=True)
class SymbolLayout(CheckedReports):
    """A report is k + keys packed bits: whether each value has a symbol, then signs of keys.

    It supports the values that have a symbol. The sign of a key is a 1 for + and a 0 for -; that of
    a key without a symbol is 0. Counters are those of all bits.

    Attributes:
        k: the number of values: keys, then dummies, which have no sign.
        keys: how many of them are keys.
    """

    k: int
    keys: int

    @cached_property
    def bits(self) -> BitLayout:
        """The layout of all the bits."""
        return BitLayout(self.k + self.keys)

    @property
    def counters(self) -> int:
        """The number of counters: one for each bit."""
        return self.k + self.keys

    @property
    def shape(self) -> PackedShape:
        """The shape of a report, which is that of its bits."""
        return self.bits.shape

    def check(self, data: object) -> Unsigned:
        """Check reports: only uint64 is taken.

        Raises:
            ReportError: no packed bits of this number, or a sign without a symbol.
        """
        array = self.bits.check(data)
        rows = max(1, AT_A_TIME // self.counters)
        for start in range(0, len(array), rows):
            held = unpacked(array[start : start + rows], self.counters)
            if (held[:, self.k :] & ~held[:, : self.keys]).any():
                raise ReportError("reports", "must have no sign where they have no symbol")
        return array

    def count(self, data: Unsigned) -> Integers:
        """Return how often each bit is 1."""
        return self.bits.support_counts(data)

    def impossible(self, n: int, counters: Integers) -> str | None:
        """Say why no reports add up to these counters: signs are those of symbols."""
        del n
        if (counters[self.k :] > counters[: self.keys]).any():
            return "signs must be at most as many as symbols"
        return None

    def supports(self, counters: Integers) -> Integers:
        """The symbols, of either sign."""
        return np.array(counters[: self.k])

    def support_counts(self, data: Unsigned) -> Integers:
        """`supports` of `count`."""
        return self.supports(self.count(data))

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports have a symbol for a value."""
        return self.bits.holds(data, value)


def unpacked(data: NDArray[np.uint64], bits: int) -> NDArray[np.bool_]:
    """Packed bits one by one, bool (n, bits)."""
    each = np.ascontiguousarray(data, dtype="<u8").view(np.uint8)
    return np.unpackbits(each, axis=1, count=bits, bitorder="little").astype(bool)


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The reverse: uint64 (n, ceil(bits / 64))."""
    each = np.packbits(bits, axis=1, bitorder="little")
    words = np.zeros((len(bits), 8 * -(-bits.shape[1] // 64)), dtype=np.uint8)
    words[:, : each.shape[1]] = each
    return words.view("<u8").astype(np.uint64, copy=False)
