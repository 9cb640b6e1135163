"""Reports of tuples of attributes: a report on each, or on one that is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.deploy.formats import Format, Payload, described
from ldp_verified.errors import ReportError, check_kind
from ldp_verified.protocols import SampledReports
from ldp_verified.protocols.tuple_state import TupleState
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.origin import one_kind
from ldp_verified.run.aggregate.packing import Bits, PackedShape, numbers_shape
from ldp_verified.run.aggregate.reports import Reports, check_batch

if TYPE_CHECKING:
    from ldp_verified.protocols import SampleOne
    from ldp_verified.protocols.attribute_scheme import Attributes


@dataclass(frozen=True)
class Together(Format):
    """Tuples: a report on each attribute, one after the other."""

    made: Attributes

    @property
    def _states(self) -> tuple[Any, ...]:
        return self.empty()

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Return the identity of each attribute."""
        return tuple(state.identity for state in self._states)

    @property
    def _shapes(self) -> tuple[PackedShape, ...]:
        return tuple(state.oracle.layout.shape for state in self._states)

    @property
    def bits(self) -> int:
        """The number of bits of one tuple: the sum over the reports on all attributes."""
        return sum(shape.bits for shape in self._shapes)

    @property
    def payload(self) -> Payload:
        """The fields of each attribute."""
        return [each for shape in self._shapes for each in described(shape)]

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of a tuple of `Reports`, one for each attribute."""
        states = self._states
        if not isinstance(reports, tuple) or len(reports) != len(states):
            rule = f"must be a tuple of {len(states)} Reports, one for each attribute"
            raise ReportError("reports", rule, type(reports))
        parts = []
        for state, each in zip(states, reports, strict=True):
            check_batch(state.identity, each)
            parts.append(state.oracle.layout.shape.to_bits(state.oracle.layout.check(each.data)))
        if len({len(part) for part in parts}) != 1:
            raise ReportError("reports", "must be of as many users for each attribute")
        return np.concatenate(parts, axis=1), bool(one_kind(each.simulated for each in reports))

    def of_bits(self, bits: Bits, simulated: bool) -> tuple[Reports, ...]:
        """Reports of each attribute."""
        found, start = [], 0
        for state in self._states:
            layout = state.oracle.layout
            data = layout.shape.of_bits(bits[:, start : start + layout.shape.bits])
            found.append(Reports(layout.check(data), state.identity, simulated))
            start += layout.shape.bits
        return tuple(found)

    def empty(self, simulated: bool = False) -> tuple[Any, ...]:
        """A state for each attribute."""
        states = self.made.empty(simulated)
        assert isinstance(states, TupleState)
        return tuple(states)

    def counted(self, state: Any, reports: Any) -> Any:
        """New states, so that none has seen a batch that another refused."""
        return tuple(
            mine.merge(new.update(each))
            for mine, new, each in zip(state, self.empty(state[0].simulated), reports, strict=True)
        )


@dataclass(frozen=True)
class OneOf(Format):
    """Tuples: the number of an attribute and a report on it, zeros up to the longest."""

    made: SampleOne
    in_order: ClassVar[bool] = False  # those on one attribute come after each other

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Return the identity of each attribute."""
        return tuple(part.identity for part in self.made.parts)

    @property
    def _shapes(self) -> tuple[PackedShape, ...]:
        return tuple(part.layout.shape for part in self._parts)

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.made.parts

    @property
    def _chosen(self) -> PackedShape:
        return numbers_shape(len(self._parts), np.dtype(np.int64))

    @property
    def bits(self) -> int:
        """The number of bits of one report: the attribute's number and the longest report."""
        return self._chosen.bits + max(shape.bits for shape in self._shapes)

    @property
    def payload(self) -> Payload:
        """The number of an attribute, then the fields of the one that it says."""
        return [*described(self._chosen), {"one of": [described(s) for s in self._shapes]}]

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of `SampledReports`, attribute by attribute."""
        check_kind("reports", reports, SampledReports, ReportError)
        simulated = bool(one_kind(each.simulated for each in reports.reports))
        self.made.empty(simulated).update(reports)  # refuses what is foreign or malformed
        rows, width = [], self._chosen.bits
        for j, (shape, each) in enumerate(zip(self._shapes, reports.reports, strict=True)):
            bits = np.zeros((len(each), self.bits), np.uint8)
            bits[:, :width] = self._chosen.to_bits(np.full(len(each), j, np.int64))
            bits[:, width : width + shape.bits] = shape.to_bits(each.data)
            rows.append(bits)
        return np.concatenate(rows), simulated

    def of_bits(self, bits: Bits, simulated: bool) -> SampledReports:
        """The reports of those who sampled each attribute."""
        width = self._chosen.bits
        chosen = self._chosen.of_bits(bits[:, :width])
        found = []
        for j, (part, shape) in enumerate(zip(self._parts, self._shapes, strict=True)):
            rows = bits[chosen == j, width:]
            if rows[:, shape.bits :].any():
                raise ReportError("data", "must be zero beyond the bits of a report")
            data = part.layout.check(shape.of_bits(rows[:, : shape.bits]))
            found.append(Reports(data, part.identity, simulated))
        return SampledReports(len(bits), tuple(found), self.made.about)

    def empty(self, simulated: bool = False) -> Any:
        """The state that has seen nothing."""
        return self.made.empty(simulated)
