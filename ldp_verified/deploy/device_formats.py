"""Reports of devices that remember: each begins with its number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.deploy.formats import Format, Payload, Plain, described
from ldp_verified.errors import ReportError
from ldp_verified.protocols import (
    ChangeTree,
    MemoClient,
    MemoReport,
    Rappor,
    RapporClient,
    RapporReport,
    RapporState,
    TreeClient,
    VotedMean,
    VotingClient,
)
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.origin import one_kind
from ldp_verified.run.aggregate.packing import Bits, Field, PackedShape, numbers_shape
from ldp_verified.run.aggregate.reports import Reports, check_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols import Longitudinal

MESSAGING: Final[dict[type, Any]] = {ChangeTree: TreeClient, VotedMean: VotingClient}
"""Protocol -> device, where each day has messages of its own."""

MOST_NUMBER: Final = (1 << 32) - 1
"""The last number that a report of a device can have."""

_NUMBER: Final = numbers_shape(MOST_NUMBER + 1, np.dtype(np.uint32))


@dataclass(frozen=True)
class Memo(Format):
    """Reports of devices that remember: the number of the report, then the report."""

    made: Longitudinal

    @property
    def device(self) -> type[MemoClient[Any]]:
        """The class of a device, which keeps permanent answers."""
        return MemoClient

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The identity of the protocol's reports."""
        return (self.made.identity,)

    @property
    def _shape(self) -> PackedShape:
        shape: PackedShape = self.made.oracle.layout.shape
        return shape

    @property
    def bits(self) -> int:
        """The bits of a report with its number: 32, and those of the report."""
        return _NUMBER.bits + self._shape.bits

    @property
    def payload(self) -> Payload:
        """The number, then the fields of the report."""
        return [*described(_NUMBER), *described(self._shape)]

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of `MemoReport`s."""
        listed = _listed(reports, MemoReport)
        for report in listed:
            check_batch(self.made.identity, report.reports)
        rows = [np.asarray(report.reports.data) for report in listed]
        data = np.concatenate(rows) if rows else self._shape.of_bits(self._nothing())
        checked = self.made.oracle.layout.check(data)
        bits = [_numbered(listed), self._shape.to_bits(checked)]
        return np.concatenate(bits, axis=1), bool(
            one_kind(report.reports.simulated for report in listed)
        )

    def _nothing(self) -> Bits:
        return np.empty((0, self._shape.bits), np.uint8)

    def of_bits(self, bits: Bits, simulated: bool) -> list[MemoReport]:
        """The `MemoReport`s, each with the public choice that its data say."""
        numbers, rest = _numbers_of(bits)
        data = self.made.oracle.layout.check(self._shape.of_bits(rest))
        reports = (
            Reports(data[i : i + 1], self.identities[0], simulated) for i in range(len(bits))
        )
        return [
            MemoReport(each, self.made.choice_in(np.atleast_1d(each.data[0]).tolist()), number)
            for each, number in zip(reports, numbers, strict=True)
        ]

    def empty(self, simulated: bool = False) -> Any:
        """The protocol's empty state."""
        return self.made.empty(simulated)

    def counted(self, state: Any, reports: Any) -> Any:
        """The state that has counted all of the reports, or none."""
        if not reports:
            return state
        data = np.concatenate([report.reports.data for report in reports])
        simulated = bool(one_kind(report.reports.simulated for report in reports))
        return state.update(Reports(data, self.identities[0], simulated))


@dataclass(frozen=True)
class OfRappor(Format):
    """RAPPOR's reports: the number, the cohort, the bits of the filter."""

    made: Rappor

    @property
    def device(self) -> type[RapporClient]:
        """The class of a device, which keeps permanent answers."""
        return RapporClient

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The identity of the deployment's reports."""
        return (self.empty().identity,)

    @property
    def _shape(self) -> PackedShape:
        cohort = Field(1, self.made.cohorts)
        return PackedShape((cohort, Field(self.made.bits, 2, packed=True)), np.dtype(np.uint64))

    @property
    def bits(self) -> int:
        """The bits of a report with its number: 32, and those of the report."""
        return _NUMBER.bits + self._shape.bits

    @property
    def payload(self) -> Payload:
        """The number, then the fields of the report."""
        return [*described(_NUMBER), *described(self._shape)]

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of `RapporReport`s."""
        listed = _listed(reports, RapporReport)
        simulated = bool(one_kind(report.simulated for report in listed))
        self.empty(simulated).update(listed)  # refuses what is foreign or malformed
        columns = 1 + self.made.encoder.blocks
        data = np.array([[r.cohort, *r.bits.tolist()] for r in listed], np.uint64)
        bits = [_numbered(listed), self._shape.to_bits(data.reshape(len(listed), columns))]
        return np.concatenate(bits, axis=1), simulated

    def of_bits(self, bits: Bits, simulated: bool) -> list[RapporReport]:
        """The `RapporReport`s."""
        numbers, rest = _numbers_of(bits)
        data = self._shape.of_bits(rest)
        return [
            RapporReport(self.made, int(row[0]), row[1:], simulated, number)
            for row, number in zip(data, numbers, strict=True)
        ]

    def empty(self, simulated: bool = False) -> RapporState:
        """The state that has seen nothing."""
        return RapporState(self.made, simulated=simulated)


class Messages(Plain):
    """Messages of devices that report on several days, each a number below `codes`."""

    @property
    def device(self) -> Any:
        """The class of devices that keep what they said on earlier days."""
        return MESSAGING[type(self.made)]

    def reports_in(self, state: Any) -> int:
        """Return the number of messages; a user may send several."""
        found: int = state.messages
        return found


def _listed(reports: object, kind: type) -> list[Any]:
    """One report, or several, as a list."""
    listed = [reports] if isinstance(reports, kind) else reports
    if not isinstance(listed, Sequence) or not all(isinstance(each, kind) for each in listed):
        raise ReportError("reports", f"must be {kind.__name__}s", type(reports))
    return list(listed)


def _numbered(listed: Sequence[Any]) -> Bits:
    """The bits of the reports' numbers.

    Raises:
        ReportError: one does not fit.
    """
    for report in listed:
        if type(report.number) is not int or not 1 <= report.number <= MOST_NUMBER:
            raise ReportError("number", "must be in 1..2^32-1 to be sent", report.number)
    return _NUMBER.to_bits(np.array([report.number for report in listed], np.uint32))


def _numbers_of(bits: Bits) -> tuple[list[int], Bits]:
    """The numbers, and the bits of what follows."""
    numbers: NDArray[Any] = _NUMBER.of_bits(bits[:, : _NUMBER.bits])
    if not numbers.all():
        raise ReportError("data", "must have a number of at least 1")
    return numbers.tolist(), bits[:, _NUMBER.bits :]
