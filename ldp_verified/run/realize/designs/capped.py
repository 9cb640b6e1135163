"""Reports of bits with a cap on the ones: reports with more are refused, and estimates stay right.

How many ones an honest report has does not depend on what its user holds. So refusing reports
with many ones drops users of all values alike, and p* and q* of the accepted ones are conditional
probabilities, exact here. A fake then supports as many values as the cap allows, not all k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.influence import Influence, influence_on_counts, labels_to_places
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.reports import Reports, batches_of, check_batch
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.aggregate.structured import CappedBitLayout
from ldp_verified.run.kernels.counts import ones
from ldp_verified.run.realize.designs.onehot import OneHotRandomizer
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.run.realize.values import Label

MOST_VALUES = 1 << 10
"""Exact binomial probabilities of more bits take long."""


@dataclass(frozen=True)
class CappedBits:
    """The server's side of one-hot bits when reports with too many ones are refused.

    Clients randomize as before, so epsilon is that of the mechanism. Estimates are of the users
    whose reports are accepted; they stand for all users in the proportion `acceptance`.

    Attributes:
        mechanism: with one bit per value, such as OUE, of at most 1024 values.
        most: reports with more ones are refused; 1..k.

    Raises:
        ParameterError: the mechanism has no such bits, or `most` is out of range.
    """

    mechanism: OneHotRandomizer
    most: int

    def __post_init__(self) -> None:
        """Check the form and the cap."""
        if not isinstance(self.mechanism, OneHotRandomizer):
            raise ParameterError("mechanism", "must have one-hot bits", type(self.mechanism))
        check_integer("k", self.mechanism.k, 2, MOST_VALUES)
        object.__setattr__(self, "most", check_integer("most", self.most, 1, self.mechanism.k))

    def _at_most(self, own: bool, others: int, limit: int) -> Fraction:
        """P(so many other bits, and the user's own one if `own`, have at most `limit` ones)."""
        p, q = self.mechanism.p, self.mechanism.q
        without = _binomial_cdf(others, q, limit)
        return p * _binomial_cdf(others, q, limit - 1) + (1 - p) * without if own else without

    @cached_property
    def acceptance(self) -> Fraction:
        """The chance that an honest report is accepted, whatever its user holds."""
        return self._at_most(True, self.mechanism.k - 1, self.most)

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Estimates from accepted reports: p* and q* given that a report is accepted."""
        made, k = self.mechanism, self.mechanism.k
        p = made.p * self._at_most(False, k - 1, self.most - 1) / self.acceptance
        q = made.q * self._at_most(True, k - 2, self.most - 1) / self.acceptance
        absent, held = (RoundedTable.variance_per_user(p, q, Fraction(f)) for f in (0, 1))
        plain = made.identity
        items = tuple(sorted((*plain.parameter_items, ("most_ones", self.most))))
        identity = replace(plain, mechanism=f"Capped{plain.mechanism}", parameter_items=items)
        layout = CappedBitLayout(k, self.most)
        return FrequencyOracle(
            *(identity, layout, p, q, absent, held), fresh=True, labels=made.oracle.labels
        )

    def accepted(self, reports: Reports) -> Reports:
        """The reports with at most so many ones, in their order; they belong to `oracle`.

        Raises:
            ReportError: they belong to another mechanism, or are malformed.
        """
        check_batch(self.mechanism.identity, reports)
        data = self.mechanism.layout.check(reports.data)
        kept = ones(data.astype(np.uint64, copy=False)) <= self.most
        return Reports(data[kept], self.oracle.identity, reports.simulated)

    def aggregate(self, reports: Reports | Iterable[Reports], simulated: bool = False) -> State:
        """Count the accepted ones of a batch, or of an iterable of batches.

        Args:
            reports: of the mechanism, as clients send them. simulated: whether they are.

        Raises:
            ReportError: as `accepted`; or not all are real or all simulated, as they should be.
        """
        state = State(self.oracle, simulated=simulated)
        for batch in batches_of(reports):
            state.update(self.accepted(batch))
        return state

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Bound what one accepted report adds to an estimated count of accepted users.

        Args and Raises: as `RoundedTable.influence`.
        """
        places = None if values is None else labels_to_places(values, self.mechanism.labels)
        return influence_on_counts(self.oracle, places)


def _binomial_cdf(n: int, chance: Fraction, limit: int) -> Fraction:
    """P(Bin(n, chance) <= limit), exactly."""
    if limit < 0:
        return Fraction(0)
    if limit >= n:
        return Fraction(1)
    unit, one = chance.denominator, chance.numerator
    powers = list(accumulate([unit - one] * n, lambda a, b: a * b, initial=1))
    total, raised = 0, 1
    for j in range(limit + 1):
        total += math.comb(n, j) * raised * powers[n - j]
        raised *= one
    return Fraction(total, unit**n)
