"""Wrong influences of a report, and tests of a state that honest reports fail too often."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from ldp_verified.run.aggregate.honest import Honesty, HonestyCheck, honesty, of_coins, of_mean
from ldp_verified.run.aggregate.influence import Influence, influence_on_counts
from ldp_verified.run.aggregate.public_choices import bits_of
from ldp_verified.run.realize.designs.capped import CappedBits
from ldp_verified.run.realize.designs.pair_counts import PairCounts

if TYPE_CHECKING:
    from ldp_verified.run.aggregate import FrequencyOracle


def as_the_largest_honest_mean(oracle: FrequencyOracle, places: tuple[int, ...]) -> Influence:
    """A user who keeps to the table: on average one count rises by 1, and nothing falls."""
    del oracle, places
    return Influence(Fraction(0), Fraction(1))


def without_the_others(oracle: FrequencyOracle, places: tuple[int, ...]) -> Influence:
    """As if a report supported one of the values at most, which holds for GRR."""
    one = influence_on_counts(oracle, places[:1])
    return Influence(len(places) * one.least, one.most + (len(places) - 1) * one.least)


def as_the_smallest_of_all(oracle: Any, places: tuple[int, ...]) -> Influence:
    """The ends are confused."""
    right = influence_on_counts(oracle, places)
    return Influence(right.least, -right.least)


def one_tail_only(*arguments: Any) -> Honesty:
    """Both tails are looked at, and the p-value is that of one; of one value, though of all."""
    oracle, n, supports, _ = arguments
    p, q = float(oracle.p_star), float(oracle.q_star)
    low, high = binom.cdf(supports, n, q), binom.sf(supports - 1, n, p)
    return Honesty((HonestyCheck("one tail", float(np.minimum(low, high).min()), ""),))


def as_if_the_share_were_zero(*arguments: Any) -> Honesty:
    """Too many supports are those that hardly come if nobody holds the value."""
    oracle, n, supports, _ = arguments
    high = binom.sf(supports - 1, n, float(oracle.q_star))
    return Honesty((HonestyCheck("rare", min(1.0, len(supports) * float(high.min())), ""),))


class CappedWithoutCondition(CappedBits):
    """Reports with many ones are refused, and p* and q* are those of all reports."""

    @property
    def oracle(self) -> FrequencyOracle:
        """Of the mechanism."""
        return self.mechanism.oracle


def without_the_number_of_counts(*arguments: Any) -> HonestyCheck:
    """The smallest of several p-values stands for all of them."""
    right = of_coins(*arguments)
    return HonestyCheck(right.name, right.p_value / 4, right.found)


def one_sided_mean(*arguments: Any) -> HonestyCheck:
    """Hoeffding's bound with four times the distance."""
    right = of_mean(*arguments)
    return HonestyCheck(right.name, (right.p_value / 2) ** 16, right.found)


class PairsAsIfNobodyHeldThem(PairCounts):
    """The count of a pair is compared with q^2, which is its chance where nobody holds either."""

    def honesty(self) -> Honesty:
        """Of the pairs."""
        k, q = self.mechanism.k, float(self.mechanism.q)
        above = self.pairs[np.triu_indices(k, 1)]
        chance = np.array(q * q)
        return Honesty((of_coins("pairs", self.n, above, chance, chance),))


def as_if_none_were_fakes(*arguments: Any) -> Honesty:
    """Bits of reports that may be fakes, with the cells of true ones."""
    oracle, *rest = arguments
    one, zero = Fraction(9, 10), Fraction(1, 10)
    return honesty(replace(oracle, p_star=one, q_star=zero), *rest)


def as_if_no_bucket_were_own(*arguments: Any) -> Honesty:
    """Ones of the buckets of a sketch, as if none of them were that of a user's value."""
    oracle, _, _, counters = arguments
    ones, reports = oracle.layout.tables(counters)
    zero = np.array(bits_of(oracle.layout, oracle)[1])
    some = np.flatnonzero(reports)
    n = np.repeat(reports[some], oracle.layout.buckets)
    return Honesty((of_coins("ones", n, ones[some].ravel(), zero, zero, looks=ones.size),))
