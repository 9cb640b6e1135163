"""States that keep their reports: for domains that no table of counts fits.

Reports of local hashing have no smaller summary than themselves. So such a state takes memory for
its reports, none for the domain, and a candidate costs one look at each report.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ldp_verified.errors import ReportError, check_kind
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.listed import Listed, check_values
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.origin import HasOrigin, ReportOrigin
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.aggregate.saved import Saved, check_identity
from ldp_verified.run.aggregate.serial import (
    identity_record,
    integers_of,
    list_of,
    split,
    unwrap,
    wrap,
)
from ldp_verified.run.aggregate.shared import Shared

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    Unsigned = NDArray[np.unsignedinteger[Any]]

KIND = "kept reports"
T = TypeVar("T", bound="KeptReports")


class _Seen(NamedTuple):
    """Parts, each some columns with one row for a report; nobody writes to the arrays."""

    parts: tuple[tuple[Unsigned, ...], ...]
    origin: ReportOrigin = ReportOrigin()


class KeptReports(HasOrigin[_Seen], Saved):
    """Columns of reports that update, merge, and become bytes; subclasses know what they mean.

    Args:
        made: the protocol or oracle whose reports are kept.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: `simulated` is not a bool.
    """

    def __init__(self, made: Any, simulated: bool = False) -> None:
        self._made = made
        self._seen = Shared(_Seen((), ReportOrigin.checked(simulated, frozenset())))

    def __copy__(self) -> Self:
        found = object.__new__(type(self))
        found.__dict__ |= self.__dict__ | {"_seen": Shared(self._seen.now)}
        return found

    def __repr__(self) -> str:
        simulated = "simulated " if self.simulated else ""
        made = self.identity.mechanism
        return f"<{type(self).__name__} of {self.rows} {simulated}{made} reports>"

    def __reduce__(self) -> tuple[Any, ...]:
        # What is read from a pickle is checked as any state is.
        return _restored, (type(self), self._made, *self._now())

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""

    @abstractmethod
    def _checked(self, columns: Sequence[Unsigned]) -> tuple[Unsigned, ...]:
        """The columns in the dtypes and shapes that reports have; all of one length.

        Raises:
            ReportError: no reports have them.
        """

    @property
    def rows_of_user(self) -> int:
        """Rows of one report, which stay together in their order."""
        return 1

    def _require_shapes(self, names: Sequence[str], columns: Sequence[Unsigned]) -> None:
        """Check that there is a plain array for each name, all of one length and like `_none`.

        Raises:
            ReportError: no reports have these columns.
        """
        none = self._none()
        if len(columns) != len(none):
            rule = f"must have {', '.join(names[:-1])} and {names[-1]}"
            raise ReportError("reports", rule, len(columns))
        for name, array, empty in zip(names, columns, none, strict=True):
            plain = type(array) is np.ndarray and array.dtype == empty.dtype
            if not plain or array.shape != (len(columns[0]), *empty.shape[1:]):
                raise ReportError(name, f"must be {empty.dtype} of one row for each report")

    def _require_own(self, reports: Any, kind: type) -> ReportOrigin:
        """Check that reports are of this kind and of this protocol; return their origin.

        Raises:
            ReportError: they are something else, or foreign.
        """
        check_kind("reports", reports, kind, ReportError)
        check_kind("identity", reports.identity, Identity, ReportError)
        check_kind("simulated", reports.simulated, bool, ReportError)
        difference = self.identity.difference(reports.identity)
        if difference is not None:
            raise ReportError("reports", f"are foreign: {difference}")
        return ReportOrigin(bool(reports.simulated))

    def _refuse_together(self, parts: Sequence[tuple[Unsigned, ...]]) -> None:
        """Check what no report shows alone; while it runs nobody adds another one.

        Raises:
            ReportError: these reports cannot all be counted.
        """

    def _refuse_implausible(self) -> None:
        """Check what chance makes of honest reports, whatever the values are.

        Raises:
            ReportError: honest reports are like these with a chance below 2^-100 only.
        """

    @abstractmethod
    def estimate(self, values: object) -> Estimate:
        """Estimated counts of some values, fixed before the reports are looked at."""

    @abstractmethod
    def _none(self) -> tuple[Unsigned, ...]:
        """The columns of no report."""

    @property
    def rows(self) -> int:
        """The number of reports seen."""
        return sum(len(columns[0]) for columns in self._seen.now.parts)

    @property
    def columns(self) -> tuple[Unsigned, ...]:
        """All reports so far, in the order in which they came; not to be written to."""
        return self._now()[0]

    def _now(self) -> tuple[tuple[Unsigned, ...], ReportOrigin]:
        """(Columns, origin) of one moment."""
        found = self._seen.change(_in_one)
        return found.parts[0] if found.parts else self._none(), found.origin

    def _add(
        self,
        columns: Sequence[Unsigned],
        origin: ReportOrigin,
        batch: str | None = None,
        repeated: str = "refuse",
        *,
        declared: bool = False,
    ) -> None:
        """Add checked columns; all of them, or none where they or their origin are refused.

        No reports say nothing of what is to come, unless that was declared.
        """
        part = self._checked(columns)

        def added(seen: _Seen) -> _Seen:
            if declared:
                both = seen.origin.merged(origin, batch, repeated)
            else:
                both = seen.origin.joined(origin.simulated, len(part[0]), batch, repeated)
            if both is None:
                return seen
            parts = (*seen.parts, part) if len(part[0]) else seen.parts
            if parts:
                self._refuse_together(parts)
            return _Seen(parts, both)

        self._seen.change(added)

    def merge(self, other: Self, batch: str | None = None, repeated: str = "refuse") -> Self:
        """A new state that has seen what both have.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: the other is no such state, of another protocol or other parameters, or has
                seen what no state may see together with this one's reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        check_kind("other", other, type(self), ReportError)
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"is foreign: {difference}")
        found = copy(self)
        found._add(*other._now(), batch, repeated, declared=True)
        return found

    def in_order(self) -> Self:
        """A copy whose rows are sorted, so that it does not say in which order they came."""
        columns, origin = self._now()
        found = copy(self)
        found._seen = Shared(_Seen((sorted_rows(columns, self.rows_of_user),), origin))
        return found

    def to_bytes(self) -> bytes:
        """The state as bytes in the format of `run.aggregate.serial`; the body is the columns."""
        columns, origin = self._now()
        little = [each.astype(each.dtype.newbyteorder("<")).tobytes() for each in columns]
        header = (
            identity_record(self.identity)
            | origin.record()
            | {
                "rows": len(columns[0]),
                "bytes": [each.itemsize for each in columns],
                "widths": [0 if each.ndim == 1 else each.shape[1] for each in columns],
            }
        )
        return wrap(KIND, header, b"".join(little))

    @classmethod
    def from_bytes(cls, data: bytes, made: Any, /, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: as in the constructor. implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: the bytes are damaged, the state is of other reports, or honest ones hardly
                ever are like these.
        """
        header, body = unwrap(KIND, data)
        check_identity(cls(made).identity, header)
        (rows,) = integers_of(header, "rows")
        sizes, widths = list_of(header, "bytes"), list_of(header, "widths")
        if len(sizes) != len(widths) or not set(sizes) <= {1, 2, 4, 8} or not sizes:
            raise ReportError("data", "must name the columns of its reports")
        if rows < 0 or min(widths) < 0:
            raise ReportError("data", "must have as many reports as it says")
        lengths = tuple(rows * s * (w or 1) for s, w in zip(sizes, widths, strict=True))
        columns = []
        for part, size, width in zip(split(body, lengths), sizes, widths, strict=True):
            flat = np.frombuffer(part, dtype=f"<u{size}").astype(f"=u{size}")
            columns.append(flat.reshape(rows, width) if width else flat)
        state = _restored(cls, made, columns, ReportOrigin.of_record(header, rows))
        if not implausible:
            state._refuse_implausible()
        return state


def _restored(cls: type[T], made: Any, columns: Sequence[Unsigned], origin: ReportOrigin) -> T:
    state = cls(made, origin.simulated)
    state._add(columns, origin, declared=True)
    return state


def _in_one(seen: _Seen) -> _Seen:
    if len(seen.parts) < 2:
        return seen
    joined = tuple(np.concatenate(columns) for columns in zip(*seen.parts, strict=True))
    return _Seen((joined,), seen.origin)


def sorted_rows(columns: Sequence[Unsigned], together: int = 1) -> tuple[Unsigned, ...]:
    """Rows sorted by their numbers, the first column first.

    Args:
        columns: each (n,) or (n, width), at least one. together: rows that stay in one piece.
    """
    rows = len(columns[0])
    if not rows:
        return tuple(columns)
    big = (np.ascontiguousarray(each, each.dtype.newbyteorder(">")) for each in columns)
    octets = np.concatenate([each.view(np.uint8).reshape(rows, -1) for each in big], axis=1)
    keys = octets.reshape(rows // together, -1)
    order = np.argsort(keys.view(f"S{keys.shape[1]}")[:, 0], kind="stable")
    places = (order[:, np.newaxis] * together + np.arange(together)).reshape(-1)
    return tuple(each[places] for each in columns)


def refuse_repeated(numbers: Sequence[Unsigned]) -> None:
    """Check that no public number of a user comes twice.

    Raises:
        ReportError: one does.
    """
    every = np.concatenate(numbers)
    if len(np.unique(every)) != len(every):
        raise ReportError("numbers", "must be different: a user reports once")


class KeptState(KeptReports):
    """The reports of a mechanism, kept: counts of any list of its values, at any time.

    For domains whose table of counts would not fit, such as OLH over 2^31 values. A report takes
    the bytes of its row, and a candidate one look at each report.

    Args:
        oracle: a mechanism's `.oracle`, of reports that support values.
        simulated: as for every state that keeps reports.

    Raises:
        ParameterError: it is none, or outputs support no value.
    """

    def __init__(self, oracle: FrequencyOracle, simulated: bool = False) -> None:
        check_kind("oracle", oracle, FrequencyOracle)
        super().__init__(oracle, simulated)
        self.oracle = oracle

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self.oracle.identity

    @property
    def n(self) -> int:
        """The number of reports seen."""
        return self.rows

    def _none(self) -> tuple[Unsigned, ...]:
        shape = self.oracle.layout.shape
        width = sum(field.columns for field in shape.fields)
        return (np.zeros(0 if shape.flat else (0, width), shape.dtype),)

    def _checked(self, columns: Sequence[Unsigned]) -> tuple[Unsigned, ...]:
        if len(columns) != 1:
            raise ReportError("reports", "must be one array", len(columns))
        return (self.oracle.layout.check(columns[0]).copy(),)

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> KeptState:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

        Args and Raises: as `State.update`.
        """
        check_batch(self.identity, reports)
        self._add((reports.data,), ReportOrigin(reports.simulated), batch, repeated)
        return self

    def estimate(self, values: object) -> Estimate:
        """Unbiased estimates of the counts of some values, fixed before the reports are seen.

        Args:
            values: one or more integers in 0..k-1, each once, public ones.

        Raises:
            DomainError: they are not. ParameterError: one stands there twice.
        """
        listed = check_values(values, self.oracle.k)
        (data,) = self.columns
        supports = [np.count_nonzero(self.oracle.layout.holds(data, v)) for v in listed]
        counted = np.array(supports, dtype=np.int64)
        found = Listed(self.oracle, len(listed))
        named = self.oracle.named(listed)
        return Estimate(found, len(data), counted, bool(self.simulated), named)
