"""Read which values are supported by raw reports of sketches that have all rows of the family.

Written from the documented layouts, with none of the server's code.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reports = NDArray[np.unsignedinteger[Any]]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class _Rows:
    """The base of both decoders, whose rows are all functions of the digit family.

    They are in the order of their coefficients.

    Attributes:
        k: the number of values.
        buckets: of each function.
    """

    k: int
    buckets: int

    @cached_property
    def table(self) -> Codes:
        """Bucket of each value in each row, shape (rows, k)."""
        base = next(d for d in range(2, self.buckets + 1) if self.buckets % d == 0)
        digits = 1
        while base**digits < self.k:
            digits += 1
        written = [[x // base**i % base for x in range(self.k)] for i in range(digits)]
        rows = np.array(list(product(range(self.buckets), repeat=digits)))
        return np.asarray(rows @ np.array(written) % self.buckets)

    def supports(self, reports: Reports, v: int) -> Flags:
        """Return which reports support a value."""
        raise NotImplementedError

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports support each of the values."""
        counts = [int(np.count_nonzero(self.supports(reports, v))) for v in values]
        return np.array(counts, dtype=np.int64)


@dataclass(frozen=True)
class SketchBitDecoder(_Rows):
    """A report is a row and one bit for each bucket, bit b in bit b % 64 of word 1 + b // 64."""

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports in which the bit of v's bucket is 1."""
        rows = np.minimum(reports[:, 0], len(self.table) - 1).astype(np.int64)
        bucket = self.table[rows, v]
        words = reports[np.arange(len(reports)), 1 + bucket // 64].astype(np.uint64)
        return np.asarray(words >> (bucket % 64).astype(np.uint64) & np.uint64(1) == 1)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports name an existing row and have no 1 from bit `buckets` on."""
        used = self.buckets - 64 * (reports.shape[1] - 2)
        known = reports[:, 0] < len(self.table)
        if used == 64:
            return np.asarray(known)
        return np.asarray(known & (reports[:, -1].astype(np.uint64) >> np.uint64(used) == 0))

    def every_report(self, most: int) -> Reports | None:
        """Return all rows with all bit vectors; the row changes slowest."""
        if self.buckets > 62 or len(self.table) << self.buckets > most:
            return None
        both = np.indices((len(self.table), 1 << self.buckets)).reshape(2, -1)
        return both.T.astype(np.uint64)

    def codes(self, reports: Reports) -> Codes:
        """The row, then the bits, as one number."""
        signed = reports.astype(np.int64)
        return (signed[:, 0] << self.buckets) + signed[:, 1]

    def mass(self, report: Any, x: int, one: Fraction, zero: Fraction) -> Fraction:
        """P(report | x) where the cells are P(1) of the bucket's bit and of another."""
        own, word = int(self.table[int(report[0]), x]), int(report[1])
        mass = Fraction(1, len(self.table))
        for bucket in range(self.buckets):
            chance = one if bucket == own else zero
            mass *= chance if word >> bucket & 1 else 1 - chance
        return mass


@dataclass(frozen=True)
class SketchSignDecoder(_Rows):
    """A report is 2 (row g + l) for the sign +1, one more for -1, g the number of buckets."""

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports whose sign is H[l, bucket of v]."""
        given = reports.astype(np.int64)
        rows = np.minimum(given // (2 * self.buckets), len(self.table) - 1)
        common = given // 2 % self.buckets & self.table[rows, v]
        return np.asarray(np.bitwise_count(common) % 2 == given % 2)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports are the index of an output."""
        return np.asarray(reports < 2 * self.buckets * len(self.table))

    def every_report(self, most: int) -> Reports | None:
        """Return the indices of all outputs."""
        outputs = 2 * self.buckets * len(self.table)
        return None if outputs > most else np.arange(outputs, dtype=np.uint64)

    def codes(self, reports: Reports) -> Codes:
        """The reports themselves."""
        return reports.astype(np.int64)
