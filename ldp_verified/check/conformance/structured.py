"""Read which values are supported by raw reports: subsets, columns, signs, points and cohorts.

Written from the documented layouts, with none of the server's code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_verified.language.structures import (
    HadamardBlocks,
    HadamardSigns,
    Hyperplanes,
    LinearBlocks,
    Subsets,
)

Reports = NDArray[np.unsignedinteger[Any]]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class SubsetDecoder:
    """A report is a set of omega values as k packed bits, bit v in bit v % 64 of word v // 64.

    Attributes:
        k: the number of values.
        omega: the size of every set.
    """

    k: int
    omega: int

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports whose bit v is 1."""
        return np.asarray(reports[:, v // 64].astype(np.uint64) >> np.uint64(v % 64) & 1 == 1)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports are sets of exactly omega values of the domain."""
        inside = np.zeros(len(reports), dtype=np.int64)
        for v in range(self.k):
            inside += self.supports(reports, v)
        everything = np.bitwise_count(reports.astype(np.uint64)).sum(axis=1, dtype=np.int64)
        return np.asarray((inside == self.omega) & (everything == self.omega))

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports have each of the values."""
        counts = [int(np.count_nonzero(self.supports(reports, v))) for v in values]
        return np.array(counts, dtype=np.int64)

    def every_report(self, most: int) -> Reports | None:
        """Return all sets as ascending numbers; None if they are too many or exceed one word."""
        numbers = []
        for chosen in combinations(range(self.k), self.omega):
            numbers.append(sum(1 << v for v in chosen))
            if len(numbers) > most or self.k > 62:
                return None
        return np.array(sorted(numbers), dtype=np.uint64)[:, np.newaxis]

    def codes(self, reports: Reports) -> Codes:
        """The position of each set among all, -1 for what is none of them."""
        everything = self.every_report(1 << 20)
        assert everything is not None
        known = everything[:, 0].astype(np.int64)
        given = reports[:, 0].astype(np.int64)
        places = np.minimum(np.searchsorted(known, given), len(known) - 1)
        return np.where(known[places] == given, places, -1)


@dataclass(frozen=True)
class IndexDecoder:
    """A report is the index of an output.

    Attributes:
        outputs: the number of outputs.
        holds: which of some reports support a value.
    """

    outputs: int
    holds: Callable[[Codes, int], Flags]

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports whose block holds v."""
        return self.holds(reports.astype(np.int64), v)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports are the index of an output."""
        return np.asarray(reports < self.outputs)

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports support each of the values."""
        counts = [int(np.count_nonzero(self.supports(reports, v))) for v in values]
        return np.array(counts, dtype=np.int64)

    def every_report(self, most: int) -> Reports | None:
        """Return the indices of all outputs."""
        return None if self.outputs > most else np.arange(self.outputs, dtype=np.uint64)

    def codes(self, reports: Reports) -> Codes:
        """The reports themselves."""
        return reports.astype(np.int64)


def structured_decoder(
    structure: Subsets | HadamardBlocks | HadamardSigns | Hyperplanes | LinearBlocks,
    sizes: Mapping[str, int],
) -> SubsetDecoder | IndexDecoder:
    """The decoder for the reports of a structure of these sizes."""
    k = sizes["k"]
    if isinstance(structure, Subsets):
        return SubsetDecoder(k, sizes["omega"])
    if isinstance(structure, HadamardBlocks):
        order = _least_power(2, k + 1)
        return IndexDecoder(order, lambda y, v: np.bitwise_count(y & (v + 1)) % 2 == 0)
    if isinstance(structure, HadamardSigns):
        order = _least_power(2, k)
        return IndexDecoder(2 * order, lambda y, v: np.bitwise_count(y // 2 & v) % 2 == y % 2)
    if isinstance(structure, LinearBlocks):
        g = sizes["g"]
        functions = _least_power(g, k)
        return IndexDecoder(functions * g, lambda y, v: _inner(y // g, v, g) == y % g)
    q = sizes["prime"]
    t = 2
    while (q**t - 1) // (q - 1) < k:
        t += 1

    def orthogonal(y: Codes, v: int) -> Flags:
        return np.asarray(_inner(_vector(y, q, t), int(_vector(np.array([v]), q, t)[0]), q) == 0)

    return IndexDecoder((q**t - 1) // (q - 1), orthogonal)


def _least_power(base: int, least: int) -> int:
    power = base
    while power < least:
        power *= base
    return power


def _inner(vectors: Codes, other: int, base: int) -> Codes:
    """Inner products of vectors of base-`base` digits with one of them."""
    total = np.zeros(len(vectors), dtype=np.int64)
    while other:
        total += vectors % base * (other % base)
        vectors, other = vectors // base, other // base
    return total % base


def _vector(points: Codes, q: int, t: int) -> Codes:
    """The numbers of the vectors of points: a 1, then as many digits as the index tells."""
    numbers = np.ones(len(points), dtype=np.int64)
    first = 1
    for digits in range(1, t):
        later = points >= first
        numbers = np.where(later, q**digits + points - first, numbers)
        first += q**digits
    return numbers
