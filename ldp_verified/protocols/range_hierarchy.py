"""Hierarchical histograms whose levels each report by the mechanism of least variance.

A user is in the group of one level of a tree over the values, drawn in public, and reports the own
node of it at all of epsilon. That is `SampleOne` on nodes, which are functions of the value; so
epsilon holds for any two values. Parents and children are made to agree by least squares.

Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2019), Answering Range Queries Under Local
Differential Privacy, compare such trees over unary encoding, local hashing and one-bit response.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.about import about_of
from ldp_verified.protocols.attributes import SampleOne
from ldp_verified.protocols.best_response import MOST_BITS, BestResponse
from ldp_verified.protocols.every_part import check_every_part
from ldp_verified.protocols.one_part import OnePart
from ldp_verified.protocols.range_estimate import RangeEstimate
from ldp_verified.protocols.range_fit import LevelNoise, RangeFit
from ldp_verified.protocols.range_levels import (
    best_fanouts,
    held_counts,
    mean_cost,
    node_counts,
    spread_of_level,
)
from ldp_verified.protocols.sampled import SampledState
from ldp_verified.run.aggregate.combined import covariances
from ldp_verified.run.aggregate.honest import Honesty, of_coins
from ldp_verified.run.aggregate.tree_fit import TreeFit
from ldp_verified.run.program.form import Private
from ldp_verified.run.program.groups import over
from ldp_verified.run.realize.parameters import LARGEST_N, check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.value_types import UserIntegers
from ldp_verified.run.realize.values import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.table import RoundedTable

MOST_VALUES = 1 << 20


@dataclass(frozen=True)
class RangeHierarchy(OnePart[UserIntegers]):
    """Counts of ranges of ordered values, and quantiles, from one report of each user.

    Attributes:
        epsilon: of one user's whole transcript; a number > 0.
        k: the number of values 0, ..., k - 1, whose order means something; 2..2^20.
        fanouts: how many children the nodes of each level have, from the root down; 2 or more,
            their product is k or more, and all but the first have a product below k. None for those
            at which the mean of the squared error over all ranges is least.
        longest: no report on a level takes more bits, 1..2^14; `RangeTree` and `RangeWavelet` send
            one bit that depends on the value.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    fanouts: tuple[int, ...] | None = None
    longest: int = 4096

    def __post_init__(self) -> None:
        """Check the parameters, and settle the fan-outs."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_VALUES))
        shortest = (self.k - 1).bit_length() + 1
        object.__setattr__(self, "longest", check_integer("longest", self.longest, 1, MOST_BITS))
        if self.longest < shortest:
            rule = f"must be at least {shortest}, which a report on {self.k} values can need"
            raise ParameterError("longest", rule, self.longest)
        wanted = best_fanouts(self.k, self._made) if self.fanouts is None else self.fanouts
        object.__setattr__(self, "fanouts", _checked_fanouts(wanted, self.k))
        self.scheme  # noqa: B018  (what cannot be realized is refused here)

    def _made(self, nodes: int) -> RoundedTable:
        return BestResponse(self.longest)(self.epsilon, nodes)

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """The number of nodes of each level below the root; the leaves are the last."""
        assert self.fanouts is not None
        return node_counts(self.fanouts)

    @cached_property
    def scheme(self) -> SampleOne:
        """One of the levels, at all of epsilon: what draws the reports, and is deployed."""
        # Fan-outs of 4 and of 5 both make two nodes of seven values, but not the same two.
        about = about_of("RangeHierarchy", self.k, self.fanouts)
        held = held_counts(self.k, self.nodes)
        return SampleOne(self.epsilon, held, BestResponse(self.longest), about)

    @cached_property
    def _spreads(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(spread_of_level(k, self._made)) for k in self.scheme.ks)

    def fit(self, users: tuple[int, ...]) -> TreeFit:
        """Least squares for shares, with weights that are best where all values are alike.

        Args:
            users: of each level, 1 or more.
        """
        each = zip(self._spreads, users, strict=True)
        return TreeFit(self.nodes, tuple(variance / number for variance, number in each))

    def mean_variance(self, n: int) -> float:
        """The mean variance of the estimated number of users in a range, over all ranges.

        For n users who are a sample of a population that is evenly spread over the values and over
        the levels. The fan-outs are those at which it is least.

        Raises:
            ParameterError: n is not an integer >= 0.
        """
        users = check_integer("n", n, 0, LARGEST_N)
        assert self.fanouts is not None
        return users * float(mean_cost(self.k, self.fanouts, self._made))

    def variance(self, n: int, first: int, last: int) -> float:
        """The variance of the estimated number of users with a value in first..last.

        For n users who are evenly spread over the values and over the levels.

        Raises:
            ParameterError: n is not an integer >= 0, or these are no values in order.
        """
        users = check_integer("n", n, 0, LARGEST_N)
        start = check_integer("first", first, 0, self.k - 1)
        past = check_integer("last", last, start, self.k - 1) + 1
        even = np.where(np.arange(self.nodes[-1]) < self.k, 1 / self.k, 0.0)
        # Users of a level per user of all: the variance of one user who is spread over them.
        count = len(self.nodes)
        fit = TreeFit(self.nodes, tuple(count * each for each in self._spreads))
        whole = RangeFit(fit, self._noises((1 / count,) * count), 1, even)
        return users * float(whole.variance_of(np.array([start]), np.array([past]))[0])

    def _noises(self, users: tuple[float, ...]) -> tuple[LevelNoise, ...]:
        return tuple(
            _noise(part, number) for part, number in zip(self.scheme.parts, users, strict=True)
        )

    def encode(self, values: UserIntegers) -> NDArray[np.int64]:
        """The number of each user's node on each level, int64 (n, levels).

        Raises:
            DomainError: they are no integers in 0..k-1.
        """
        found = encode(values, self.k, None).astype(np.int64)
        widths = np.array([self.nodes[-1] // count for count in self.nodes])
        return np.asarray(found[:, np.newaxis] // widths)

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: a level, then the report on it.

        Args:
            of: the program of a mechanism; by default the one with its thresholds.
        """
        held = [over(Private(), self.nodes[-1] // count) for count in self.nodes]
        return self.scheme.program_on("range_hierarchy", self.k, held, of)

    def estimate(self, state: SampledState) -> RangeEstimate:
        """Estimate the counts of values and ranges.

        Args:
            state: of this protocol, with reports on each level.

        Raises:
            ParameterError: the state is of another protocol, or a level has no reports.
        """
        self.check_state(state)
        parts = state.states
        users = tuple(part.n for part in parts)
        check_every_part(users, "level", range(len(users)))
        own = [part.estimate() for part in parts]
        fit, n = self.fit(users), sum(users)
        # Nodes without values below them have no users.
        shares = [
            np.pad(found.shares, (0, count - len(found.shares)))
            for found, count in zip(own, self.nodes, strict=True)
        ]
        leaves = fit.fitted(shares, 1.0)
        whole = RangeFit(fit, self._noises(users), n, leaves)
        return RangeEstimate(n, self.k, leaves, whole, _honesty(own))


def _checked_fanouts(fanouts: object, k: int) -> tuple[int, ...]:
    """Refuse numbers of children that make no tree over k values."""
    if not isinstance(fanouts, tuple | list) or not fanouts:
        raise ParameterError("fanouts", "must be a tuple of numbers of children", type(fanouts))
    found = tuple(check_integer(f"fanouts[{i}]", f, 2, MOST_VALUES) for i, f in enumerate(fanouts))
    if not math.prod(found[1:]) < k <= math.prod(found):
        rule = f"must have a product of at least {k}, but not without the first"
        raise ParameterError("fanouts", rule, found)
    return found


def _noise(part: RoundedTable, users: float) -> LevelNoise:
    found = covariances(part.oracle, np.zeros(part.k))
    assert found is not None  # of the mechanisms that `BestResponse` makes
    absent, slope = part.oracle.variance_line(1)
    return LevelNoise(users, part.k, float(absent), float(slope), found.common, found.mixed)


def _honesty(own: list[Estimate]) -> Honesty:
    """Tests of the reports on each level, and whether as many users drew it as draw others."""
    checks = [check for found in own for check in found.honesty.checks]
    if len(own) > 1:
        users = np.array([found.n for found in own], dtype=np.int64)
        chance = np.array(1 / len(own))
        checks.append(of_coins("users of each level", int(users.sum()), users, chance, chance))
    return Honesty(tuple(checks))
