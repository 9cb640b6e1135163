"""A server's state that is nothing but how often each message of a protocol came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.run.aggregate.origin import ReportOrigin, check_number, checked_total
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.aggregate.saved import Saved, check_identity, identity_made
from ldp_verified.run.aggregate.serial import identity_record, list_of, unwrap, wrap
from ldp_verified.run.aggregate.shared import InPlace
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.realize.report_rows import checked_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity


class NumberedReports(Protocol):
    """A protocol whose messages are 0..codes - 1."""

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted."""

    @property
    def codes(self) -> int:
        """The number of messages."""


def wrapped_messages(made: NumberedReports, data: object, simulated: bool) -> Reports:
    """Wrap messages as reports.

    Args:
        made: the protocol. data: integers 0..codes - 1, one axis. simulated: whether they are.

    Raises:
        ReportError: these are no messages of it. ParameterError: `simulated` is no bool.
    """
    check_kind("simulated", simulated, bool)
    checked = checked_messages(made, data)
    return Reports(checked.astype(smallest_dtype(made.codes)), made.identity, simulated)


def checked_messages(made: NumberedReports, data: object) -> NDArray[np.int64]:
    """Messages of reports as int64, after a look at their range.

    Raises:
        ReportError: they are no such ones.
    """
    array = data if type(data) is np.ndarray else None
    if array is None or array.ndim != 1 or array.dtype.kind not in "iu":
        raise ReportError("reports", "must be one axis of integers")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < made.codes:
        raise ReportError("reports", f"must be in 0..{made.codes - 1}")
    return array.astype(np.int64)


def told_messages(
    made: NumberedReports, numbers: object, columns: Sequence[range], simulated: bool
) -> Reports:
    """Wrap what programs gave as reports: numbers that are a message plus 1, or 0 for none.

    Args:
        made: the protocol. numbers: integers, a row for each report.
        columns: the messages that each number of a row may be. simulated: whether they are.

    Raises:
        ReportError: there are not as many numbers, or some do not fit. ParameterError: `simulated`
            is no bool.
    """
    rows = checked_rows(numbers, len(columns), simulated)
    for place, (told, known) in enumerate(zip(rows.T, columns, strict=True)):
        some = told[told > 0]
        if len(some) and not known.start < int(some.min()) <= int(some.max()) <= known.stop:
            rule = f"must be 0 or in {known.start + 1}..{known.stop} at place {place}"
            raise ReportError("numbers", rule)
    messages = rows[rows > 0] - np.uint64(1)
    return wrapped_messages(made, messages, simulated)


@dataclass(frozen=True)
class MessageCounts(InPlace, Saved):
    """Counts of messages; a commutative monoid under `merge`.

    Attributes:
        protocol: whose messages. counts: how often each of them came.
        simulated: whether they are simulated. batches: the ids of those that had one.
        kind: of the bytes that it is kept as.
    """

    protocol: Any
    counts: tuple[int, ...]
    simulated: bool = False
    batches: frozenset[str] = frozenset()

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        """Refuse counts that no messages have.

        Raises:
            ParameterError: they are such ones.
        """
        ReportOrigin.checked(self.simulated, self.batches)
        codes = self.protocol.codes
        if len(self.counts) != codes or min(self.counts) < 0:
            raise ParameterError("counts", f"must be {codes} numbers >= 0", len(self.counts))
        check_number(self.messages)

    @property
    def messages(self) -> int:
        """The number of messages that were counted."""
        return sum(self.counts)

    @property
    def _origin(self) -> ReportOrigin:
        return ReportOrigin(self.simulated, self.batches)

    def to_bytes(self) -> bytes:
        """The state as bytes: all of it in the header, no body."""
        header = identity_record(self.protocol.identity) | self._origin.record()
        return wrap(self.kind, header | {"counts": list(self.counts)} | self._further())

    @classmethod
    def from_bytes(cls, data: bytes, made: Any, /, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the protocol.
            implausible: has no effect: whatever was counted is read again. One liar may send what
                honest users never do, and it is estimates that say so.

        Raises:
            ReportError: as `Saved.from_bytes`.
        """
        del implausible
        header, body = unwrap(cls.kind, data)
        check_identity(identity_made(made), header)
        counts = list_of(header, "counts")
        if body:
            raise ReportError("data", "must end after its header")
        try:
            origin = ReportOrigin.of_record(header, sum(counts))
            state = cls(made, counts, *origin, **cls._read_further(header))
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        return state

    def update(self, reports: Reports, batch: str | None = None, repeated: str = "refuse") -> Self:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

        Args:
            reports: messages of any users and days. batch, repeated: as in `State.update`.

        Raises:
            ReportError: the messages belong to another protocol, or one is none; or they are
                simulated and those of the state are not, or the other way round.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """
        check_batch(self.protocol.identity, reports)
        data = checked_messages(self.protocol, reports.data)
        more: list[int] = np.bincount(data, minlength=self.protocol.codes).tolist()

        def counted(now: Self) -> Self:
            origin = now._origin.joined(reports.simulated, len(data), batch, repeated)
            return now if origin is None else now._with(more, origin)

        return self._become(counted)

    def merge(self, other: Self, batch: str | None = None, repeated: str = "refuse") -> Self:
        """A new state that has seen both; arguments and errors as for `State.merge`."""
        if not isinstance(other, type(self)):
            raise ReportError("other", f"must be a {type(self).__name__}", type(other))
        difference = self.protocol.identity.difference(other.protocol.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same protocol: {difference}")
        origin = self._origin.merged(other._origin, batch, repeated)
        return self if origin is None else self._joined(other, origin)

    def _joined(self, other: Self, origin: ReportOrigin) -> Self:
        return self._with(other.counts, origin)

    def _further(self) -> dict[str, Any]:
        """Return what a header has besides, for subclasses."""
        return {}

    @classmethod
    def _read_further(cls, header: dict[str, Any]) -> dict[str, Any]:
        """Further arguments of the state, from what `_further` gave; it may lack in older files."""
        del header
        return {}

    def _with(self, more: Iterable[int], origin: ReportOrigin) -> Self:
        counts = tuple(a + b for a, b in zip(self.counts, more, strict=True))
        checked_total(sum(counts), 0)
        return replace(self, counts=counts, **origin._asdict())
