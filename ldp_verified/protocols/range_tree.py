"""Hierarchical histograms: counts of ranges of ordered values, and so shares below and quantiles.

Declared in `spec/protocols/range_tree.py`. A user is in the group of one level of a tree over the
values, and reports one bit that depends on the prefix which the level has of the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.aggregate.identity import Identity
from ldp_verified.aggregate.oracle import FrequencyOracle
from ldp_verified.aggregate.reports import Reports
from ldp_verified.aggregate.state import State
from ldp_verified.aggregate.tree_fit import TreeFit, best_step, levels_of
from ldp_verified.aggregate.tree_layout import TreeLayout
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.kernels.seeds import word_source
from ldp_verified.mechanisms import HRR
from ldp_verified.protocols.influenced import OfRanges
from ldp_verified.protocols.range_estimate import RangeEstimate
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.realize.parameters import LARGEST_N, check_epsilon, check_integer
from ldp_verified.realize.table import RoundedTable
from ldp_verified.realize.values import encode

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Sampler
    from ldp_verified.kernels.randomness import WordSource
    from ldp_verified.realize.randomizer import Rng

MOST_VALUES = 1 << 24


@dataclass(frozen=True)
class RangeTree(OfRanges):
    """A hierarchical histogram over one-bit Hadamard response, with least squares over the tree.

    Attributes:
        epsilon: of one user's whole transcript; a number > 0.
        k: the number of values 0, ..., k - 1, whose order means something; 2..2^24.
        step: a node has 2^step children; None for the step at which the mean of the squared error
            over all ranges is least.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    step: int | None = None

    law_sha256: ClassVar[str] = "ad9678bdc7a06ffab9603831751b7a6ecef13a1b987167e7b65d715e63dbebf2"

    def __post_init__(self) -> None:
        """Check the parameters, and settle the step."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_VALUES))
        bits = (self.k - 1).bit_length()
        wanted = best_step(bits) if self.step is None else self.step
        object.__setattr__(self, "step", check_integer("step", wanted, 1, bits))
        self.responses  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def layout(self) -> TreeLayout:
        """Reports and nodes of all levels, whose leaves are the values, and more up to 2^bits."""
        assert self.step is not None
        return TreeLayout(levels_of((self.k - 1).bit_length(), self.step))

    @property
    def levels(self) -> int:
        """The number of levels, and of groups."""
        return len(self.layout.bits)

    @cached_property
    def responses(self) -> tuple[HRR, ...]:
        """The mechanism of each level: all have the same thresholds."""
        return tuple(HRR(self.epsilon, 1 << bits) for bits in self.layout.bits)

    @property
    def gain(self) -> Fraction:
        """P(the sign is right) less P(it is wrong), realized."""
        return 2 * self.responses[-1].p_star - 1

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of one user's whole transcript, rounded up."""
        return max(response.realized_epsilon for response in self.responses)

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return (self.layout.counters - 1).bit_length()

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items = {"epsilon": self.epsilon, "k": self.k, "step": self.step or 0}
        thresholds = self.responses[-1].thresholds
        return Identity("RangeTree", tuple(sorted(items.items())), self.law_sha256, thresholds)

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Supports of the nodes: one of the user's level is asked for with probability 1/levels."""
        leaf, share = self.responses[-1], Fraction(1, self.levels)
        held, absent = leaf.p_star * share, leaf.q_star * share
        rare, common = (RoundedTable.variance_per_user(held, absent, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, self.layout, held, absent, rare, common), fresh=True, exclusive=False
        )

    def fit(self, users: NDArray[np.int64] | None = None) -> TreeFit:
        """Least squares for shares, with variances that are exact where no node is held.

        Args:
            users: of each level, 1 or more; None for one user who is spread over the levels.
        """
        count, one = self.levels, 1 / self.gain**2
        numbers = [Fraction(1, count)] * count if users is None else map(Fraction, users.tolist())
        return TreeFit(self.layout.bits, tuple(one / number for number in numbers))

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

        Args:
            n: number of users.

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
        """One user's side of the protocol.

        Args:
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
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

    def drawn(self, values: NDArray[np.int64], source: WordSource) -> Reports:
        """The reports of values that were checked: a level for each user, then a report on it."""
        groups = uniform_numbers(len(values), self.levels, source)
        starts, whole = self.layout.starts, self.layout.bits[-1]
        codes: NDArray[np.int64] = np.empty(len(values), dtype=np.int64)
        for group, (response, bits) in enumerate(
            zip(self.responses, self.layout.bits, strict=True)
        ):
            own = np.flatnonzero(groups == group)
            if len(own):
                sampler: Sampler = response.sampler()
                codes[own] = sampler.draw(values[own] >> (whole - bits), source)
                codes[own] += 2 * starts[group]
        return Reports(self.layout.check(codes), self.identity, bool(source.simulated))

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

        Its own `estimate` counts the nodes of all levels, each by its level alone.

        Args:
            simulated: whether the reports to come are; others are refused.
        """
        return State(self.oracle, simulated=simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> State:
        """A state of this protocol that `State.save` wrote: see `Saved.load`."""
        return State.load(path, self.oracle, implausible=implausible)

    def estimate(self, state: State) -> RangeEstimate:
        """Estimate the counts of values and ranges.

        Args:
            state: of this protocol, with reports.

        Raises:
            ParameterError: the state is of another protocol, or a level has no reports.
        """
        check_kind("state", state, State)
        difference = self.identity.difference(state.identity)
        if difference is not None:
            raise ParameterError("state", f"must be of this protocol: {difference}")
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
        self, protocol: RangeTree, rng: Rng = None, book: SpendingBook | None = None
    ) -> None:
        check_kind("protocol", protocol, RangeTree)
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
            self._book.spend(self.protocol.epsilon, "RangeTree")
        self._reported = True
        return self.protocol.drawn(encoded, self._source)
