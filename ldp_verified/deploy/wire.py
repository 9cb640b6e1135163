"""Reports as bytes and text: `docs/wire-format.md` says what each byte means.

One report: a byte for version and flag, 8 bytes of the descriptor's hash, the payload, 3 bytes of
CRC-24. A batch: a header with the whole hash and an id, the payloads, SHA-256. Checksums find
damage, not malice: whoever can send a report can send a made-up one with a checksum that fits.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ReportError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.run.aggregate.serial import plain_bytes

VERSION: Final = 1
SIMULATED: Final = 0x80
TAG_BYTES: Final = 8
CRC_BYTES: Final = 3
OVERHEAD: Final = 1 + TAG_BYTES + CRC_BYTES
"""Bytes of a report beside its payload."""

MAGIC: Final = b"LDPBATCH"
ID_BYTES: Final = 16
_HEADER: Final = struct.Struct(f"<8sB32s{ID_BYTES}sQ")
_DIGEST_BYTES: Final = 32

POLYNOMIAL: Final = 0x864CFB
START: Final = 0xB704CE
"""CRC-24 as in OpenPGP (RFC 4880, 6.1): it finds every change of one bit, and of 24 in a row."""

Octets = NDArray[np.uint8]

Given = bytes | bytearray | memoryview | str
"""What a client sent, as it may be read: bytes, or JSON."""


class WireBatch(NamedTuple):
    """Payloads, uint8 (n, bytes); whether they are simulated; the id, empty for one report."""

    payload: Octets
    simulated: bool
    id: bytes


def _table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32) << np.uint32(16)
    for _ in range(8):
        carried = (table >> np.uint32(23)) & np.uint32(1)
        table = ((table << np.uint32(1)) & np.uint32(0xFFFFFF)) ^ (carried * np.uint32(POLYNOMIAL))
    return table


_TABLE: Final = _table()


def crc24(rows: Octets) -> NDArray[np.uint32]:
    """The CRC-24 of each row of bytes, uint32 (n,)."""
    found = np.full(len(rows), START, np.uint32)
    for column in rows.T:
        place = ((found >> np.uint32(16)) & np.uint32(0xFF)) ^ column
        found = ((found << np.uint32(8)) & np.uint32(0xFFFFFF)) ^ _TABLE[place]
    return found


def write_reports(batch: WireBatch, digest: bytes) -> list[bytes]:
    """The bytes of each report on its own.

    Args:
        batch: of any number of reports. digest: the descriptor's SHA-256.
    """
    return [row.tobytes() for row in write_rows(batch, digest)]


def write_rows(batch: WireBatch, digest: bytes) -> Octets:
    """Reports as rows of bytes, uint8 (n, OVERHEAD + payload): a column of a table.

    Args:
        batch, digest: as in `write_reports`.
    """
    head = bytes([VERSION | (SIMULATED if batch.simulated else 0)]) + digest[:TAG_BYTES]
    start, end = len(head), len(head) + batch.payload.shape[1]
    rows = np.empty((len(batch.payload), end + CRC_BYTES), np.uint8)
    rows[:, :start] = np.frombuffer(head, np.uint8)
    rows[:, start:end] = batch.payload
    rows[:, end:] = _checksums(rows[:, :end])
    return rows


def read_rows(rows: Octets, digest: bytes, size: int) -> WireBatch:
    """Reports of single clients, many at once; the batch has no id.

    Args:
        rows: uint8 (n, OVERHEAD + size), n > 0, as `write_rows` gives them.
        digest: the descriptor's SHA-256. size: bytes of a payload.

    Raises:
        ReportError: as `read_report`, of any row; or some are simulated and some are not.
    """
    if not isinstance(rows, np.ndarray) or rows.dtype != np.uint8:
        rule = "must be an array of uint8, with a row for each report"
        raise ReportError("rows", rule, getattr(rows, "dtype", type(rows)))
    if rows.ndim != 2 or rows.shape[1] != OVERHEAD + size or not len(rows):
        raise ReportError("data", f"must be rows of {OVERHEAD + size} bytes", rows.shape)
    body, start = rows[:, :-CRC_BYTES], 1 + TAG_BYTES
    wrong = _checksums(body) != rows[:, -CRC_BYTES:]
    if wrong.any():
        rule = "is damaged: its checksum is another"
        raise ReportError(f"data[{_first(wrong)}]", rule)
    simulated, *others = {_flag(version) for version in set(body[:, 0].tobytes())}
    if others:
        raise ReportError("data", "must all be simulated or all be real")
    foreign = body[:, 1:start] != np.frombuffer(digest[:TAG_BYTES], np.uint8)
    if foreign.any():
        raise _foreign(body[_first(foreign), 1:start].tobytes(), digest)
    return WireBatch(body[:, start:].copy(), simulated, b"")


def _first(wrong: NDArray[np.bool_]) -> int:
    """The first row with anything wrong in it."""
    return int(wrong.any(axis=1).argmax())


def _checksums(rows: Octets) -> Octets:
    """The checksum of each row as it is sent, uint8 (n, 3)."""
    return crc24(rows).astype(">u4").view(np.uint8).reshape(len(rows), 4)[:, 1:]


def read_report(data: bytes, digest: bytes, size: int) -> WireBatch:
    """One report, of a payload of so many bytes.

    Raises:
        ReportError: another length or version, another deployment, or damaged.
    """
    whole = plain_bytes(data)
    if len(whole) != OVERHEAD + size:
        raise ReportError("data", f"must be {OVERHEAD + size} bytes long", len(whole))
    body, checksum = whole[:-CRC_BYTES], whole[-CRC_BYTES:]
    found = int(crc24(np.frombuffer(body, np.uint8)[np.newaxis])[0])
    if found.to_bytes(CRC_BYTES, "big") != checksum:
        raise ReportError("data", "is damaged: its checksum is another")
    simulated = _flag(body[0])
    if body[1 : 1 + TAG_BYTES] != digest[:TAG_BYTES]:
        raise _foreign(body[1 : 1 + TAG_BYTES], digest)
    payload = np.frombuffer(body, np.uint8)[1 + TAG_BYTES :]
    return WireBatch(payload[np.newaxis].copy(), simulated, b"")


def write_batch(batch: WireBatch, digest: bytes) -> bytes:
    """All reports in one piece."""
    version = VERSION | (SIMULATED if batch.simulated else 0)
    head = _HEADER.pack(MAGIC, version, digest, batch.id, len(batch.payload))
    body = head + batch.payload.tobytes()
    return body + hashlib.sha256(body).digest()


def read_batch(data: bytes, digest: bytes, size: int) -> WireBatch:
    """Return the arguments that `write_batch` was given.

    Raises:
        ReportError: no batch, of another length, version or deployment, or damaged.
    """
    whole = plain_bytes(data)
    if not whole.startswith(MAGIC):
        raise ReportError("data", "is no batch: it does not begin with LDPBATCH")
    body, checksum = whole[:-_DIGEST_BYTES], whole[-_DIGEST_BYTES:]
    if len(body) < _HEADER.size or hashlib.sha256(body).digest() != checksum:
        raise ReportError("data", "is damaged or cut short: its checksum is another")
    _, version, of, identifier, n = _HEADER.unpack_from(body)
    simulated = _flag(version)
    if of != digest:
        raise _foreign(of, digest)
    if len(body) - _HEADER.size != n * size:
        raise ReportError("data", f"must hold n = {n} reports of {size} bytes")
    payload = np.frombuffer(body, np.uint8)[_HEADER.size :].reshape(n, size)
    return WireBatch(payload.copy(), simulated, identifier)


def to_text(report: bytes) -> str:
    """One report, which `write_reports` made, as JSON in its one spelling."""
    body = report[:-CRC_BYTES]
    return json.dumps(
        {
            "ldp_verified": "report",
            "version": body[0] & ~SIMULATED,
            "simulated": bool(body[0] & SIMULATED),
            "deployment": body[1 : 1 + TAG_BYTES].hex(),
            "payload": body[1 + TAG_BYTES :].hex(),
            "crc24": report[-CRC_BYTES:].hex(),
        }
    )


def of_text(text: str) -> bytes:
    """The bytes of a report that `to_text` was given.

    Raises:
        ReportError: it is no such text, in this very spelling.
    """
    try:
        found: Any = read_json(text)
        version = found["version"] | (SIMULATED if found["simulated"] else 0)
        parts = (bytes.fromhex(found[name]) for name in ("deployment", "payload", "crc24"))
        report = b"".join([bytes([version]), *parts])
        if len(report) >= OVERHEAD and to_text(report) == text:
            return report
    except (NotJsonError, TypeError, KeyError, ValueError, IndexError, RecursionError):
        pass
    raise ReportError("text", "is no report in JSON, spelled as the format says")


def whole_of(data: Given) -> bytes:
    """The bytes of a report, batch or text.

    Args:
        data: bytes in any of their types, or the text of a report.

    Raises:
        ReportError: something else, or a text that is no report.
    """
    return of_text(data) if isinstance(data, str) else plain_bytes(data)


def tag_of(data: Given) -> bytes:
    """The bytes of a descriptor's hash that stand in a report, batch or text, unchecked.

    Raises:
        ReportError: a text that is no report.
    """
    whole = whole_of(data)
    start = len(MAGIC) + 1 if whole.startswith(MAGIC) else 1
    return whole[start : start + TAG_BYTES]


def to_payload(bits: Octets) -> Octets:
    """Rows of bits as rows of bytes, the first bit the lowest of the first byte."""
    return np.packbits(bits, axis=1, bitorder="little")


def of_payload(payload: Octets, bits: int) -> Octets:
    """The rows of bits.

    Raises:
        ReportError: a bit is set beyond the last one.
    """
    found = np.unpackbits(payload, axis=1, bitorder="little")
    if found[:, bits:].any():
        raise ReportError("data", f"must be zero beyond bit {bits - 1}")
    return found[:, :bits]


def _flag(version: int) -> bool:
    """Read from the first byte whether reports are simulated.

    Raises:
        ReportError: another version.
    """
    if version & ~SIMULATED != VERSION:
        raise ReportError("data", f"must have format version {VERSION}", version & ~SIMULATED)
    return bool(version & SIMULATED)


def _foreign(found: bytes, digest: bytes) -> ReportError:
    shown, mine = found[:TAG_BYTES].hex(), digest[:TAG_BYTES].hex()
    return ReportError("data", f"is foreign: of deployment {shown}, not {mine}")
