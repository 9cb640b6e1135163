"""Hierarchical histograms: counts of ranges of ordered values, and so shares below and quantiles.

Declared in `spec/protocols/range_tree.py`. A user is in the group of one level of a tree over the
values, and reports one bit that depends on the prefix which the level has of the value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.protocols.about import check_about
from ldp_verified.protocols.influenced import OfRanges
from ldp_verified.protocols.range_protocol import MOST_VALUES, RangeProtocol
from ldp_verified.protocols.shown import IF_GIVEN, shown_by_names
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity, Scalar
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.tree_fit import TreeFit, best_step, levels_of
from ldp_verified.run.aggregate.tree_layout import TreeLayout
from ldp_verified.run.mechanisms import HRR
from ldp_verified.run.program.form import Constant, Private
from ldp_verified.run.program.groups import InnerProgram, one_of
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program


@dataclass(frozen=True)
class RangeTree(RangeProtocol, OfRanges):
    """A hierarchical histogram over one-bit Hadamard response, with least squares over the tree.

    Attributes:
        epsilon: of one user's whole transcript; a number > 0.
        k: the number of values 0, ..., k - 1, whose order means something; 2..2^24.
        step: a node has 2^step children; None for the step at which the mean of the squared error
            over all ranges is least.
        about: what the values stand for, in public words or as a hash; reports and states that are
            about something else are refused.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    step: int | None = None
    about: str = field(default="", metadata=IF_GIVEN)

    __repr__ = shown_by_names

    law_sha256: ClassVar[str] = "ad9678bdc7a06ffab9603831751b7a6ecef13a1b987167e7b65d715e63dbebf2"

    def __post_init__(self) -> None:
        """Check the parameters, and settle the step."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_VALUES))
        bits = (self.k - 1).bit_length()
        check_about(self.about)
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

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items: dict[str, Scalar] = {"epsilon": self.epsilon, "k": self.k, "step": self.step or 0}
        if self.about:
            items["about"] = self.about
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
        nodes = tuple(1 << bits for bits in self.layout.bits)
        return TreeFit(nodes, self.node_variances(users))

    def program(self, of: Callable[[HRR], Program] = program_of) -> Program:
        """The program of a client in another language: a report is that of `reports`.

        Args:
            of: the program of a level's mechanism; by default the one with its thresholds.
        """
        starts, whole = self.layout.starts, self.layout.bits[-1]
        parts = [
            InnerProgram(
                of(response), Private() >> (whole - bits), code=Constant(2 * start), most=2 * start
            )
            for response, bits, start in zip(self.responses, self.layout.bits, starts, strict=False)
        ]
        return one_of("range_tree", self.k, parts)

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
