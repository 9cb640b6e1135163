"""Formats of reports: from the objects of this package to bits, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.aggregate.state import State

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.packing import Bits, PackedShape

Payload = list[dict[str, Any]]
"""A description of the bits of a report, as JSON values."""


class Format(ABC):
    """The base of formats, which say how a deployment's reports become bits and are counted.

    Attributes:
        made: the mechanism or protocol.
        in_order: whether bits of any reports come in the order of the rows that they were read from
            by `made.reports_of`; else one report at a time is written where that matters.
    """

    made: Any
    in_order: ClassVar[bool] = True

    @property
    @abstractmethod
    def identities(self) -> tuple[Identity, ...]:
        """Return the identity of the reports, or of those of each attribute."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """Bits of one report."""

    @property
    @abstractmethod
    def payload(self) -> Payload:
        """Return what stands in these bits."""

    @abstractmethod
    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """Return the bits of reports, uint8 (n, bits), and whether any report is simulated.

        Raises:
            ReportError: they are none of this deployment.
        """

    @abstractmethod
    def of_bits(self, bits: Bits, simulated: bool) -> Any:
        """The reports that `to_bits` was given.

        Raises:
            ReportError: these are bits of no reports.
        """

    @abstractmethod
    def empty(self, simulated: bool = False) -> Any:
        """The state that has seen nothing; `simulated` as for the mechanism's own."""

    @property
    def device(self) -> Any:
        """Return the class of a user's device that remembers; None where reports need no memory."""
        return None

    def reports_in(self, state: Any) -> int:
        """Return how many reports a state, or that of an attribute, has counted."""
        found: int = state.n
        return found

    def counted(self, state: Any, reports: Any) -> Any:
        """The state that has seen these reports, too; it may be the same object."""
        return state.update(reports)

    def merged(self, first: Any, second: Any) -> Any:
        """The state that has seen what both have."""
        if isinstance(first, tuple):
            return tuple(a.merge(b) for a, b in zip(first, second, strict=True))
        return first.merge(second)

    def restored(self, parts: Sequence[bytes], *, implausible: bool) -> Any:
        """The state whose own bytes these are; several where each attribute has one.

        Raises:
            ReportError: they are none of this deployment, or not as many.
        """
        empty = self.empty()
        states = empty if isinstance(empty, tuple) else (empty,)
        if len(parts) != len(states):
            raise ReportError("data", f"must hold {len(states)} states", len(parts))
        found = []
        for state, data in zip(states, parts, strict=True):
            made = state.oracle if isinstance(state, State) else self.made
            found.append(type(state).from_bytes(data, made, implausible=implausible))
        return tuple(found) if isinstance(empty, tuple) else found[0]


@dataclass(frozen=True)
class Plain(Format):
    """Reports of a mechanism, in one array.

    Attributes:
        made: with `identity`, `empty` and a check of arrays. shape: of its arrays.
    """

    made: Any
    shape: PackedShape

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The identity of the mechanism's reports."""
        return (self.made.identity,)

    @property
    def bits(self) -> int:
        """The number of bits of one report, which the shape says."""
        return self.shape.bits

    @property
    def payload(self) -> Payload:
        """The fields of the shape."""
        return described(self.shape)

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """Return the bits of reports of this mechanism, and whether they are simulated."""
        check_batch(self.made.identity, reports)
        # What a report holds is checked where it was wrapped; once more, since anyone may wrap.
        checked = self.made.reports(reports.data, simulated=reports.simulated)
        return self.shape.to_bits(checked.data), reports.simulated

    def of_bits(self, bits: Bits, simulated: bool) -> Reports:
        """The reports."""
        found: Reports = self.made.reports(self.shape.of_bits(bits), simulated=simulated)
        return found

    def empty(self, simulated: bool = False) -> Any:
        """The mechanism's empty state."""
        return self.made.empty(simulated)


def described(shape: PackedShape) -> Payload:
    """The fields of a shape, as JSON values."""
    return [{"times": field.times, "below": str(field.below)} for field in shape.fields]
