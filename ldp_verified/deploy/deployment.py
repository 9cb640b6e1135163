"""`Deployment`: a mechanism or protocol, published, with its clients and its collector."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ldp_verified.deploy import descriptor, wire
from ldp_verified.deploy.clients import Client, Device
from ldp_verified.deploy.collector import Collector
from ldp_verified.errors import ParameterError, ReportError, size_or_type
from ldp_verified.run.aggregate.files import checked_path, replacing
from ldp_verified.run.kernels import PROGRAM_VERSION

if TYPE_CHECKING:
    import os

    from ldp_verified.deploy.formats import Format
    from ldp_verified.protocols.spending import SpendingBook


@dataclass(frozen=True)
class Deployment:
    """The agreement between clients and a collector.

    Attributes:
        mechanism: an object of the catalogue or of `ldp_verified.protocols`. They share too little
            for a type of their own: `isinstance` tells a type checker which one it is.
        protocol: what it is a part of, a name for people; None where it stands alone.
        round: of the protocol, from 0.
        program: the version of the program that it was published with; this one's by default.
        accepts: versions of the program whose reports are counted, `program` among them.

    Raises:
        ParameterError: no such mechanism, or another argument out of its range.
    """

    mechanism: Any
    protocol: str | None = None
    round: int = 0
    program: int = PROGRAM_VERSION
    accepts: tuple[int, ...] = (PROGRAM_VERSION,)

    def __post_init__(self) -> None:
        """Check that the deployment can be described."""
        self.digest  # noqa: B018  (what cannot be described is refused here)

    @cached_property
    def text(self) -> str:
        """The descriptor: JSON in its one spelling, which is what is hashed."""
        record = descriptor.record_of(
            self.mechanism, self.protocol, self.round, self.program, self.accepts
        )
        return descriptor.spelled(record)

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the descriptor, 32 bytes."""
        return hashlib.sha256(self.text.encode("ascii")).digest()

    @property
    def tag(self) -> str:
        """The first 8 bytes of the digest in hex: what stands in every report."""
        return self.digest[: wire.TAG_BYTES].hex()

    @cached_property
    def format(self) -> Format:
        """How reports are written."""
        return descriptor.checked_format(self.mechanism)

    @property
    def payload_bytes(self) -> int:
        """Bytes of a report beside the 12 that every report has."""
        return -(-self.format.bits // 8)

    @property
    def report_bytes(self) -> int:
        """Bytes of a single report, all in all."""
        return wire.OVERHEAD + self.payload_bytes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the descriptor to a file that does not exist yet, or holds it already.

        Args:
            path: of the file.

        Raises:
            ParameterError: the file holds something else. Reports in the field name the descriptor
                that they were made for, and cannot be read without it.
            OSError: the file cannot be written.
        """

        def refuse_to_lose() -> None:
            there = checked_path(path)
            if there.is_file() and there.read_bytes() != self.text.encode("ascii"):
                rule = (
                    "must not replace another file: reports may need the descriptor that it holds"
                )
                raise ParameterError("path", rule, str(path))

        with replacing(path, refuse_to_lose) as part:
            part.write_text(self.text, encoding="ascii")

    @classmethod
    def from_text(cls, text: str | bytes) -> Deployment:
        """The deployment of a descriptor.

        Args:
            text: of a descriptor, as it was published.

        Raises:
            ReportError: the text is no descriptor, or says something else than this program finds.
        """
        if isinstance(text, bytes):
            try:
                text = text.decode("ascii")
            except UnicodeDecodeError:
                raise ReportError("descriptor", "must be ASCII") from None
        made, record = descriptor.read(text)
        accepts = tuple(record["accepts"])
        return cls(made, record["protocol"], record["round"], record["program"], accepts)

    # --- both sides --------------------------------------------------------------------------

    def client(self, book: SpendingBook | None = None, **more: Any) -> Client:
        """A client without memory.

        Args:
            book: of one user, which each report is charged to. Deployments that follow one another
                are charged to one book: what a user told the old one is not forgotten.
            more: in a protocol whose users have public groups or numbers, theirs: `group` (drawn
                without looking at any value if it is left out) or `number` (needed).

        Raises:
            ParameterError: its devices remember: `device` makes one; or there is a book and the
                mechanism's price has a delta, which a book cannot hold; or no client takes `more`.
        """
        return Client(self, book, **more)

    def device(
        self,
        *,
        new_user: bool = False,
        saved: str | bytes | None = None,
        seen: int = 0,
        **more: Any,
    ) -> Device:
        """A device that remembers: permanent answers, or what it said on earlier days.

        Args:
            new_user: True for a user who never reported.
            saved: what `Device.save` gave, for everybody else.
            seen: how much of its past is known (see `restore` of the protocol's client).
            more: further arguments of that client.

        Raises:
            ParameterError: the mechanism has no memory, or not one of `new_user` and `saved`.
            ReportError: `saved` is damaged or of another deployment.
        """
        return Device.made(self, new_user=new_user, saved=saved, seen=seen, **more)

    def collector(self, *, simulated: bool = False) -> Collector:
        """The server's side, which has seen nothing.

        Args:
            simulated: whether it counts simulated reports; they are refused otherwise.
        """
        return Collector(self, simulated=simulated)

    def load_collector(
        self, path: str | os.PathLike[str], *, implausible: bool = False
    ) -> Collector:
        """A collector of this deployment that `Collector.save` wrote: see `Saved.load`."""
        return Collector.load(path, self, implausible=implausible)

    # --- reports -----------------------------------------------------------------------------

    def to_bytes(self, reports: Any) -> list[bytes]:
        """Each report as bytes: 12 more than its payload.

        Args:
            reports: `Reports`, `MemoReport`s, `RapporReport`s, a tuple of `Reports`,
                `SampledReports`, `GroupReports` or `SignReports`, as the mechanism or protocol
                gives them.

        Raises:
            ReportError: they are none of this deployment.
        """
        return wire.write_reports(self._batch(reports), self.digest)

    def to_rows(self, reports: Any) -> wire.Octets:
        """The bytes of `to_bytes` as rows, uint8 (n, 12 + payload_bytes): a column of a table.

        Raises:
            ReportError: as in `to_bytes`.
        """
        return wire.write_rows(self._batch(reports), self.digest)

    def of_rows(self, rows: wire.Octets) -> tuple[Any, wire.WireBatch]:
        """The reports in rows that `to_rows` gave, and what was around them.

        Args:
            rows: uint8 (n, 12 + payload_bytes), n > 0.

        Raises:
            ReportError: another length, version or deployment, damaged, or no reports of it.
        """
        batch = wire.read_rows(rows, self.digest, self.payload_bytes)
        bits = wire.of_payload(batch.payload, self.format.bits)
        return self.format.of_bits(bits, batch.simulated), batch

    def to_batch(self, reports: Any, batch_id: bytes | None = None) -> bytes:
        """All reports in one piece.

        Args:
            reports: as in `to_bytes`.
            batch_id: 16 bytes by which a collector knows the batch again; drawn by default.

        Raises:
            ReportError: as in `to_bytes`, or the id has another length.
        """
        given = secrets.token_bytes(wire.ID_BYTES) if batch_id is None else batch_id
        if not isinstance(given, bytes) or len(given) != wire.ID_BYTES:
            got = size_or_type(given, bytes)
            raise ReportError("batch_id", f"must be {wire.ID_BYTES} bytes", got)
        return wire.write_batch(self._batch(reports)._replace(id=given), self.digest)

    def to_text(self, reports: Any) -> list[str]:
        """Each report as JSON.

        Raises:
            ReportError: as in `to_bytes`.
        """
        return [wire.to_text(each) for each in self.to_bytes(reports)]

    def _batch(self, reports: Any) -> wire.WireBatch:
        bits, simulated = self.format.to_bits(reports)
        return wire.WireBatch(wire.to_payload(bits), simulated, b"")

    def from_bytes(self, data: wire.Given) -> Any:
        """The reports in what `to_bytes`, `to_batch` or `to_text` gave.

        Raises:
            ReportError: another length, version or deployment, damaged, or no reports of it.
        """
        return self.read(data)[0]

    def read(self, data: wire.Given, *, single: bool = False) -> tuple[Any, wire.WireBatch]:
        """The reports, and what was around them.

        Args:
            data: what a client sent.
            single: True to read one report and no batch.

        Raises:
            ReportError: as in `from_bytes`, or a batch where that is not asked for.
        """
        whole = wire.whole_of(data)
        batched = whole.startswith(wire.MAGIC) and not single
        read = wire.read_batch if batched else wire.read_report
        batch = read(whole, self.digest, self.payload_bytes)
        bits = wire.of_payload(batch.payload, self.format.bits)
        return self.format.of_bits(bits, batch.simulated), batch


def load_deployment(path: str | os.PathLike[str]) -> Deployment:
    """Load the deployment that `Deployment.save` or `ldp-verified deploy` wrote.

    Args:
        path: of its descriptor.

    Returns:
        The deployment; its mechanism is made anew and compared with what the file says.

    Raises:
        OSError: the file cannot be read.
        ParameterError: `path` is no path.
        ReportError: as `Deployment.from_text`.
    """
    place = checked_path(path)
    if place.stat().st_size > descriptor.LONGEST:
        raise ReportError("descriptor", "must have at most 2^24 bytes", place.stat().st_size)
    return Deployment.from_text(place.read_bytes())
