"""Reports of cells of a grid: a column and a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.deploy.formats import Format, Payload, described
from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.moments import MeanState
from ldp_verified.run.aggregate.packing import Bits, Field, PackedShape
from ldp_verified.run.aggregate.reports import Reports, check_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.protocols import PlaneNoise


@dataclass(frozen=True)
class OnPlane(Format):
    """The format of reports that are a column and a row, which are counted as the means of both."""

    made: PlaneNoise

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The identities of the protocol's reports."""
        return (self.made.identity,)

    @property
    def _shape(self) -> PackedShape:
        fields = Field(1, self.made.columns), Field(1, self.made.rows)
        return PackedShape(fields, np.dtype(np.uint32))

    @property
    def bits(self) -> int:
        """The number of bits of one report: those of its column and of its row."""
        return self._shape.bits

    @property
    def payload(self) -> Payload:
        """Describe the column and the row."""
        return described(self._shape)

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """Return the bits of reports of this protocol, and whether they are simulated."""
        check_batch(self.made.identity, reports)
        checked = self.made.reports(reports.data, simulated=reports.simulated)
        return self._shape.to_bits(checked.data), reports.simulated

    def of_bits(self, bits: Bits, simulated: bool) -> Reports:
        """The reports."""
        return self.made.reports(self._shape.of_bits(bits), simulated=simulated)

    def empty(self, simulated: bool = False) -> Any:
        """The states of both axes."""
        return self.made.empty(simulated)

    def counted(self, state: Any, reports: Any) -> Any:
        """New states, so that neither has seen a batch that the other refused."""
        return tuple(
            mine.merge(new.update(each))
            for mine, new, each in zip(
                state, self.empty(state[0].simulated), self.made.by_axis(reports), strict=True
            )
        )

    def restored(self, parts: Sequence[bytes], *, implausible: bool) -> Any:
        """The states of both axes."""
        if len(parts) != len(self.made.axes):
            raise ReportError("data", f"must hold {len(self.made.axes)} states", len(parts))
        return tuple(
            MeanState.from_bytes(data, axis, implausible=implausible)
            for data, axis in zip(parts, self.made.axes, strict=True)
        )
