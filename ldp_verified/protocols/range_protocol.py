"""Clients, states and estimates that hierarchical histograms and wavelets have in common."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.protocols.every_part import check_every_part
from ldp_verified.protocols.one_report import OfNumbers, OnceClient
from ldp_verified.protocols.range_estimate import RangeEstimate
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer
from ldp_verified.run.realize.value_types import UserIntegers
from ldp_verified.run.realize.values import encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.tree_fit import TreeFit
    from ldp_verified.run.aggregate.tree_layout import TreeLayout
    from ldp_verified.run.aggregate.wavelet import WaveletFit, WaveletLayout
    from ldp_verified.run.realize.randomizer import Rng

MOST_VALUES = 1 << 24


class RangeProtocol(OfNumbers[UserIntegers]):
    """Protocols whose users report one sign on one level of a tree over the values.

    Attributes:
        epsilon: of one user's whole transcript. k: the number of values.
        law_sha256: of the law that the class runs.
    """

    epsilon: float
    k: int

    law_sha256: ClassVar[str]

    @property
    @abstractmethod
    def layout(self) -> TreeLayout | WaveletLayout:
        """The layout of the reports."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """The number of levels."""

    @property
    @abstractmethod
    def gain(self) -> Fraction:
        """P(the sign is right) less P(it is wrong), realized."""

    @abstractmethod
    def fit(self, users: NDArray[np.int64] | None = None) -> TreeFit | WaveletFit:
        """How estimates of the levels become shares of leaves, and the variances of these.

        Args:
            users: of each level, 1 or more; None for one user who is spread over the levels.
        """

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return (self.layout.counters - 1).bit_length()

    def node_variances(self, users: NDArray[np.int64] | None) -> tuple[Fraction, ...]:
        """Variances of the estimated share of a node of each level that nobody holds.

        Args:
            users: as for `fit`.
        """
        count, one = self.levels, 1 / self.gain**2
        numbers = [Fraction(1, count)] * count if users is None else map(Fraction, users.tolist())
        return tuple(one / number for number in numbers)

    def variance(self, n: int, first: int, last: int) -> float:
        """A bound for the variance of the estimated number of users with a value in first..last.

        With n users, spread evenly over the levels. No values make it larger; the variance is below
        it by is at most a share `gain`^2, where values stand in few nodes.

        Raises:
            ParameterError: n is not an integer >= 0, or these are no values in order.
        """
        users = check_integer("n", n, 0, LARGEST_N)
        start, end = self.ends(first, last)
        return users * float(self.fit().variance_of(np.array([start]), np.array([end]))[0])

    def mean_variance(self, n: int) -> float:
        """The mean of `variance` over all ranges of the 2^bits leaves.

        Raises:
            ParameterError: n is not an integer >= 0.
        """
        return check_integer("n", n, 0, LARGEST_N) * float(self.fit().mean_variance)

    def ends(self, first: object, last: object) -> tuple[int, int]:
        """The first value of a range, and the one after the last.

        Raises:
            ParameterError: these are no values in order.
        """
        start = check_integer("first", first, 0, self.k - 1)
        return start, check_integer("last", last, start, self.k - 1) + 1

    def client(self, rng: Rng = None, book: SpendingBook | None = None) -> RangeClient:
        """One user's side of the protocol."""
        return RangeClient(self, rng, book)

    def encode(self, values: UserIntegers) -> NDArray[np.int64]:
        """The values as int64, surely in range.

        Raises:
            DomainError: they are no integers in 0..k-1.
        """
        return encode(values, self.k, None).astype(np.int64)

    def estimate(self, state: State) -> RangeEstimate:
        """Estimate the counts of values and ranges.

        Raises:
            ParameterError: the state is of another protocol, or a level has no reports.
        """
        return self.estimate_or_blame(state, "state")

    def estimate_or_blame(self, state: State, argument: str) -> RangeEstimate:
        """Estimate as `estimate` does, with an error that blames what the caller's user gave.

        Args:
            state: of this protocol.
            argument: what the error names where a level has no reports.

        Returns:
            The estimate of counts of values and ranges.

        Raises:
            ParameterError: the state is of another protocol, or a level has no reports.
        """
        check_state(self.identity, state)
        users = self.layout.users(state.counts)
        check_every_part(users.tolist(), "level", range(self.levels), argument)
        fit, gain = self.fit(users), float(self.gain)
        parts = zip(self.layout.differences(state.counts), users.tolist(), strict=True)
        nodes = [found / (gain * number) for found, number in parts]
        return RangeEstimate(state.n, self.k, fit.fitted(nodes, 1.0), fit, state.honesty())


class RangeClient(OnceClient[RangeProtocol, Reports]):
    """One user's side of the protocol: it reports once. See `OnceClient`."""

    of = RangeProtocol

    def _checked(self, value: Any) -> NDArray[np.int64]:
        return self.protocol.encode([value])

    def _drawn(self, checked: NDArray[np.int64]) -> Reports:
        return self.protocol.drawn(checked, self._source)
