"""Write reports as Arrow tables and Parquet files that describe themselves.

A table has one column, `report`: unsigned integers where a report is one number, and binary of
fixed size where it is a row of them (little-endian, in order). Its schema's metadata holds, under
`ldp_verified`, a JSON object with the mechanism, its parameters, the law's hash, the thresholds,
the dtype and the numbers per report, and whether the reports are simulated.

A Parquet file also holds the SHA-256 of each row group and of the list of these, so that reports
that were damaged, cut off or put in another order are not read. That finds damage, not malice. The
memory of a row group is bounded before it is decoded, whoever wrote the file. The bound is 2^20
reports of one number, or as many bytes as the file has. Packed files are not read.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ldp_verified.aggregate.files import checked_path, replacing
from ldp_verified.aggregate.footer import row_groups
from ldp_verified.aggregate.reports import Reports, batches_of
from ldp_verified.aggregate.serial import FIRST_VERSION, OF_FIRST, identity_of, identity_record
from ldp_verified.errors import ReportError, check_kind
from ldp_verified.jsontext import NotJsonError, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.aggregate.footer import RowGroup
    from ldp_verified.aggregate.reports import Identity

COLUMN: Final = "report"
KEY: Final = b"ldp_verified"
GROUPS_KEY: Final = "ldp_verified.row_groups"
VERSION: Final = 2
MOST_ROWS: Final = 1 << 20
"""Rows in a row group: what a reader holds in memory at a time."""

_ENCODINGS: Final = frozenset({0, 2, 3, 8})
"""PLAIN, PLAIN_DICTIONARY, RLE and RLE_DICTIONARY."""
_DTYPES: Final = ("|u1", "<u2", "<u4", "<u8")
_UNREADABLE: Final = (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError)


class _Layout(NamedTuple):
    """Numbers per report (0: a report is a number, not a row) and their dtype."""

    dtype: np.dtype[Any]
    columns: int

    @property
    def type(self) -> pa.DataType:
        """The type of the column."""
        if self.columns:
            return pa.binary(self.columns * self.dtype.itemsize)
        return pa.from_numpy_dtype(self.dtype)


class _Header(NamedTuple):
    """The metadata of a schema."""

    identity: Identity
    layout: _Layout
    simulated: bool

    @classmethod
    def of(cls, reports: Reports) -> _Header:
        """Return the header that describes these reports.

        Raises:
            ReportError: they are none, or no unsigned integers of one or two axes.
        """
        check_kind("reports", reports, Reports, ReportError)
        dtype = reports.data.dtype.newbyteorder("<")
        if reports.data.ndim > 2 or dtype.str not in _DTYPES:
            shown = f"{reports.data.dtype} of shape {reports.data.shape}"
            raise ReportError("data", "must be unsigned integers of at most two axes", shown)
        columns = reports.data.shape[1] if reports.data.ndim == 2 else 0
        return cls(reports.identity, _Layout(dtype, columns), reports.simulated)

    def schema(self) -> pa.Schema:
        """One column, and the metadata."""
        record = identity_record(self.identity) | {
            "version": VERSION,
            "dtype": self.layout.dtype.str,
            "columns": self.layout.columns,
            "simulated": self.simulated,
        }
        text = json.dumps(record, sort_keys=True, allow_nan=False).encode()
        metadata: dict[bytes | str, bytes | str] = {KEY: text}
        return pa.schema([pa.field(COLUMN, self.layout.type, nullable=False)], metadata)

    @classmethod
    def read(cls, schema: pa.Schema) -> _Header:
        """The header of a schema that `schema` made.

        Raises:
            ReportError: the schema is no such one.
        """
        record = _json((schema.metadata or {}).get(KEY))
        if not isinstance(record, dict):
            raise ReportError("table", "must carry metadata under ldp_verified")
        if record.get("version") == FIRST_VERSION and "spec_hash" in record:
            raise ReportError("table", f"holds reports of format version 1, {OF_FIRST}")
        if record.get("version") != VERSION:
            raise ReportError("table", f"must have format version {VERSION}", record.get("version"))
        dtype, columns, simulated = (record.get(each) for each in ("dtype", "columns", "simulated"))
        if dtype not in _DTYPES or type(columns) is not int or not 0 <= columns < 1 << 24:
            raise ReportError("table", "must say the dtype and the numbers per report")
        if type(simulated) is not bool:
            raise ReportError("table", "must say whether its reports are simulated")
        layout = _Layout(np.dtype(dtype), columns)
        if schema.names != [COLUMN] or schema.field(0).type != layout.type:
            raise ReportError("table", f"must have one column {COLUMN} of type {layout.type}")
        return cls(identity_of(record), layout, simulated)


def to_arrow(reports: Reports) -> pa.Table:
    """A table of the reports; their memory is shared where it is contiguous.

    Raises:
        ReportError: the reports are no unsigned integers of one or two axes.
    """
    return pa.Table.from_batches([_batch(_Header.of(reports), reports)])


def from_arrow(table: pa.Table | pa.RecordBatch) -> Reports:
    """The reports of a table that `to_arrow` made; memory is shared where they lie in one piece.

    What the reports hold is checked by the mechanism that counts them, as is whose they are.

    Raises:
        ReportError: the table is no such one, or has nulls.
    """
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table):
        raise ReportError("table", "must be an Arrow table or record batch", type(table))
    header = _Header.read(table.schema)
    try:
        table.validate()
    except pa.ArrowException as error:
        raise ReportError("table", f"must be a sound one: {type(error).__name__}") from None
    chunks = [_rows(chunk, header.layout) for chunk in table.column(0).chunks]
    shape = (0, header.layout.columns) if header.layout.columns else (0,)
    data = chunks[0] if len(chunks) == 1 else None
    if data is None:
        data = np.concatenate([np.empty(shape, header.layout.dtype), *chunks])
    return Reports(data, header.identity, header.simulated)


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
    header = _Header.of(first)
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
                writer.write_batch(_batch(header, piece), row_group_size=MOST_ROWS)
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


def _file(stream: BinaryIO) -> tuple[pq.ParquetFile, _Header, list[tuple[int, str]]]:
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
        header = _Header.read(schema)
        _refuse_more_than_signed(found, header.layout, groups, size)
        return file, header, groups
    raise ReportError("file", f"is damaged or no Parquet file: {problem}")


def _refuse_more_than_signed(
    found: list[RowGroup], layout: _Layout, groups: list[tuple[int, str]], size: int
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
    stream: BinaryIO, file: pq.ParquetFile, header: _Header, groups: list[tuple[int, str]]
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


def _check_alike(header: _Header, batch: Reports) -> None:
    """Refuse a batch that the header does not describe."""
    difference = header.identity.difference(batch.identity)
    if difference is not None:
        raise ReportError("batches", f"must agree: {difference}")
    if _Header.of(batch) != header:
        raise ReportError("batches", "must agree in dtype, shape and whether they are simulated")


def _batch(header: _Header, reports: Reports) -> pa.RecordBatch:
    data = np.ascontiguousarray(reports.data, dtype=header.layout.dtype)
    array: pa.Array[Any]
    if header.layout.columns:
        buffers = [None, pa.py_buffer(data.reshape(-1).view(np.uint8).data)]
        array = pa.Array.from_buffers(header.layout.type, len(data), buffers)
    else:
        array = pa.array(data)
    return pa.record_batch([array], schema=header.schema())


def _rows(array: pa.Array[Any], layout: _Layout) -> np.ndarray[Any, np.dtype[Any]]:
    """The reports in a chunk, as a view of its memory."""
    if array.null_count:
        raise ReportError("table", "must have no nulls", array.null_count)
    if not layout.columns:
        return np.asarray(array.to_numpy(zero_copy_only=True))
    buffer = array.buffers()[1]
    numbers = len(array) * layout.columns
    if buffer is None or not numbers:
        return np.empty((0, layout.columns), dtype=layout.dtype)
    start = array.offset * layout.columns * layout.dtype.itemsize
    flat = np.frombuffer(memoryview(buffer), layout.dtype, numbers, start)
    return flat.reshape(len(array), layout.columns)


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
    match _json(signed):
        case [str(text), str(digest)] if _list_digest(text, schema) == digest:
            listed = _json(text)
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


def _json(text: bytes | str | None) -> Any:
    """The value of a JSON text; None where there is none."""
    try:
        return None if text is None else read_json(text)
    except NotJsonError:
        return None
