"""Bases of the solutions for several attributes: sizes, labels, tuples of users."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError
from ldp_verified.protocols.attribute_labels import (
    Size,
    checked_sizes,
    encoded_rows,
)
from ldp_verified.protocols.influenced import OfTuples
from ldp_verified.protocols.sampled import SampledReports, SampledState
from ldp_verified.protocols.tuple_state import TupleState, empty_states
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.program.groups import told_value
from ldp_verified.run.realize.parameters import check_epsilon
from ldp_verified.run.realize.report_rows import reports_on_each
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.values import integer_rows

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.aggregate.oracle import Oracle
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTuples

Make = Callable[[float, int], RoundedTable]
"""(epsilon, k) -> the mechanism of one attribute: `GRR`, `OUE`, `OLH` and so on."""


@dataclass(frozen=True)
class Attributes(OfTuples, ABC):
    """The common base of the three solutions for several attributes.

    Attributes:
        epsilon: of the whole tuple, at most.
        sizes: the number of values of each attribute; or its labels, a tuple of texts or integers.

    Raises:
        ParameterError: a number out of range, or no such labels.
    """

    epsilon: float
    sizes: tuple[Size, ...]

    def __post_init__(self) -> None:
        """Check the numbers."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))

    @cached_property
    def ks(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return tuple(len(each) if isinstance(each, tuple) else each for each in self.sizes)

    @property
    @abstractmethod
    def parts(self) -> tuple[RoundedTable, ...]:
        """The mechanism of each attribute."""

    @property
    @abstractmethod
    def realized_epsilon(self) -> float:
        """Realized epsilon of whole tuples, rounded up."""

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write what one user sends: a report on each attribute."""
        return sum(part.bits_per_report for part in self.parts)

    def oracle_of(self, attribute: int) -> Oracle:
        """The oracle of the reports on an attribute."""
        return self.parts[attribute].oracle

    @property
    def attribute_oracles(self) -> tuple[Oracle, ...]:
        """The oracle of each attribute's reports."""
        return tuple(map(self.oracle_of, range(len(self.sizes))))

    @abstractmethod
    def privatize(
        self, values: UserTuples, rng: Rng = None
    ) -> tuple[Reports, ...] | SampledReports:
        """Reports of users, one tuple of values each.

        Args:
            values: of shape (n, d), integers or, where an attribute has some, labels: an array, a
                list of tuples, or a data frame whose columns are the attributes, in their order.
            rng: None for the secure source; a seed or a numpy Generator is for simulation.

        Raises:
            DomainError: other values. ParameterError: a bad `rng`.
        """

    @abstractmethod
    def empty(self, simulated: bool = False) -> TupleState | SampledState:
        """Return a state that has seen no report, to be updated with reports.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """

    @abstractmethod
    def reports_of(
        self, numbers: object, simulated: bool = False
    ) -> tuple[Reports, ...] | SampledReports:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row for each user. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a tuple, in words."""
        labels = " Labels are their places, from 0." if self.sizes != self.ks else ""
        return told_value(self.ks) + labels

    def _source(self, rng: Rng) -> WordSource:
        """Return the source of words of one call, for all attributes."""
        parts = tuple(part.identity.named for part in self.parts)
        return word_source(rng, "privatize", type(self).__name__, *self._further().items(), *parts)

    def _further(self) -> dict[str, Scalar]:
        """Further parameters."""
        return {}

    def _tuples(self, values: Any) -> NDArray[np.int64]:
        """The values as int64 of shape (n, d), surely in range."""
        if self.sizes != self.ks:
            return encoded_rows(values, self.sizes)
        array = integer_rows(values, len(self.ks))
        if np.any((array < 0) | (array >= np.array(self.ks))):
            raise DomainError("values", "must be below the sizes, and not negative")
        return array.astype(np.int64)


class OnEach(Attributes):
    """The base of solutions in which each user reports on every attribute."""

    def reports_of(self, numbers: object, simulated: bool = False) -> tuple[Reports, ...]:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row for each user. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        kinds = [(oracle.layout, oracle.identity) for oracle in self.attribute_oracles]
        return reports_on_each(numbers, kinds, simulated)

    def empty(self, simulated: bool = False) -> TupleState:
        """The state that has seen nothing: `state[j]` is that of attribute j."""
        return empty_states(self, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> TupleState:
        """A state of this scheme that `TupleState.save` wrote: see `Saved.load`."""
        return TupleState.load(path, self, implausible=implausible)
