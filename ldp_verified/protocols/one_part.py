"""Protocols whose users report on one of several functions of their record, drawn in public."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.sampled import SampledReports, SampledState
from ldp_verified.run.realize.value_types import Held

if TYPE_CHECKING:
    import os

    from ldp_verified.protocols.attributes import SampleOne
    from ldp_verified.run.realize.randomizer import Rng


class OnePart(ABC, Generic[Held]):
    """The shared part of such protocols: epsilon, reports, and states; `Held` is a record."""

    @property
    @abstractmethod
    def scheme(self) -> SampleOne:
        """One of the functions, at all of epsilon: what draws the reports, and is deployed."""

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of one user's whole record, rounded up."""
        return self.scheme.realized_epsilon

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write the number of the function and a report on it, the longest."""
        return self.scheme.bits_per_report

    @abstractmethod
    def encode(self, values: Held) -> Any:
        """Each function of each user's record.

        Raises:
            DomainError: they are none; no value is shown.
        """

    def privatize(self, values: Held, rng: Rng = None) -> SampledReports:
        """One report of every user, on one function.

        Args:
            values: of all users, as for `encode`.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: other values; nothing is drawn then. ParameterError: a bad `rng`.
        """
        return self.scheme.privatize(self.encode(values), rng)

    def reports_of(self, numbers: object, simulated: bool = False) -> SampledReports:
        """The reports that programs gave as numbers: see `SampleOne.reports_of`.

        Args:
            numbers: integers, a row for each user. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        return self.scheme.reports_of(numbers, simulated)

    def empty(self, simulated: bool = False) -> SampledState:
        """A state that has seen no report: it can be updated, merged and saved.

        Args:
            simulated: whether the reports to come are; others are refused.
        """
        return self.scheme.empty(simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> SampledState:
        """A state of this protocol that `SampledState.save` wrote: see `Saved.load`."""
        return self.scheme.load(path, implausible=implausible)

    def check_state(self, state: object) -> None:
        """Refuse what the protocol may not estimate from.

        Raises:
            ParameterError: it is no state of this protocol.
        """
        check_kind("state", state, SampledState)
        assert isinstance(state, SampledState)
        if state.scheme != self.scheme:
            raise ParameterError("state", "must be of this protocol", state)
