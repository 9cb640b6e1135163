"""Estimate without bias from a sketch with given rows, and price a day of reports.

The usual estimator of drawn rows is unbiased over their draw; for the rows at hand it is off by the
collisions that there happen to be. For known values the expected table of rows and buckets is a
linear map of their counts,

    E[t_jb] = sum over x of n_x [h_j(x) = b],

so a left inverse (least squares) is unbiased whatever the rows are, if the map has full rank. It
needs rows (buckets - 1) + 1 >= k, and is refused where the rank is not full.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flint import arb, nmod_mat
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.protocols.influenced import signed_sums
from ldp_verified.run.aggregate.computed import ComputedCounts, computed
from ldp_verified.run.aggregate.influence import Influence, labels_to_places
from ldp_verified.run.aggregate.population import of_counts
from ldp_verified.run.aggregate.sketch_oracles import BitSketchLayout, SignSketchLayout
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.realize.designs.sketch import SketchRandomizer
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.balls import ball, decide, upper_float

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.realize.values import Label

Floats = NDArray[np.float64]

PRIMES = (2_147_483_647, 2_147_483_629)
"""Full rank modulo a prime is full rank."""

MOST_VALUES = 2048
"""Values whose rank is determined and whose map is inverted here."""

WORST_CONDITION = 1e8
"""A map that loses more than this share of a double's digits is refused like one of less rank."""


@dataclass(frozen=True)
class FixedRows:
    """The estimator of a `CMS` or `HCMS` that is unbiased for its rows, drawn or not.

    Attributes:
        mechanism: the sketch.

    Raises:
        ParameterError: more than 2048 values, or the rows do not tell their counts apart.
    """

    mechanism: SketchRandomizer

    def __post_init__(self) -> None:
        """Determine the rank, exactly: modulo a prime, which can only lose some of it."""
        m = self.mechanism
        _check_sketch(m)
        if m.k > MOST_VALUES:
            raise ParameterError("k", f"must be at most {MOST_VALUES} here", m.k)
        most = m.height * (m.buckets - 1) + 1
        if most < m.k:
            rule = f"must be so many that rows (buckets - 1) + 1 = {most} is at least k = {m.k}"
            raise ParameterError("rows", rule, m.height)
        gram = self.collisions.tolist()
        if all(int(nmod_mat(gram, prime).rank()) < m.k for prime in PRIMES):
            rule = "must tell the counts of all values apart: the rank of these is not full"
            raise ParameterError("rows", rule, m.height)
        if np.linalg.cond(self.collisions) > WORST_CONDITION:
            rule = "must tell the counts of all values apart by more than rounding does"
            raise ParameterError("rows", rule, m.height)

    @cached_property
    def collisions(self) -> NDArray[np.int64]:
        """The number of rows in which two values share a bucket, int64 (k, k)."""
        layout = self.mechanism.layout
        found = np.zeros((layout.k, layout.k), dtype=np.int64)
        for buckets in layout.value_buckets():
            found += buckets[:, np.newaxis] == buckets
        return found

    @cached_property
    def _inverse(self) -> Floats:
        """(A^T A)^-1, float64 (k, k); A has a row for each row and bucket."""
        return np.asarray(np.linalg.inv(self.collisions.astype(np.float64)))

    @cached_property
    def variances(self) -> Floats:
        """[x, v]: variance of what one user with value x adds to the count of v, float64 (k, k)."""
        m, inverse = self.mechanism, self._inverse
        rows, size = m.height, np.diagonal(inverse)
        own = np.eye(m.k)
        if isinstance(m.layout, SignSketchLayout):
            turned = float(m.p - m.q) ** 2
            return np.asarray(np.broadcast_to(rows * size / turned, (m.k, m.k)) - own)
        one, zero = float(m.p * (1 - m.p)), float(m.q * (1 - m.q))
        spread = float(m.p - m.q) ** 2
        weights = np.zeros((m.k, m.k))
        # sum over rows of the squared weight of x's bucket for v
        for buckets in m.layout.value_buckets():
            table = np.zeros((m.buckets, m.k))
            np.add.at(table, buckets, inverse)
            weights += table[buckets] ** 2
        noise = rows * (zero * size + (one - zero) * weights) / spread
        return np.asarray(noise + rows * weights - own)

    def variances_of_each(self, weights: Floats) -> Floats:
        """The variance of what a user with each value adds to the sum of weights[v] counts[v].

        Args:
            weights: float64 (k,).
        """
        m, rows = self.mechanism, self.mechanism.height
        solved = self._inverse @ weights
        size, own = float(weights @ solved), weights**2
        spread = float(m.p - m.q) ** 2
        if isinstance(m.layout, SignSketchLayout):
            return np.asarray(rows * size / spread - own)
        one, zero = float(m.p * (1 - m.p)), float(m.q * (1 - m.q))
        squares = np.zeros(m.k)
        # sum over rows of the squared weight of x's bucket
        for buckets in m.layout.value_buckets():
            squares += np.bincount(buckets, solved, m.buckets)[buckets] ** 2
        noise = rows * (zero * size + (one - zero) * squares) / spread
        return np.asarray(noise + rows * squares - own)

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Return what one report, honest or not, can add to an estimated count: attained.

        Up to the rounding of doubles, by which the left inverse is found. A client that lies
        chooses its row and all bits, or its row, column and sign. The work is proportional to that
        of the rows, their buckets and, without `values`, k.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, the one of largest extremes.

        Raises:
            ParameterError: no such labels.
        """
        m, weights = self.mechanism, self._inverse
        if values is not None:
            wanted = labels_to_places(values, m.oracle.labels or range(m.k))
            weights = weights[list(wanted)].sum(axis=0, keepdims=True)
        scale, zero = m.height / float(m.p - m.q), float(m.q)
        least, most = 0.0, 0.0
        for buckets in m.layout.value_buckets():
            table = np.zeros((m.buckets, len(weights)))
            np.add.at(table, buckets, weights.T)
            if isinstance(m.layout, SignSketchLayout):
                reach = float(np.abs(signed_sums(np.ascontiguousarray(table.T))).max())
                low, high = -reach, reach
            else:
                unset, set_ = -zero * table, (1 - zero) * table
                low = float(np.minimum(unset, set_).sum(axis=0).min())
                high = float(np.maximum(unset, set_).sum(axis=0).max())
            least, most = min(least, scale * low), max(most, scale * high)
        return Influence(Fraction(least), Fraction(most))

    def estimate(self, state: State) -> Estimate:
        """Unbiased counts from what the server has seen.

        Standard errors are those of a population with the estimated counts, which are made to add
        up to n.

        Args:
            state: of this protocol, with reports.

        Raises:
            ReportError: the state is of another mechanism.
        """
        m, layout = self.mechanism, self.mechanism.layout
        check_kind("state", state, State, ReportError)
        difference = m.identity.difference(state.identity)
        if difference is not None:
            raise ReportError("state", f"is foreign: {difference}")
        labels = m.oracle.labels
        if state.n == 0:
            zeros = np.zeros(m.k)
            nothing = ComputedCounts(m.identity, zeros, zeros, np.zeros_like)
            return computed(nothing, 0, simulated=state.simulated, labels=labels)
        if isinstance(layout, BitSketchLayout):
            ones, reports = layout.tables(state.counts.copy())
            table = (ones - float(m.q) * reports[:, np.newaxis]) / float(m.p - m.q)
        else:
            table = layout.transformed(state.counts.copy()) / float(m.p - m.q)
        total = np.zeros(m.k)
        for row, buckets in zip(table, layout.value_buckets(), strict=True):
            total += row[buckets]
        counts = self._inverse @ (m.height * total)
        oracle = ComputedCounts(
            m.identity,
            counts,
            of_counts(counts / state.n, np.maximum(self.variances, 0.0)),
            self.variances_of_each,
            honesty=state.honesty(),
        )
        return computed(oracle, state.n, simulated=state.simulated, labels=labels)

    def bias(self, counts: NDArray[np.int64]) -> Floats:
        """The error of the usual estimator on average over reports, if `counts` are the true ones.

        Args:
            counts: users of each value, shape (k,).

        Returns:
            Expected estimate less the truth, float64 (k,).
        """
        m = self.mechanism
        excess = self.collisions / m.height - 1 / m.buckets
        np.fill_diagonal(excess, 0.0)
        return np.asarray(excess @ counts * m.buckets / (m.buckets - 1))


def _check_sketch(mechanism: object) -> None:
    check_kind("mechanism", mechanism, SketchRandomizer)


def day_epsilon(mechanism: SketchRandomizer, reports: int) -> float:
    """Epsilon of so many reports of one user in a day, rounded up: each adds its own.

    Reports are independent given the values (theorem `compose_ldp`, `proofs/lib/Combine.v`). It is
    reached where all of them are about one value: then nothing smaller holds. What a server may
    learn over several days adds up in the same way; the count of reports has to be public or fixed.

    Args:
        mechanism: the sketch; its realized epsilon is what is added.
        reports: how many, at least 1. Up to 16 a day at epsilon 1 or 2 are known of deployments.

    Raises:
        ParameterError: `reports` is no such number.
    """
    _check_sketch(mechanism)
    times = check_integer("reports", reports, 1, 1 << 20)
    ratio: Fraction = mechanism.worst_ratio(mechanism.p, mechanism.q)

    def total() -> arb:
        return times * ball(ratio).log()

    return decide(lambda: upper_float(total()))
