"""Pairs of ones in reports of one-hot bits, and how many ones each report has: a state of tests.

A frequency oracle's state holds how many reports have each bit. It does not hold which bits are 1
together. Let x_a and x_b be two bits of an honest report. They are independent, and at most one of
them is the user's own. So (x_a - q)(x_b - q) has the mean 0, whatever the user holds. Its sum over
reports is known from the counts. Reports that name several values of somebody's choice raise it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, HonestyCheck, of_coins
from ldp_verified.run.aggregate.reports import Reports, batches_of, check_batch
from ldp_verified.run.aggregate.shared import InPlace
from ldp_verified.run.kernels.counts import unpacked
from ldp_verified.run.realize.designs.capped import CappedBits
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.realize.designs.onehot import OneHotRandomizer

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

AT_ONCE = 1 << 13
"""Reports whose bits are unpacked at a time."""

RARE = 1e-9
"""Numbers of ones that honest reports have as rarely are not looked at, as floats end there."""


@dataclass(frozen=True, eq=False)
class PairCounts(InPlace):
    """Counts of pairs and of numbers of ones; a commutative monoid under `merge`.

    Attributes:
        mechanism: with one bit per value, of at most 1024 values.
        n: reports. pairs: how many have both bits, int64 (k, k); each bit on the diagonal.
        sizes: how many have 0, 1, ..., k ones, int64 (k + 1,).
    """

    mechanism: OneHotRandomizer
    n: int
    pairs: Integers
    sizes: Integers

    def __post_init__(self) -> None:
        """Refuse counts that no reports have.

        Raises:
            ParameterError: they are such ones, or the mechanism has no such bits.
        """
        k = CappedBits(self.mechanism, 1).mechanism.k
        n = check_integer("n", self.n, 0, LARGEST_N)
        for name, shape in (("pairs", (k, k)), ("sizes", (k + 1,))):
            array = getattr(self, name)
            right = isinstance(array, np.ndarray) and array.dtype == np.int64
            if not right or array.shape != shape or array.min() < 0 or array.max() > n:
                raise ParameterError(name, f"must be int64 of shape {shape}, within 0..{n}")
        if self.sizes.sum() != n:
            raise ParameterError("sizes", f"must add up to {n}", int(self.sizes.sum()))

    @classmethod
    def of(
        cls, mechanism: OneHotRandomizer, reports: Reports | Iterable[Reports] = ()
    ) -> PairCounts:
        """Count a batch, or an iterable of batches.

        Args:
            mechanism: whose reports these are. reports: as clients send them.

        Raises:
            ParameterError: the mechanism has no such bits, or too many of them.
            ReportError: reports of another mechanism, or malformed ones.
        """
        k = CappedBits(mechanism, 1).mechanism.k  # which refuses what has no such bits
        state = cls(mechanism, 0, np.zeros((k, k), np.int64), np.zeros(k + 1, np.int64))
        for batch in batches_of(reports):
            state = state.update(batch)
        return state

    def update(self, reports: Reports) -> PairCounts:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

        Raises:
            ReportError: reports of another mechanism, or malformed ones.
        """
        check_batch(self.mechanism.identity, reports)
        data, k = self.mechanism.layout.check(reports.data), self.mechanism.k
        pairs, sizes = np.zeros_like(self.pairs), np.zeros_like(self.sizes)
        for start in range(0, len(data), AT_ONCE):
            bits = unpacked(data[start : start + AT_ONCE].astype(np.uint64, copy=False), k)
            # Sums of fewer than 2^24 ones are exact in single precision.
            single = bits.astype(np.float32)
            pairs += (single.T @ single).astype(np.int64)
            sizes += np.bincount(bits.sum(axis=1), minlength=k + 1)
        return self._become(lambda now: now._with(len(data), pairs, sizes))

    def merge(self, other: PairCounts) -> PairCounts:
        """The state that has seen what both have.

        Args:
            other: a state of the same deployment.

        Raises:
            ReportError: it is of another mechanism, or no such state.
        """
        if not isinstance(other, PairCounts):
            raise ReportError("other", "must be a PairCounts", type(other))
        difference = self.mechanism.identity.difference(other.mechanism.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        return self._with(other.n, other.pairs, other.sizes)

    def _with(self, n: int, pairs: Integers, sizes: Integers) -> PairCounts:
        """A new state with so many reports more."""
        both = self.pairs + pairs, self.sizes + sizes
        return PairCounts(self.mechanism, self.n + n, *both)

    def honesty(self) -> Honesty:
        """Test whether honest reports have such pairs and so many ones, whatever users hold."""
        if self.n == 0:
            return UNTESTED
        return Honesty((self._of_pairs(), *self._of_sizes()))

    def beside(self, estimate: Estimate) -> Estimate:
        """The estimate from the same reports, with these tests among its own.

        Raises:
            ParameterError: it is none, of another mechanism or of other reports.
        """
        check_kind("estimate", estimate, Estimate)
        difference = self.mechanism.identity.difference(estimate.oracle.identity)
        if difference is not None:
            raise ParameterError("estimate", f"must be of the same mechanism: {difference}")
        ones = np.diagonal(self.pairs)
        if estimate.n != self.n or not np.array_equal(estimate.support_counts, ones):
            raise ParameterError("estimate", "must be from the same reports", estimate.n)
        return replace(estimate, further=self.honesty().checks)

    def _of_sizes(self) -> tuple[HonestyCheck, ...]:
        """Reports with at most c ones, for each c: coins of a chance that is known exactly."""
        chances = at_most(self.mechanism)
        some = (chances > RARE) & (chances < 1 - RARE)
        if not some.any():
            return ()
        below, chances = np.cumsum(self.sizes)[:-1][some], chances[some]
        return (of_coins("ones of a report", self.n, below, chances, chances),)

    def _of_pairs(self) -> HonestyCheck:
        """The largest centred sum of a pair, by Bennett's inequality.

        G. Bennett (1962), "Probability Inequalities for the Sum of Independent Random Variables".
        """
        n, k = self.n, self.mechanism.k
        p, q = float(self.mechanism.p), float(self.mechanism.q)
        ones = np.diagonal(self.pairs)
        sums = self.pairs - q * (ones[:, np.newaxis] + ones) + n * q * q
        sums[np.diag_indices(k)] = 0.0
        own = p * (1 - p) + (p - q) ** 2
        variance = max(q * (1 - q), own) * q * (1 - q)
        most, least = float(sums.max()), float(-sums.min())
        logarithm = min(
            _bennett(most, n * variance, max(q, 1 - q) ** 2),
            _bennett(least, n * variance, q * (1 - q)),
        )
        a, b = np.unravel_index(int(sums.argmax() if most >= least else sums.argmin()), sums.shape)
        said = f"{max(most, least):,.4g} beyond the mean for {a} and {b}"
        said += f"; standard error at most {math.sqrt(n * variance):,.4g}"
        return HonestyCheck("pairs of ones", min(1.0, k * (k - 1) * math.exp(logarithm)), said)


def at_most(mechanism: OneHotRandomizer) -> Floats:
    """The chance that a report has at most 0, ..., k - 1 ones, float64 (k,), whoever sends it."""
    p, q, others = float(mechanism.p), float(mechanism.q), mechanism.k - 1
    logs = [
        math.lgamma(others + 1) - math.lgamma(j + 1) - math.lgamma(others - j + 1)
        for j in range(others + 1)
    ]
    places = np.arange(others + 1)
    one = np.exp(np.array(logs) + places * math.log(q) + (others - places) * math.log1p(-q))
    sizes = (1 - p) * one
    sizes[1:] += p * one[:-1]
    return np.cumsum(sizes)


def _bennett(far: float, variance: float, reach: float) -> float:
    """The logarithm of a bound for the chance that a sum of centred terms is so far above 0.

    Args:
        far: how far. variance: of the sum, at most. reach: of a term above 0, at most.
    """
    if far <= 0:
        return 0.0
    ratio = reach * far / variance
    return -variance / reach**2 * ((1 + ratio) * math.log1p(ratio) - ratio)
