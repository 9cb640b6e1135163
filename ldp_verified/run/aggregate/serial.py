"""One container of bytes stores every kind of state, with a checksum and without pickle.

    offset  bytes  what
    0       8      b"LDPSTATE"
    8       2      format version, 2
    10      4      length L of the header
    14      L      header: JSON in UTF-8, keys sorted
    14 + L  b      the body, whose length the kind and the header say
    ...     32     SHA-256 of everything before it

Numbers are little-endian. The header holds the `kind` of the state. Where a state is of one
mechanism, it also holds `mechanism`, `parameters`, `law_hash` and `thresholds`; `simulated`, true
or false; and `batches`, the ids of batches in order, if any had one. Of "counts" it holds `n` and
`counters` (c), and the body is c counters, signed 64-bit; other kinds say what they hold where they
are defined. The checksum finds damage, not malice: whoever can write the file can write a checksum
too. Version 1, of 0.1.0, named the hash of a spec's file, prose and all, in the place of its law's:
it is refused.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.origin import ReportOrigin

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC: Final = b"LDPSTATE"
VERSION: Final = 2
FIRST_VERSION: Final = 1
OF_FIRST: Final = (
    "which software version 0.1.0 wrote: it names the file of a spec, not its law, so that nothing "
    "shows whether it belongs here; estimate from it with 0.1.0"
)
SCALARS: Final = (int, float, str, type(None))
"""The types of a parameter's value; None is one left to the mechanism, as the rows of a sketch."""

_START: Final = struct.Struct("<8sHI")
_CHECKSUM: Final = hashlib.sha256().digest_size


class Contents(NamedTuple):
    """The content of the bytes; nobody has checked yet whether the counters fit the mechanism."""

    identity: Identity
    n: int
    counts: NDArray[np.int64]
    origin: ReportOrigin


def wrap(kind: str, header: dict[str, Any], body: bytes = b"") -> bytes:
    """The bytes of a state; the same for equal ones.

    Args:
        kind: of the state: "counts", "means", ...
        header: what it is of, and small integers, as JSON values.
        body: large arrays, as the kind lays them out.
    """
    text = json.dumps(header | {"kind": kind}, sort_keys=True, allow_nan=False).encode()
    whole = _START.pack(MAGIC, VERSION, len(text)) + text + body
    return whole + hashlib.sha256(whole).digest()


def unwrap(kind: str, data: bytes) -> tuple[dict[str, Any], bytes]:
    """(header, body), as `wrap` was given them.

    Raises:
        ReportError: the bytes are damaged, cut short, of another format or version, or a state of
            another kind.
    """
    whole = plain_bytes(data)
    if whole[: len(MAGIC)] != MAGIC:
        raise ReportError("data", "is no state: it does not begin with LDPSTATE")
    content, checksum = whole[:-_CHECKSUM], whole[-_CHECKSUM:]
    if len(content) < _START.size or hashlib.sha256(content).digest() != checksum:
        raise ReportError("data", "is damaged or cut short: its checksum is another")
    _, version, length = _START.unpack_from(content)
    if version == FIRST_VERSION:
        raise ReportError("data", f"are a state of format version 1, {OF_FIRST}")
    if version != VERSION:
        raise ReportError("data", f"must have format version {VERSION}", version)
    header = _header(content[_START.size : _START.size + length])
    if header.get("kind") != kind:
        raise ReportError("data", f"must be a state of {kind}", header.get("kind"))
    return header, content[_START.size + length :]


def plain_bytes(data: object) -> bytes:
    """Bytes of another type, as they are.

    Raises:
        ReportError: it is something else, or a view that was released.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ReportError("data", "must be bytes", type(data))
    try:
        return bytes(data)
    except ValueError:
        raise ReportError("data", "must be no view that was released") from None


def pack(contents: Contents) -> bytes:
    """The bytes of counts."""
    held = {"n": contents.n, "counters": len(contents.counts)}
    header = identity_record(contents.identity) | contents.origin.record() | held
    return wrap("counts", header, contents.counts.astype("<i8").tobytes())


def unpack(data: bytes) -> Contents:
    """Return the arguments that `pack` was given.

    Raises:
        ReportError: as `unwrap`, or the bytes hold no counts.
    """
    header, counters = unwrap("counts", data)
    (n,) = integers_of(header, "n")
    if len(counters) % 8 or header.get("counters") != len(counters) // 8:
        raise ReportError("data", "must hold as many counters as its header says")
    counts = np.frombuffer(counters, dtype="<i8").astype(np.int64)
    return Contents(identity_of(header), n, counts, ReportOrigin.of_record(header, n))


def integers_of(header: dict[str, Any], *names: str) -> list[int]:
    """Integers of a header by name.

    Raises:
        ReportError: one is missing, or no integer.
    """
    found = [header.get(name) for name in names]
    for name, value in zip(names, found, strict=True):
        if type(value) is not int:
            raise ReportError("data", f"must have an integer {name}")
    return [value for value in found if isinstance(value, int)]


def list_of(header: dict[str, Any], name: str) -> tuple[int, ...]:
    """A list of integers of a header.

    Raises:
        ReportError: it is missing, or something else.
    """
    found = header.get(name)
    if not isinstance(found, list) or not all(type(value) is int for value in found):
        raise ReportError("data", f"must have a list of integers {name}")
    return tuple(found)


def split(body: bytes, lengths: tuple[int, ...]) -> list[bytes]:
    """A body in pieces of these lengths.

    Raises:
        ReportError: they are not those of the body.
    """
    if min(lengths, default=0) < 0 or sum(lengths) != len(body):
        raise ReportError("data", "must hold parts as long as its header says")
    ends = list(itertools.accumulate(lengths, initial=0))
    return [body[start:end] for start, end in itertools.pairwise(ends)]


def flag_of(header: dict[str, Any]) -> bool:
    """Return whether any report was simulated.

    Raises:
        ReportError: the header does not say.
    """
    found = header.get("simulated")
    if type(found) is not bool:
        raise ReportError("data", "must have a flag simulated")
    return found


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
        or not all(type(value) in SCALARS for value in parameters.values())
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
