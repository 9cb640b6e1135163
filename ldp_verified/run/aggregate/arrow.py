"""Write reports as Parquet files that describe themselves; `arrow_tables` makes their tables.

A file also holds the SHA-256 of each row group and of the list of these, so that reports
that were damaged, cut off or put in another order are not read. That finds damage, not malice. The
memory of a row group is bounded before it is decoded, whoever wrote the file. The bound is 2^20
reports of one number, or as many bytes as the file has. Packed files are not read.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ldp_verified.errors import ReportError, check_kind
from ldp_verified.run.aggregate.arrow_tables import KEY, ArrowLayout, Header, batch_of, json_of
from ldp_verified.run.aggregate.files import checked_path, replacing
from ldp_verified.run.aggregate.footer import row_groups
from ldp_verified.run.aggregate.reports import Reports, batches_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.run.aggregate.footer import RowGroup

GROUPS_KEY: Final = "ldp_verified.row_groups"
MOST_ROWS: Final = 1 << 20
"""Rows in a row group: what a reader holds in memory at a time."""

_ENCODINGS: Final = frozenset({0, 2, 3, 8})
"""PLAIN, PLAIN_DICTIONARY, RLE and RLE_DICTIONARY."""
_UNREADABLE: Final = (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError)


def to_arrow(reports: Reports) -> pa.Table:
    """A table of the reports; their memory is shared where it is contiguous.

    Raises:
        ReportError: they are none, or no unsigned integers of one or two axes.
    """
    check_kind("reports", reports, Reports, ReportError)
    return reports.to_arrow()


def from_arrow(table: pa.Table | pa.RecordBatch) -> Reports:
    """The reports of a table that `to_arrow` made; memory is shared where they lie in one piece.

    Raises:
        ReportError: the table is no such one, or has nulls.
    """
    return Reports.from_arrow(table)


def write_reports(path: str | os.PathLike[str], batches: Reports | Iterable[Reports]) -> int:
    """Write batches of reports of one mechanism to a Parquet file, one after the other.

    The file appears when all are written; what was there before stays until then.

    Args:
        path: the file.
        batches: at least one; the file says that it is simulated if the first is, and the others
            must agree.

    Returns:
        The number of reports written.

    Raises:
        ReportError: no batch at all, or one that differs from the first in more than its reports.
        OSError: the file cannot be written.
    """
    groups: list[tuple[int, str]] = []
    iterator = iter(batches_of(batches))
    first = next(iterator, None)
    if first is None:
        raise ReportError("batches", "must be at least one: they say what the file holds")
    header = _header(first)
    schema = header.schema()
    # Reports look random: what helps is to pack numbers into the bits that they need.
    packed = header.layout.columns == 0
    with (
        replacing(path) as part,
        pq.ParquetWriter(
            part, schema, compression="none", use_dictionary=packed, write_statistics=False
        ) as writer,
    ):
        batch: Reports | None = first
        while batch is not None:
            _check_alike(header, batch)
            for start in range(0, len(batch), MOST_ROWS):
                piece = Reports(batch.data[start : start + MOST_ROWS], batch.identity)
                writer.write_batch(batch_of(header, piece.data), row_group_size=MOST_ROWS)
                groups.append((len(piece), _digest(schema, len(groups), piece.data)))
            batch = next(iterator, None)
        writer.add_key_value_metadata({GROUPS_KEY: _signed(groups, schema)})
    return sum(rows for rows, _ in groups)


def read_reports(path: str | os.PathLike[str]) -> Iterator[Reports]:
    """The reports of a file that `write_reports` wrote, a row group at a time.

    The file is opened, and its description checked, by this call; a row group is checked before it
    is given out. A mechanism's `aggregate` takes the iterator, and refuses what is not its own.

    Raises:
        OSError: the file cannot be opened.
        ParameterError: `path` is no path.
        ReportError: it is no such file, or damaged: by this call, or when the row group comes.
    """
    stream = checked_path(path).open("rb")
    try:
        file = _file(stream)
    except BaseException:
        stream.close()
        raise
    return _row_groups(stream, *file)


def _header(batch: Reports) -> Header:
    """The header of a file whose first reports are these.

    Raises:
        ReportError: they are none, or no unsigned integers of one or two axes.
    """
    check_kind("reports", batch, Reports, ReportError)
    return Header.of(batch.data, batch.identity, batch.simulated)


def _file(stream: BinaryIO) -> tuple[pq.ParquetFile, Header, list[tuple[int, str]]]:
    size, found = row_groups(stream)
    problem = "no Parquet file"
    try:
        # A list that is said to be longer than the file can hold is not made room for.
        file = pq.ParquetFile(
            stream,
            thrift_string_size_limit=size,
            thrift_container_size_limit=max(size // 16, 128),
        )
        schema, metadata = file.schema_arrow, file.metadata.metadata or {}
        signed = metadata.get(GROUPS_KEY.encode())
    except _UNREADABLE as error:
        problem = type(error).__name__
    else:
        groups = _checked(signed, schema)
        header = Header.read(schema)
        _refuse_more_than_signed(found, header.layout, groups, size)
        return file, header, groups
    raise ReportError("file", f"is damaged or no Parquet file: {problem}")


def _refuse_more_than_signed(
    found: list[RowGroup], layout: ArrowLayout, groups: list[tuple[int, str]], size: int
) -> None:
    """Look at what row groups would take when they are decoded, before any is.

    Raises:
        ReportError: other row groups than the file says, or not as `write_reports` writes them.
    """
    if len(found) != len(groups):
        raise ReportError("file", "is damaged: it has other row groups than it says")
    for index, (group, (rows, _)) in enumerate(zip(found, groups, strict=True)):
        if (group.rows, group.values) != (rows, rows) or not 0 <= rows <= MOST_ROWS:
            raise ReportError("file", "is damaged: a row group has other rows than it says", index)
        if group.codec != 0 or not _ENCODINGS.issuperset(group.encodings):
            raise ReportError("file", "must be neither packed nor encoded otherwise", group)
        if not 0 <= group.packed == group.plain <= size:
            raise ReportError("file", "is damaged: a row group is larger than the file", index)
        # Rows of several numbers are written one by one: they take their place in the file.
        if layout.columns * layout.dtype.itemsize * rows > group.packed:
            raise ReportError("file", "is damaged: a row group has more rows than bytes", index)


def _row_groups(
    stream: BinaryIO, file: pq.ParquetFile, header: Header, groups: list[tuple[int, str]]
) -> Iterator[Reports]:
    schema = header.schema()
    with stream:
        for index, (rows, digest) in enumerate(groups):
            damaged = ReportError("file", "is damaged, or its row groups were moved", index)
            try:
                table = file.read_row_group(index)
            except _UNREADABLE:
                raise damaged from None
            if table.schema.field(0).type != header.layout.type or len(table) != rows:
                raise damaged
            reports = from_arrow(table.cast(schema))
            if _digest(schema, index, reports.data) != digest:
                raise damaged
            yield reports


def _check_alike(header: Header, batch: Reports) -> None:
    """Refuse a batch that the header does not describe."""
    difference = header.identity.difference(batch.identity)
    if difference is not None:
        raise ReportError("batches", f"must agree: {difference}")
    if _header(batch) != header:
        raise ReportError("batches", "must agree in dtype, shape and whether they are simulated")


def _digest(schema: pa.Schema, index: int, data: np.ndarray[Any, np.dtype[Any]]) -> str:
    """Return the digest of the file's metadata, the row group's index and its rows, in hex."""
    digest = hashlib.sha256((schema.metadata or {})[KEY])
    digest.update(f"row group {index}".encode())
    little = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("<"))
    digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _signed(groups: list[tuple[int, str]], schema: pa.Schema) -> str:
    """The list of row groups, with a digest of it and of what the file says it is."""
    text = json.dumps(groups)
    return json.dumps([text, _list_digest(text, schema)])


def _checked(signed: bytes | None, schema: pa.Schema) -> list[tuple[int, str]]:
    match json_of(signed):
        case [str(text), str(digest)] if _list_digest(text, schema) == digest:
            listed = json_of(text)
            if isinstance(listed, list) and all(map(_is_group, listed)):
                return [(rows, each) for rows, each in listed]
    raise ReportError("file", "is damaged, or was not written by write_reports")


def _is_group(listed: object) -> bool:
    match listed:
        case [int(rows), str()]:
            return type(rows) is int
    return False


def _list_digest(text: str, schema: pa.Schema) -> str:
    digest = hashlib.sha256((schema.metadata or {}).get(KEY, b""))
    digest.update(text.encode())
    return digest.hexdigest()
