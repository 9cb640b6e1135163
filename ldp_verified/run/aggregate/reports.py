"""Reports with their provenance: the table they were drawn from, and whether they are private."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.identity import Identity, Scalar

if TYPE_CHECKING:
    from typing import Self

    import pyarrow as pa
    from numpy.typing import DTypeLike, NDArray


class Wire(Protocol):
    """A codec between reports and bytes, such as `ldp_verified.deploy.Deployment`."""

    def to_batch(self, reports: Any) -> bytes:
        """All reports in one piece."""

    def to_bytes(self, reports: Any) -> list[bytes]:
        """The bytes of each report alone."""

    def from_bytes(self, data: bytes) -> Any:
        """The reports that the bytes hold."""


class SentReports:
    """Reports that become bytes of a deployment, and come back."""

    __slots__ = ()

    def __repr__(self) -> str:
        named = getattr(getattr(self, "identity", None), "mechanism", None)
        simulated = "simulated " if getattr(self, "simulated", False) else ""
        many = f"{len(self)} " if isinstance(self, Sized) else ""
        made = "" if named is None else f" of {named}"
        return f"<{type(self).__name__}: {many}{simulated}reports{made}>"

    def to_bytes(self, deployment: Wire) -> bytes:
        """The reports as bytes that say which deployment they belong to: `docs/wire-format.md`.

        Args:
            deployment: a `ldp_verified.deploy.Deployment` of what they were made with.

        Raises:
            ReportError: it is of another mechanism.
        """
        return deployment.to_batch(self)

    @classmethod
    def from_bytes(cls, data: bytes, deployment: Wire) -> Self:
        """Read what `to_bytes` was called on, or what a client sent.

        Raises:
            ReportError: the bytes are damaged, of another version or deployment, or not of one
                report of a device where this is one.
        """
        found = deployment.from_bytes(data)
        if isinstance(found, list) and len(found) == 1:
            (found,) = found
        if not isinstance(found, cls):
            rule = f"must be one whose reports are {cls.__name__}"
            raise ReportError("deployment", rule, type(found))
        return found


class SentAlone(SentReports):
    """One report of a device."""

    __slots__ = ()

    def to_bytes(self, deployment: Wire) -> bytes:
        """The report as bytes that say which deployment it belongs to: `docs/wire-format.md`.

        Args:
            deployment: a `ldp_verified.deploy.Deployment` of what it was made with.

        Raises:
            ReportError: it is of another mechanism.
        """
        return deployment.to_bytes(self)[0]


@dataclass(frozen=True, eq=False, repr=False)
class Reports(SentReports):
    """A batch of reports as one array; each mechanism documents its layout.

    `data` is exposed read-only. Equal when identity, flag and arrays are.

    Attributes:
        data: one report per entry of the first axis; unsigned integers.
        identity: the mechanism, parameters, law and thresholds that the reports belong to.
        simulated: True if a seed or a numpy Generator drew them: such reports protect nobody.

    Raises:
        ReportError: `data` is not an array with a first axis, `identity` not an `Identity`, or
            `simulated` not a bool.
    """

    data: NDArray[np.unsignedinteger[Any]]
    identity: Identity
    simulated: bool = False

    def __post_init__(self) -> None:
        """Check the types and take a read-only view of the array."""
        if not isinstance(self.data, np.ndarray) or self.data.ndim == 0:
            raise ReportError("data", "must be an array of reports", type(self.data))
        if isinstance(self.data, np.ma.MaskedArray):
            raise ReportError("data", "must not be a masked array", type(self.data))
        if not isinstance(self.identity, Identity):
            raise ReportError("identity", "must be an Identity", type(self.identity))
        if not isinstance(self.simulated, bool):
            raise ReportError("simulated", "must be a bool", self.simulated)
        view = self.data.view()
        view.flags.writeable = False
        object.__setattr__(self, "data", view)

    @property
    def mechanism(self) -> str:
        """The class name of the mechanism."""
        return self.identity.mechanism

    @property
    def parameters(self) -> dict[str, Scalar]:
        """The mechanism's parameters."""
        return self.identity.parameters

    @property
    def law_hash(self) -> str:
        """sha256 of the law that the mechanism was generated from."""
        return self.identity.law_hash

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The integer thresholds that the reports were drawn with."""
        return self.identity.thresholds

    def to_arrow(self) -> pa.Table:
        """The reports as an Arrow table that says what they are; see `run.aggregate.arrow_tables`.

        Raises:
            ReportError: the reports are no unsigned integers of one or two axes.
        """
        from ldp_verified.run.aggregate.arrow_tables import table_of

        return table_of(self.data, self.identity, self.simulated)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch) -> Reports:
        """The reports of a table that `to_arrow` made, with memory shared where it can be.

        Raises:
            ReportError: the table is no such one, or has nulls.
        """
        from ldp_verified.run.aggregate.arrow_tables import contents_of

        return Reports(*contents_of(table))

    def __len__(self) -> int:
        return int(self.data.shape[0])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """The data, for numpy: what else the reports say of themselves is left behind."""
        return np.array(self.data, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reports):
            return NotImplemented
        return (
            self.identity == other.identity
            and self.simulated == other.simulated
            and self.data.dtype == other.data.dtype
            and bool(np.array_equal(self.data, other.data))
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.identity.parameter_items)
        return (
            f"<{len(self)} {'simulated ' if self.simulated else ''}reports of "
            f"{self.mechanism}({shown}), {self.data.dtype} {self.data.shape}>"
        )

    def __reduce__(self) -> tuple[type[Reports], tuple[object, ...]]:
        return (Reports, (np.asarray(self.data), self.identity, self.simulated))


def drawn_reports(data: NDArray[Any], identity: Identity, simulated: bool) -> Reports:
    """Reports in an array that was just drawn and that nobody else holds: it becomes read-only.

    They are those of `Reports`, which looks at its arguments. One report in a microsecond leaves no
    time for that.
    """
    data.flags.writeable = False
    made = object.__new__(Reports)
    made.__dict__.update(data=data, identity=identity, simulated=simulated)
    return made


def batches_of(reports: Reports | Iterable[Reports]) -> Iterable[Reports]:
    """A batch alone, or the batches of an iterable.

    Raises:
        ReportError: it is neither.
    """
    if isinstance(reports, Reports):
        return (reports,)
    if not isinstance(reports, Iterable) or isinstance(reports, np.ndarray | str | bytes):
        raise ReportError("reports", "must be Reports, or an iterable of them", type(reports))
    return reports


def check_batch(identity: Identity, batch: object) -> None:
    """Refuse what may not be counted by whoever has this identity.

    Raises:
        ReportError: no `Reports`, or of another mechanism, parameters, law or thresholds.
    """
    if not isinstance(batch, Reports):
        raise ReportError("reports", "must be Reports (wrap arrays with .reports)", type(batch))
    difference = identity.difference(batch.identity)
    if difference is not None:
        raise ReportError(
            "reports", f"are foreign: {difference}; all must be of the same mechanism"
        )


LEAST_PART_BYTES = 1 << 21
"""Bytes of reports that a thread is given, at least: fewer are counted before it is awake."""

REPORTS_PER_COUNTER = 8
"""Reports of a part for each counter of a state, at least: with fewer, a good deal of the time goes
into the tables of the parts and not into the reports."""

PARTS_PER_THREAD = 2
"""Parts of a batch for each thread, at most, all of a size: none waits long for another."""


def split(batch: Reports, counters: int, threads: int) -> list[Reports]:
    """A batch in parts that threads count on their own: rows of the same array, in order.

    Args:
        batch: the reports. What is none is left as it is, for who counts it to refuse.
        counters: how many counters a state has.
        threads: how many; one has it in one part.
    """
    if threads == 1 or not isinstance(batch, Reports) or not len(batch):
        return [batch]
    each = batch.data.nbytes // len(batch)
    least = max(REPORTS_PER_COUNTER * counters, LEAST_PART_BYTES // each)
    parts = min(PARTS_PER_THREAD * threads, max(1, len(batch) // least))
    size = -(-len(batch) // parts)
    rows = (batch.data[start : start + size] for start in range(0, len(batch), size))
    return [Reports(part, batch.identity, batch.simulated) for part in rows]
