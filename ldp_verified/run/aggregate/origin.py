"""The origin of the reports of a state: drawn in earnest or simulated, and in which batches.

A state holds reports of one kind: real ones, unless it is told `simulated=True`. Simulated reports
protect nobody and say nothing of anybody, so that a state of both would be wrong about users in
silence, and one of simulated reports that nobody asked for as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.scalars import utf8_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.run.aggregate.shared import Shared

REPEATED: Final = ("refuse", "ignore")
"""What may happen to a batch that was counted already."""

LONGEST_ID: Final = 64

MOST_REPORTS: Final = (1 << 63) - 1
"""Counts of a state are signed 64-bit numbers, and so is their sum."""


class ReportOrigin(NamedTuple):
    """The kind of reports that a state has seen, and their batches.

    Attributes:
        simulated: whether they were drawn from a seed or a generator; it refuses the others.
        batches: the ids of the batches that had one.
    """

    simulated: bool = False
    batches: frozenset[str] = frozenset()

    @classmethod
    def checked(cls, simulated: object, batches: object) -> ReportOrigin:
        """The origin that a caller gave.

        Raises:
            ParameterError: `simulated` is not a bool, or `batches` no ids.
        """
        if not isinstance(simulated, bool):
            raise ParameterError("simulated", "must be a bool", simulated)
        if not isinstance(batches, frozenset) or not all(map(_is_id, batches)):
            raise ParameterError("batches", "must be a frozenset of ids", type(batches))
        return cls(simulated, batches)

    def joined(
        self, simulated: bool, rows: int, batch: str | None = None, repeated: str = "refuse"
    ) -> ReportOrigin | None:
        """The origin with more reports; None where they were counted already, and that is fine.

        Args:
            simulated: whether they are. rows: how many; no reports are of either kind.
            batch: their id, if they have one. repeated: "refuse" or "ignore" a known id.

        Raises:
            ParameterError: `batch` is no id, or `repeated` something else.
            ReplayError: they were counted already.
            ReportError: they are simulated and this is no origin of such ones, or the other way
                round.
        """
        return self.merged(ReportOrigin(simulated if rows else self.simulated), batch, repeated)

    def merged(
        self, other: ReportOrigin, batch: str | None = None, repeated: str = "refuse"
    ) -> ReportOrigin | None:
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
            # Ids of states that were saved before are not looked at: they are read as ever.
            if utf8_of(str(batch)) is None:
                raise ParameterError("batch", "must be a text that UTF-8 can hold", ascii(batch))
            if batch in self.batches and repeated == "ignore":
                return None
            ids |= {batch}
        both = self.batches & ids
        if both:
            raise ReplayError("batch", "was counted already", min(both))
        self.refuse_other_kind(other.simulated)
        return ReportOrigin(self.simulated, self.batches | ids)

    def refuse_other_kind(self, simulated: bool) -> None:
        """Check that reports are of the kind of this origin.

        Raises:
            ReportError: they are of the other one.
        """
        if simulated and not self.simulated:
            rule = "are simulated and protect nobody: they are counted with simulated=True only"
            raise ReportError("reports", rule)
        if self.simulated and not simulated:
            raise ReportError("reports", "are real: this state is for simulated ones")

    def record(self) -> dict[str, Any]:
        """The origin as JSON values, for the header of a state."""
        listed = {"batches": sorted(self.batches)} if self.batches else {}
        return {"simulated": self.simulated} | listed

    @classmethod
    def of_record(cls, header: dict[str, Any], n: int) -> ReportOrigin:
        """The origin of n reports in a header that has what `record` gave.

        Raises:
            ReportError: it has something else.
        """
        simulated, batches = header.get("simulated", ""), header.get("batches", [])
        if simulated is None and n == 0:
            simulated = False  # so development versions wrote a state that had seen nothing
        if type(simulated) is not bool:
            raise ReportError("data", "must have a flag simulated")
        if (
            not isinstance(batches, list)
            or not all(map(_is_id, batches))
            or batches != sorted(set(batches))
        ):
            raise ReportError("data", "must list the ids of batches once each, in order")
        return cls(simulated, frozenset(batches))


class _WithOrigin(Protocol):
    """The content of a state, with the origin of its reports."""

    @property
    def origin(self) -> ReportOrigin:
        """The origin of all reports of the state."""


Content = TypeVar("Content", bound=_WithOrigin)


class HasOrigin(Generic[Content]):
    """A state whose shared content has the origin of its reports."""

    __slots__ = ()
    _seen: Shared[Content]

    @property
    def simulated(self) -> bool:
        """Return whether the state's reports are simulated: all or none."""
        return self._seen.now.origin.simulated

    @property
    def batches(self) -> frozenset[str]:
        """The ids of the batches that were counted."""
        return self._seen.now.origin.batches


def check_number(n: int) -> None:
    """Refuse what is no number of reports of a state.

    Raises:
        ParameterError: it is not in 0..2^63-1.
    """
    if not 0 <= n <= MOST_REPORTS:
        raise ParameterError("n", "must be an integer in 0..2^63-1", n)


def checked_total(n: int, more: int) -> int:
    """The number of reports of two states together.

    Raises:
        ReportError: a state does not hold so many.
    """
    if n + more > MOST_REPORTS:
        raise ReportError("reports", "are more than 2^63-1 in all", n + more)
    return n + more


def one_kind(simulated: Iterable[bool]) -> bool | None:
    """Return whether all reports are simulated (None: there are none).

    Args:
        simulated: of each of several, whether it is.

    Raises:
        ReportError: some are and some are not.
    """
    kinds = set(simulated)
    if len(kinds) > 1:
        rule = "must all be simulated or all be real: simulated ones say nothing of anybody"
        raise ReportError("reports", rule)
    return kinds.pop() if kinds else None


def _is_id(batch: object) -> bool:
    return isinstance(batch, str) and 1 <= len(batch) <= LONGEST_ID
