"""A state as bytes, and back: integers and what they count, with a checksum; no pickle.

    offset  bytes  what
    0       8      b"LDPSTATE"
    8       2      format version, 2
    10      4      length L of the header
    14      L      header: JSON in UTF-8, keys sorted
    14 + L  8 c    the c counters, signed 64-bit
    ...     32     SHA-256 of everything before it

Numbers are little-endian. The header holds `mechanism`, `parameters`, `law_hash`, `thresholds`,
`n`, `simulated` and `counters` (c). The checksum finds damage, not malice: whoever can write the
file can write a checksum too. Version 1, of 0.1.0, named the hash of a spec's file, prose and all,
in the place of its law's: it is refused.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ldp_verified.aggregate.reports import Identity
from ldp_verified.errors import ReportError
from ldp_verified.jsontext import NotJsonError, read_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC: Final = b"LDPSTATE"
VERSION: Final = 2
FIRST_VERSION: Final = 1
OF_FIRST: Final = (
    "which software version 0.1.0 wrote: it names the file of a spec, not its law, so that nothing "
    "shows whether it belongs here; estimate from it with 0.1.0"
)
_START: Final = struct.Struct("<8sHI")
_CHECKSUM: Final = hashlib.sha256().digest_size


class Contents(NamedTuple):
    """What the bytes say; nobody has checked yet whether the counters fit the mechanism."""

    identity: Identity
    n: int
    counts: NDArray[np.int64]
    simulated: bool


def pack(contents: Contents) -> bytes:
    """The bytes; the same for equal contents."""
    header = identity_record(contents.identity) | {
        "n": contents.n,
        "simulated": contents.simulated,
        "counters": len(contents.counts),
    }
    text = json.dumps(header, sort_keys=True, allow_nan=False).encode()
    start = _START.pack(MAGIC, VERSION, len(text))
    body = start + text + contents.counts.astype("<i8").tobytes()
    return body + hashlib.sha256(body).digest()


def unpack(data: bytes) -> Contents:
    """What `pack` was given.

    Raises:
        ReportError: the bytes are damaged, cut short, or of another format or version.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ReportError("data", "must be bytes", type(data))
    whole = bytes(data)
    if whole[: len(MAGIC)] != MAGIC:
        raise ReportError("data", "is no state: it does not begin with LDPSTATE")
    body, checksum = whole[:-_CHECKSUM], whole[-_CHECKSUM:]
    if len(body) < _START.size or hashlib.sha256(body).digest() != checksum:
        raise ReportError("data", "is damaged or cut short: its checksum is another")
    _, version, length = _START.unpack_from(body)
    if version == FIRST_VERSION:
        raise ReportError("data", f"are a state of format version 1, {OF_FIRST}")
    if version != VERSION:
        raise ReportError("data", f"must have format version {VERSION}", version)
    header = _header(body[_START.size : _START.size + length])
    counters = body[_START.size + length :]
    n, simulated = header.get("n"), header.get("simulated")
    if type(n) is not int or type(simulated) is not bool:
        raise ReportError("data", "must have an integer n and a flag simulated")
    if len(counters) % 8 or header.get("counters") != len(counters) // 8:
        raise ReportError("data", "must hold as many counters as its header says")
    counts = np.frombuffer(counters, dtype="<i8").astype(np.int64)
    return Contents(identity_of(header), n, counts, simulated)


def identity_record(identity: Identity) -> dict[str, Any]:
    """An identity as JSON values."""
    return {
        "mechanism": identity.mechanism,
        "parameters": identity.parameters,
        "law_hash": identity.law_hash,
        "thresholds": list(identity.thresholds),
    }


def identity_of(record: dict[str, Any]) -> Identity:
    """The identity in a record that `identity_record` made.

    Raises:
        ReportError: it holds none.
    """
    mechanism, parameters = record.get("mechanism"), record.get("parameters")
    law_hash, thresholds = record.get("law_hash"), record.get("thresholds")
    if (
        not isinstance(mechanism, str)
        or not isinstance(parameters, dict)
        or not isinstance(law_hash, str)
        or not isinstance(thresholds, list)
        or not all(type(value) in (int, float, str) for value in parameters.values())
        or not all(type(threshold) is int for threshold in thresholds)
    ):
        raise ReportError("header", "must name mechanism, parameters, law_hash and thresholds")
    return Identity(mechanism, tuple(sorted(parameters.items())), law_hash, tuple(thresholds))


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = read_json(text)
    except NotJsonError:
        header = None
    if not isinstance(header, dict):
        raise ReportError("data", "must have a header in JSON")
    return header
