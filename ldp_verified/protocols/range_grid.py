"""Boxes: how many users lie in ranges of several ordered attributes at once.

Over each attribute stands a hierarchy of intervals. A group takes one level of each attribute, and
a user, whose group is drawn in public, reports the cell of intervals that the own record lies in,
at all of epsilon. That is `SampleOne` on cells that are functions of the record; so its epsilon
holds for any two records. A box is a sum over the cells of all groups, by least squares, so that
all boxes agree.

Tianhao Wang, Bolin Ding, Jingren Zhou, Cheng Hong, Zhicong Huang, Ninghui Li, Somesh Jha (2019),
Answering Multi-Dimensional Analytical Queries under Local Differential Privacy, where it is HIO.
The group of everything, whose count is n, is left out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.about import about_of
from ldp_verified.protocols.attribute_labels import check_made, encoded_columns
from ldp_verified.protocols.attribute_scheme import Make
from ldp_verified.protocols.attributes import SampleOne
from ldp_verified.protocols.every_part import check_every_part
from ldp_verified.protocols.joint_tables import least_variance
from ldp_verified.protocols.one_part import OnePart
from ldp_verified.protocols.range_grid_estimate import BoxEstimate
from ldp_verified.protocols.range_grid_fit import GridFit, Hierarchy, best_fanout, groups_of
from ldp_verified.protocols.sampled import SampledReports, SampledState
from ldp_verified.protocols.shown import shown_by_names
from ldp_verified.run.aggregate.combined import covariances
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import GRR, HRR
from ldp_verified.run.program.groups import digits_of, number_of, over, told_value
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.value_types import UserRecords
from ldp_verified.run.realize.values import encode
from ldp_verified.scalars import utf8_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.tables.table import RoundedTable

MOST_ATTRIBUTES, MOST_VALUES, MOST_CELLS, MOST_GROUPS = 4, 1 << 12, 1 << 20, 1 << 8
UNARY = 1 << 14
"""Cells of a group up to which they may be reported as one bit each."""

AT_A_TIME = 1 << 16
"""Users whose cells in all groups are held at once."""


def least_variance_of_cells(epsilon: float, k: int) -> RoundedTable:
    """Return that of two mechanisms which counts a rare cell with the least variance.

    They are k-ary response and, up to 2^14 cells, unary encoding; beyond, a mechanism of one bit.
    """
    if k <= UNARY:
        return least_variance(epsilon, k)
    response, bit = GRR(epsilon, k), HRR(epsilon, k)
    return response if response.variance(1) <= bit.variance(1) else bit


@dataclass(frozen=True)
class RangeGrid(OnePart[UserRecords]):
    """Counts of boxes of 1 to 4 ordered attributes, from one report of each user.

    Attributes:
        epsilon: of one user's whole record; a number > 0.
        attributes: name -> the number of its values 0, ..., k - 1, whose order means something;
            2..4096 each, and no group has more than 2^20 cells.
        fanout: an interval has so many children; 1 for no hierarchy, so that everybody reports the
            own cell; None for the best, by the variances of the mechanisms (`best_fanout`).
        make: the mechanism of a group, from epsilon and its cells.

    Raises:
        ParameterError: an argument is out of range, or there would be more than 256 groups.
    """

    epsilon: float
    attributes: Mapping[str, int]
    fanout: int | None = None
    make: Make = least_variance_of_cells

    __repr__ = shown_by_names

    def __post_init__(self) -> None:
        """Check the arguments, and settle the fan-out."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "attributes", _checked(self.attributes))
        ks = tuple(self.attributes.values())
        check_integer("cells of the largest group", prod(ks), 2, MOST_CELLS)
        check_made(self.make, lambda: (self.make(self.epsilon, 2),))
        wanted = best_fanout(ks, self._cost, MOST_GROUPS) if self.fanout is None else self.fanout
        object.__setattr__(self, "fanout", check_integer("fanout", wanted, 1, MOST_VALUES))
        check_integer("number of groups", len(self.groups), 1, MOST_GROUPS)
        self.scheme  # noqa: B018  (what makes no mechanism is refused here)

    def __hash__(self) -> int:
        return hash((self.epsilon, tuple(self.attributes.items()), self.fanout, self.make))

    def _cost(self, cells: int) -> float:
        """The variance that a user adds to a cell, less a covariance, if all are alike."""
        made = self.make(self.epsilon, cells)
        even = np.full(cells, 1 / cells)
        found = covariances(made.oracle, even)
        if found is not None:
            apart = float(found.variances[0]) - found.common - 2 * found.mixed / cells
        else:
            apart = float(np.mean(made.oracle.plug_in(even, 1)))
        return apart + 1 / cells

    @cached_property
    def trees(self) -> tuple[Hierarchy, ...]:
        """The hierarchy of each attribute, in their order."""
        assert self.fanout is not None
        return tuple(Hierarchy(k, self.fanout) for k in self.attributes.values())

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The level of each attribute, of all groups but the one of everything."""
        return groups_of(self.trees)

    def shape(self, group: tuple[int, ...]) -> tuple[int, ...]:
        """The number of intervals of each attribute in a group."""
        return tuple(tree.nodes(level) for tree, level in zip(self.trees, group, strict=True))

    @cached_property
    def scheme(self) -> SampleOne:
        """One of the groups, at all of epsilon: what draws the reports, and is deployed."""
        cells = tuple(prod(self.shape(group)) for group in self.groups)
        about = about_of("RangeGrid", list(self.attributes.items()), self.fanout)
        return SampleOne(self.epsilon, cells, self.make, about)

    def encode(self, records: UserRecords) -> tuple[NDArray[np.int64], ...]:
        """The values of each attribute, int64 (n,), surely in range.

        Args:
            records: name -> the values of all users: a mapping, or a data frame.

        Raises:
            DomainError: a column is missing, of another length, or has other values, which are not
                shown.
        """
        encoders = {name: partial(encode, k=k, index=None) for name, k in self.attributes.items()}
        return encoded_columns(records, encoders)

    def cells(self, columns: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
        """The cell of each user in each group, int64 (n, groups), the last name fastest."""
        found = [
            np.ravel_multi_index(
                [
                    column // tree.widths[level]
                    for column, tree, level in zip(columns, self.trees, group, strict=True)
                ],
                self.shape(group),
            )
            for group in self.groups
        ]
        return np.stack(found, axis=1).astype(np.int64)

    def privatize(self, records: UserRecords, rng: Rng = None) -> SampledReports:
        """One report of every user, on the cell of one group.

        Args:
            records: name -> the values of all users: a mapping, or a data frame.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: other records; nothing is drawn then. ParameterError: a bad `rng`.
        """
        columns = self.encode(records)
        source = self.scheme._source(rng)
        batches = [
            self.scheme.privatize(
                self.cells(tuple(c[at : at + AT_A_TIME] for c in columns)), source
            )
            for at in range(0, max(len(columns[0]), 1), AT_A_TIME)
        ]
        joined = zip(*(batch.reports for batch in batches), strict=True)
        reports = tuple(_joined(each) for each in joined)
        return SampledReports(len(columns[0]), reports, self.scheme.about)

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a record, in words."""
        return told_value(tuple(self.attributes.values()))

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: a group, then the report on it.

        Args:
            of: the program of a mechanism; by default the one with its thresholds.
        """
        ks = tuple(self.attributes.values())
        digits = digits_of(ks)
        held = []
        for group in self.groups:
            each = zip(digits, self.trees, group, strict=True)
            nodes = [over(digit, tree.widths[level]) for digit, tree, level in each]
            held.append(number_of(nodes, self.shape(group)))
        return self.scheme.program_on("range_grid", prod(ks), held, of)

    def estimate(self, state: SampledState) -> BoxEstimate:
        """Estimate counts of boxes.

        Args:
            state: of this protocol, with reports.

        Raises:
            ParameterError: the state is of another protocol, or a group has no reports.
        """
        self.check_state(state)
        check_every_part((part.n for part in state.states), "group", self.groups)
        parts = dict(zip(self.groups, state.states, strict=True))
        trees = dict(zip(self.attributes, self.trees, strict=True))
        variances = {g: self._cost(prod(self.shape(g))) / part.n for g, part in parts.items()}
        own = {group: part.estimate() for group, part in parts.items()}
        return BoxEstimate(state.n, trees, own, GridFit(self.trees, variances))


def _joined(parts: tuple[Reports, ...]) -> Reports:
    data = np.concatenate([part.data for part in parts])
    return Reports(data, parts[0].identity, parts[0].simulated)


def _checked(attributes: object) -> dict[str, int]:
    if not isinstance(attributes, Mapping):
        raise ParameterError("attributes", "must be a mapping from names", type(attributes))
    check_integer("len(attributes)", len(attributes), 1, MOST_ATTRIBUTES)
    wrong = [name for name in attributes if not isinstance(name, str) or utf8_of(name) is None]
    if wrong:
        rule = "must have texts that UTF-8 can hold for names"
        raise ParameterError("attributes", rule, wrong[0])
    return {
        name: check_integer(f"attributes[{name!r}]", k, 2, MOST_VALUES)
        for name, k in attributes.items()
    }
