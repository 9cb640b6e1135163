"""What hierarchical histograms and wavelets of ordered values share: clients, states, estimates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.range_estimate import RangeEstimate
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer
from ldp_verified.run.realize.values import encode

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import Oracle
    from ldp_verified.run.aggregate.tree_fit import TreeFit
    from ldp_verified.run.aggregate.tree_layout import TreeLayout
    from ldp_verified.run.aggregate.wavelet import WaveletFit, WaveletLayout
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng

MOST_VALUES = 1 << 24


class RangeProtocol(ABC):
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

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""

    @property
    @abstractmethod
    def oracle(self) -> Oracle:
        """The oracle of a state's own estimates."""

    @abstractmethod
    def fit(self, users: NDArray[np.int64] | None = None) -> TreeFit | WaveletFit:
        """How estimates of the levels become shares of leaves, and the variances of these.

        Args:
            users: of each level, 1 or more; None for one user who is spread over the levels.
        """

    @abstractmethod
    def drawn(self, values: NDArray[np.int64], source: WordSource) -> Reports:
        """The reports of values that were checked."""

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

    def encode(self, values: Any) -> NDArray[np.int64]:
        """The values as int64, surely in range.

        Raises:
            DomainError: they are no integers in 0..k-1.
        """
        return encode(values, self.k, None).astype(np.int64)

    def privatize(self, values: Any, rng: Rng = None) -> Reports:
        """One report for each of several users.

        Args:
            values: integers in 0..k-1, shape (n,).
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: other values; nothing is drawn then. ParameterError: a bad `rng`.
        """
        encoded = self.encode(values)
        return self.drawn(encoded, word_source(rng, "privatize", *self.identity.named))

    def reports(self, data: object, *, simulated: bool) -> Reports:
        """Reports of this protocol that somebody else has, such as a server, as an array.

        Args:
            data: in the layout of the protocol. simulated: whether they were drawn from a seed.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        check_kind("simulated", simulated, bool)
        return Reports(self.layout.check(data), self.identity, simulated)

    def empty(self, simulated: bool = False) -> State:
        """A state that has seen no report: it can be updated, merged and saved.

        Its own `estimate` is that of `oracle`: as if the levels had equally many users.
        """
        return State(self.oracle, simulated=simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> State:
        """A state of this protocol that `State.save` wrote: see `Saved.load`."""
        return State.load(path, self.oracle, implausible=implausible)

    def estimate(self, state: State) -> RangeEstimate:
        """Estimate the counts of values and ranges.

        Raises:
            ParameterError: the state is of another protocol, or a level has no reports.
        """
        check_state(self.identity, state)
        users = self.layout.users(state.counts)
        if not users.all():
            empty = int(np.flatnonzero(users == 0)[0])
            raise ParameterError("state", f"must have reports on every level; none is on {empty}")
        fit, gain = self.fit(users), float(self.gain)
        parts = zip(self.layout.differences(state.counts), users.tolist(), strict=True)
        nodes = [found / (gain * number) for found, number in parts]
        return RangeEstimate(state.n, self.k, fit.fitted(nodes, 1.0), fit, state.honesty())


class RangeClient:
    """One user's side of the protocol: it reports once.

    Args:
        protocol: the parameters.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: a bad argument.
    """

    def __init__(
        self, protocol: RangeProtocol, rng: Rng = None, book: SpendingBook | None = None
    ) -> None:
        check_kind("protocol", protocol, RangeProtocol)
        if book is not None:
            check_kind("book", book, SpendingBook)
        self.protocol, self._book = protocol, book
        self._source = word_source(rng, "device", *protocol.identity.named)
        self._reported = False

    def report(self, value: object) -> Reports:
        """The one report of this user.

        Args:
            value: an integer in 0..k-1.

        Raises:
            DomainError: something else; the value is not shown, and nothing is drawn then.
            ParameterError: there was a report already: a second one would cost epsilon again; or
                the book refuses, whatever the value is. Nothing is drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        if self._reported:
            raise ParameterError("report", "must be called once: a second one costs epsilon again")
        encoded = self.protocol.encode([value])
        if self._book is not None:
            self._book.spend(self.protocol.epsilon, type(self.protocol).__name__)
        self._reported = True
        return self.protocol.drawn(encoded, self._source)
