"""Where the reports of a state come from: drawn in earnest or simulated, and in which batches.

A state holds reports of one kind. Simulated reports protect nobody and say nothing of anybody, so
that a state of both would be wrong about users in silence. Whoever knows what is to come declares
it (`empty(simulated=False)`); else the first reports decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ldp_verified.errors import ParameterError, ReplayError, ReportError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.aggregate.reports import Reports

REPEATED: Final = ("refuse", "ignore")
"""What may happen to a batch that was counted already."""

LONGEST_ID: Final = 64


class Origin(NamedTuple):
    """The kind of reports that a state has seen, and their batches.

    Attributes:
        simulated: whether they were drawn from a seed or a generator; None before the first one, if
            nobody said so either.
        batches: the ids of the batches that had one.
    """

    simulated: bool | None = None
    batches: frozenset[str] = frozenset()

    @classmethod
    def checked(cls, simulated: object, batches: object, n: int) -> Origin:
        """The origin of n reports. Real is what reports are that nobody said more of.

        Raises:
            ParameterError: `simulated` is neither a bool nor None, or `batches` no ids.
        """
        if simulated is not None and not isinstance(simulated, bool):
            raise ParameterError("simulated", "must be a bool or None", simulated)
        if not isinstance(batches, frozenset) or not all(map(_is_id, batches)):
            raise ParameterError("batches", "must be a frozenset of ids", type(batches))
        return cls(False if simulated is None and n else simulated, batches)

    def joined(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> Origin | None:
        """The origin with more reports; None where they were counted already, and that is fine.

        Args:
            reports: these; none at all decide nothing.
            batch: their id, if they have one. repeated: "refuse" or "ignore" a known id.

        Raises:
            ParameterError: `batch` is no id, or `repeated` something else.
            ReplayError: they were counted already.
            ReportError: they are simulated and those before are not, or the other way round.
        """
        return self.merged(Origin(reports.simulated if len(reports) else None), batch, repeated)

    def merged(
        self, other: Origin, batch: str | None = None, repeated: str = "refuse"
    ) -> Origin | None:
        """The origin with what another state has seen; the rest is as in `joined`.

        Raises:
            ReplayError: also where both have counted a batch.
        """
        if repeated not in REPEATED:
            raise ParameterError("repeated", f"must be one of {', '.join(REPEATED)}", repeated)
        ids = other.batches
        if batch is not None:
            if not _is_id(batch):
                rule = f"must be a text of 1 to {LONGEST_ID} characters, or None"
                raise ParameterError("batch", rule, batch)
            if batch in self.batches and repeated == "ignore":
                return None
            ids |= {batch}
        both = self.batches & ids
        if both:
            raise ReplayError("batch", "was counted already", min(both))
        return Origin(one_kind([self.simulated, other.simulated]), self.batches | ids)

    def record(self) -> dict[str, Any]:
        """The origin as JSON values, for the header of a state."""
        listed = {"batches": sorted(self.batches)} if self.batches else {}
        return {"simulated": self.simulated} | listed

    @classmethod
    def of_record(cls, header: dict[str, Any], n: int) -> Origin:
        """The origin of n reports in a header that has what `record` gave.

        Raises:
            ReportError: it has something else.
        """
        simulated, batches = header.get("simulated", ""), header.get("batches", [])
        if type(simulated) is not bool and not (simulated is None and n == 0):
            raise ReportError("data", "must have a flag simulated")
        if (
            not isinstance(batches, list)
            or not all(map(_is_id, batches))
            or batches != sorted(set(batches))
        ):
            raise ReportError("data", "must list the ids of batches once each, in order")
        return cls(simulated, frozenset(batches))


def one_kind(simulated: Iterable[bool | None]) -> bool | None:
    """Return whether all reports are simulated (None: there are none).

    Args:
        simulated: of each of several, whether it is; None for what holds no report.

    Raises:
        ReportError: some are and some are not.
    """
    kinds = set(simulated) - {None}
    if len(kinds) > 1:
        rule = "must all be simulated or all be real: simulated ones say nothing of anybody"
        raise ReportError("reports", rule)
    return kinds.pop() if kinds else None


def _is_id(batch: object) -> bool:
    return isinstance(batch, str) and 1 <= len(batch) <= LONGEST_ID
