"""Layouts of reports that name an output of a structure: subsets, columns, points, hash cohorts.

But for subsets, reports are counted by output, and an exact transform turns the counts into the
supports of all values at once. The work for n reports and k values is n plus about K log K, not n
k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.layouts import BitLayout, IndexedSupport, Unsigned, unless_sum
from ldp_verified.run.kernels import cohorts, hadamard, hyperplanes
from ldp_verified.run.kernels.counts import ones
from ldp_verified.run.kernels.orthogonal import orthogonal_sums
from ldp_verified.run.kernels.transform import inner_product_sums, inner_products, walsh_hadamard

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


CELLS = 1 << 20
"""Inner products held at a time."""


def _in_parts(
    values: NDArray[np.int64],
    others: int,
    sums: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """`sums` of all values, a few at a time, each of which meets so many others."""
    step = max(1, CELLS // others)
    parts = [sums(values[start : start + step]) for start in range(0, len(values), step)]
    return np.concatenate(parts)


@dataclass(frozen=True)
class SubsetLayout(BitLayout):
    """A report is a set of omega values as k packed bits, and supports them.

    Attributes:
        k: the number of values.
        omega: the size of every set.
    """

    omega: int

    def check(self, data: object) -> Unsigned:
        """Check reports: only uint64 is taken.

        Raises:
            ReportError: not a uint64 array of shape (n, ceil(k/64)), a padding bit is set, or a set
                is not of omega values.
        """
        array = super().check(data)
        if np.any(ones(array.astype(np.uint64, copy=False)) != self.omega):
            raise ReportError("reports", f"must be sets of {self.omega} values each")
        return array

    def impossible(self, n: int, counters: NDArray[np.int64]) -> str | None:
        """Say why no reports add up to these counters: every report supports omega values."""
        return unless_sum(n * self.omega, counters)


@dataclass(frozen=True)
class CappedBitLayout(BitLayout):
    """A report is k packed bits of which at most `most` are 1, and supports their values.

    Attributes:
        k: the number of values.
        most: reports with more ones are refused.
    """

    most: int

    def check(self, data: object) -> Unsigned:
        """Check reports: only uint64 is taken.

        Raises:
            ReportError: as `BitLayout.check`, or a report has too many ones.
        """
        array = super().check(data)
        if np.any(ones(array.astype(np.uint64, copy=False)) > self.most):
            raise ReportError("reports", f"must have at most {self.most} ones each")
        return array

    def impossible(self, n: int, counters: NDArray[np.int64]) -> str | None:
        """Say why no reports add up to these counters: a report supports at most `most` values."""
        if int(counters.sum()) > n * self.most:
            return f"must be at most {n * self.most} in all, not {int(counters.sum())}"
        return None


@dataclass(frozen=True)
class ColumnLayout(IndexedSupport):
    """A report is a column y of Sylvester's matrix H; it supports v where H[v + 1, y] = +1.

    Attributes:
        k: the number of values.
    """

    k: int

    @property
    def counters(self) -> int:
        """K, the smallest power of two above k."""
        return hadamard.column_order(self.k)

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""
        row = data.dtype.type(value + 1)
        return np.asarray(np.bitwise_count(data & row) & 1 == 0)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Support counts: +1 less -1 are the transform, both together are all reports."""
        differences = walsh_hadamard(counters)[1 : self.k + 1]
        return np.asarray((differences + counters.sum()) // 2)

    def held(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """H is symmetric: the same transform, with the weights at the rows of the values."""
        rows = np.zeros(self.counters, dtype=np.int64)
        rows[1 : self.k + 1] = weights
        return np.asarray((walsh_hadamard(rows) + weights.sum()) // 2)


@dataclass(frozen=True)
class SignLayout(IndexedSupport):
    """A report is a column j of H and a sign, as 2 j for +1 and 2 j + 1 for -1.

    It supports v where H[v, j] is that sign.

    Attributes:
        k: the number of values.
    """

    k: int

    @property
    def counters(self) -> int:
        """Two signs for each of the columns, whose number is the smallest power of two >= k."""
        return 2 * hadamard.sign_order(self.k)

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""
        row = data.dtype.type(value)
        return np.asarray(np.bitwise_count(data >> 1 & row) & 1 == data & 1)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Support counts: equal less unequal signs are the transform of +1 less -1, both all."""
        differences = walsh_hadamard(counters[0::2] - counters[1::2])[: self.k]
        return np.asarray((differences + counters.sum()) // 2)


@dataclass(frozen=True)
class PointLayout(IndexedSupport):
    """A report is a point of a projective space over Z_q; it supports the points orthogonal to it.

    Attributes:
        k: the number of values, the first k points.
        prime: q.
    """

    k: int
    prime: int

    @property
    def dimension(self) -> int:
        """Digits of a vector."""
        return hyperplanes.dimension(self.k, self.prime)

    @property
    def counters(self) -> int:
        """The number of counters, one for each point of the space."""
        return hyperplanes.points(self.prime, self.dimension)

    def vectors(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """The vectors of points, as numbers in base q."""
        first = np.array([hyperplanes.points(self.prime, m) for m in range(self.dimension)])
        powers = self.prime ** np.arange(self.dimension)
        digits = np.searchsorted(first, points, side="right") - 1
        return np.asarray(powers[digits] + points - first[digits])

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""
        (row,) = inner_products(
            self.vectors(np.array([value])), self.vectors(data.astype(np.int64)), self.prime
        )
        return np.asarray(row == 0)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sums over points with inner product 0, or all at once where there are many values."""
        q, values = self.prime, self.vectors(np.arange(self.k))
        if self.k * self.counters < q**self.dimension * self.dimension:
            points = self.vectors(np.arange(self.counters))

            def sums(some: NDArray[np.int64]) -> NDArray[np.int64]:
                return np.asarray((inner_products(some, points, q) == 0) @ counters)

            return _in_parts(values, len(points), sums)
        return orthogonal_sums(np.asarray(counters, dtype=np.int64), q)[: self.k]

    def held(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sums of weights, as in `supports` with values as points: orthogonal goes both ways."""
        q, points = self.prime, self.vectors(np.arange(self.counters))
        values = np.flatnonzero(weights)
        if len(values) * self.counters < q**self.dimension * self.dimension:
            found = np.zeros(self.counters, dtype=np.int64)
            step = max(1, CELLS // self.counters)
            for start in range(0, len(values), step):
                some = values[start : start + step]
                found += weights[some] @ (inner_products(self.vectors(some), points, q) == 0)
            return found
        placed = np.zeros(self.counters, dtype=np.int64)
        placed[values] = weights[values]
        return orthogonal_sums(placed, q)


@dataclass(frozen=True)
class CohortLayout(IndexedSupport):
    """A report is a g + b, a function a and a bucket b; it supports v where <a, v> = b mod g.

    Attributes:
        k: the number of values.
        g: the number of buckets, a prime.
    """

    k: int
    g: int

    @property
    def counters(self) -> int:
        """g buckets for each of g^m functions."""
        return int(self.g ** (cohorts.coordinates(self.k, self.g) + 1))

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""
        functions, buckets = np.divmod(data.astype(np.int64), self.g)
        (row,) = inner_products(np.array([value]), functions, self.g)
        return np.asarray(row == buckets)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sums over functions, each at the bucket of the value; all at once for many values."""
        table = counters.reshape(-1, self.g).T
        functions = np.arange(table.shape[1])
        if self.k < self.g**2:
            return _in_parts(
                np.arange(self.k),
                len(functions),
                lambda some: table[inner_products(some, functions, self.g), functions].sum(axis=1),
            )
        return inner_product_sums(table, self.g)[: self.k]

    def held(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Supports of the values in the table, as `supports` gives them, once for each bucket."""
        functions = self.g ** cohorts.coordinates(self.k, self.g)
        if np.count_nonzero(weights) < self.g**2:
            return super().held(weights)
        table = np.zeros((self.g, functions), dtype=np.int64)
        found = np.empty((functions, self.g), dtype=np.int64)
        for bucket in range(self.g):
            table[:] = 0
            table[bucket, : self.k] = weights
            found[:, bucket] = inner_product_sums(table, self.g)
        return found.reshape(-1)
