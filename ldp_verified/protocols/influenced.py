"""The influence of one report of a protocol: kept answers, sets, tuples, pairs, groups, trees.

A server estimates from the reports that it gets, and does not see how a client made them. So what
counts is the estimator of one report: the extremes of its weights, as for a mechanism without
memory. A client that lies sends the report of largest weight, in each period anew if it likes.
Where honest users draw what they report on, it chooses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.influence import (
    Influence,
    influence_on_counts,
    labels_to_places,
    supported,
)
from ldp_verified.run.aggregate.listed import check_codes_once, check_each_once
from ldp_verified.run.aggregate.oracle import OfValues
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.scalars import is_iterable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import FrequencyOracle, Oracle
    from ldp_verified.run.aggregate.tree_fit import TreeFit
    from ldp_verified.run.aggregate.tree_layout import TreeLayout
    from ldp_verified.run.mechanisms import GRR
    from ldp_verified.run.realize.values import Label


class OfReports(OfValues, ABC):
    """The influence of one report of a protocol whose server counts values by an oracle."""

    k: int

    @property
    @abstractmethod
    def oracle(self) -> Oracle:
        """The oracle that turns the server's counters into estimates."""

    @property
    def _given_labels(self) -> tuple[Label, ...] | None:
        """The labels, in order; None where values are 0..k-1."""
        return None

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Bound what one report, honest or not, adds to an estimated count: exact, and attained.

        Where users report in several periods, it is of one; a client that lies in m periods moves
        the estimate of each by so much.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, whichever.

        Raises:
            ParameterError: no such labels.
        """
        labels = self._given_labels or range(self.k)
        places = None if values is None else labels_to_places(values, labels)
        return influence_on_counts(self.oracle, places)


class OfTuples(ABC):
    """The influence of what one user sends on a tuple of attributes."""

    @property
    @abstractmethod
    def ks(self) -> tuple[int, ...]:
        """The number of values of each attribute."""

    @abstractmethod
    def oracle_of(self, attribute: int) -> Oracle:
        """The oracle of the reports on an attribute.

        Args:
            attribute: its place, from 0.
        """

    @property
    def asked(self) -> Fraction:
        """The chance that an honest user reports on an attribute."""
        return Fraction(1)

    def influence(self, attribute: int, values: Iterable[Label] | None = None) -> Influence:
        """Return what one user can add to the estimated count of a value of an attribute: attained.

        Where an honest user draws which attribute to report on, a client that lies chooses: its
        weight counts for all whom the draw would have sent elsewhere, or it adds nothing.

        Args:
            attribute: its number. values: of the attribute, by their labels where it has some, each
                once: the count is of users who hold one of them. None for the count of one value,
                whichever.

        Raises:
            ParameterError: no such attribute or values.
        """
        j = check_integer("attribute", attribute, 0, len(self.ks) - 1)
        labels, oracle = self.oracle_of(j).labels, self.oracle_of(j)
        if values is None:
            places = None
        elif labels is None:
            places = places_of(values, self.ks[j])
        else:
            places = labels_to_places(values, labels)
        found = influence_on_counts(oracle, places)
        if self.asked == 1:
            return found
        least, most = found.least / self.asked, found.most / self.asked
        return Influence(min(least, Fraction(0)), max(most, Fraction(0)))


class OfPairs(ABC):
    """The influence of one report of keys with numbers."""

    k: int
    bounds: tuple[float, float]

    @property
    @abstractmethod
    def oracle(self) -> FrequencyOracle:
        """The oracle of signed keys: 2 j and 2 j + 1 are key j with - and with +."""

    def influence(self, keys: Iterable[int] | None = None) -> Influence:
        """Return what one report, honest or not, can add to an estimated number of users: attained.

        Args:
            keys: each once: of the numbers of users with each of them, the sum. None for one key.

        Raises:
            ParameterError: no such keys.
        """
        wanted = (0,) if keys is None else places_of(keys, self.k, "keys")
        return influence_on_counts(self.oracle, tuple(2 * j + s for j in wanted for s in (0, 1)))

    def influence_on_sum(self) -> Influence:
        """Return what one report can add to the estimated sum of the numbers of one key: attained.

        In the users' units. The mean of a key is this sum over the count of the key, both estimated
        and both moved, so a few reports may take it anywhere within the bounds where few hold the
        key.
        """
        oracle = self.oracle
        both = supported(oracle.layout, (0, 1))[1] == 2
        spread = oracle.p_star - oracle.q_star
        absent, present = -oracle.q_star / spread, (1 - oracle.q_star) / spread
        low, high = (Fraction(end) for end in self.bounds)
        pairs = [(absent, absent), (present, absent), (absent, present)]
        pairs += [(present, present)] * both
        added = [minus * low + plus * high for minus, plus in pairs]
        return Influence(min(added), max(added))


class OfGroups(ABC):
    """The influence of what one user sends in a protocol that finds values, and then counts them.

    It is on the counts that the protocol gives, not on which values it finds.
    """

    @property
    @abstractmethod
    def buckets(self) -> int:
        """The number of buckets."""

    @property
    @abstractmethod
    def counting(self) -> Fraction:
        """The chance that what an honest user sends counts values, and does not only find them."""

    @property
    @abstractmethod
    def _randomizer(self) -> GRR:
        """The response on the bucket."""

    @abstractmethod
    def encode(self, values: object, argument: str = "values") -> NDArray[np.uint64]:
        """Values as uint64 (n, 2)."""

    def _supported(self, encoded: NDArray[np.uint64]) -> tuple[int, int]:
        """The fewest and the most of some values that one counting report supports.

        The function of the seed 0 sends every value to bucket 0, where the report is or is not.
        """
        return 0, len(encoded)

    def _weights(self, number: int, fewest: int, most: int) -> tuple[Fraction, Fraction]:
        share = Fraction(1, self.buckets)
        gain = self._randomizer.p - share
        return (fewest - number * share) / gain, (most - number * share) / gain

    def influence(self, values: object = None) -> Influence:
        """Return what one user, honest or not, can add to an estimated count: exact, and attained.

        A user who lies is in the group that counts, where its report counts for all whom the draw
        of groups sent elsewhere; groups are taken at their expected sizes.

        Args:
            values: several of the domain, each once: the count is of users who hold one of them.
                None for the count of one value, whichever.

        Raises:
            DomainError: one is none of the domain. ParameterError: there are none, or one is there
                twice.
        """
        number, fewest, most = 1, 0, 1
        if values is not None:
            encoded = self.encode(values)
            number = len(encoded)
            check_codes_once(encoded)
            fewest, most = self._supported(encoded)
        chance = self.counting
        least, largest = (end / chance for end in self._weights(number, fewest, most))
        if chance == 1:
            return Influence(least, largest)
        return Influence(min(least, Fraction(0)), max(largest, Fraction(0)))


class OfRanges(ABC):
    """The influence of one report on a tree of ranges, which is fitted to all levels."""

    @property
    @abstractmethod
    def layout(self) -> TreeLayout:
        """The layout of the reports."""

    @property
    @abstractmethod
    def gain(self) -> Fraction:
        """P(the sign is right) less P(it is wrong)."""

    @abstractmethod
    def fit(self) -> TreeFit:
        """Least squares where users are spread over the levels."""

    @abstractmethod
    def ends(self, first: object, last: object) -> tuple[int, int]:
        """The first value of a range, and the one after the last."""

    def influence(self, first: int | None = None, last: int | None = None) -> Influence:
        """Return what one report can add to the estimated number of users of a range: attained.

        Up to the rounding of doubles, and where each level has as many reports. A client that lies
        chooses the level, the column and the sign.

        Args:
            first, last: values in order, both included; None for the count of one value.

        Raises:
            ParameterError: these are no values in order.
        """
        start, past = (0, 1) if first is None and last is None else self.ends(first, last)
        fit, layout = self.fit(), self.layout
        inside = np.zeros(fit.leaves)
        inside[start:past] = 1.0
        spread = fit.times(inside)
        most = 0.0
        for bits, variance in zip(layout.bits, fit.variances, strict=True):
            # What each node of the level adds to the fitted range, and the sum of its signs.
            nodes = spread.reshape(1 << bits, -1).sum(axis=1) / float(variance)
            most = max(most, float(np.abs(signed_sums(nodes)).max()))
        reach = Fraction(most) * len(layout.bits) / self.gain
        # Without any report every leaf has the same share.
        even = Fraction(past - start, fit.leaves)
        return Influence(even - reach, even + reach)


def signed_sums(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sylvester's matrix times rows of floats, (..., m), where m is a power of two."""
    found, half = numbers.copy(), 1
    while half < numbers.shape[-1]:
        pairs = found.reshape(-1, 2, half)
        found = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
        half *= 2
    return found.reshape(numbers.shape)


def places_of(values: Iterable[Label], size: int, argument: str = "values") -> tuple[int, ...]:
    """Several numbers in 0..size-1, each once.

    Raises:
        ParameterError: they are none; the error calls them `argument`.
    """
    if not is_iterable(values):
        raise ParameterError(argument, f"must be integers in 0..{size - 1}", type(values))
    places = tuple(check_integer(argument, value, 0, size - 1) for value in values)
    if not places:
        raise ParameterError(argument, "must be one or more", 0)
    check_each_once(places, argument)
    return places
