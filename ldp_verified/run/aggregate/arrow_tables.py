"""Reports as Arrow tables that describe themselves.

A table has one column, `report`: unsigned integers where a report is one number, and binary of
fixed size where it is a row of them (little-endian, in order). Its schema's metadata holds, under
`ldp_verified`, a JSON object with the mechanism, its parameters, the law's hash, the thresholds,
the dtype and the numbers per report, and whether the reports are simulated.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from ldp_verified.errors import ReportError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.serial import FIRST_VERSION, OF_FIRST, identity_of, identity_record

Numbers = np.ndarray[Any, np.dtype[Any]]

COLUMN: Final = "report"
KEY: Final = b"ldp_verified"
VERSION: Final = 2
_DTYPES: Final = ("|u1", "<u2", "<u4", "<u8")


class ArrowLayout(NamedTuple):
    """Numbers per report (0: a report is a number, not a row) and their dtype."""

    dtype: np.dtype[Any]
    columns: int

    @property
    def type(self) -> pa.DataType:
        """The type of the column."""
        if self.columns:
            return pa.binary(self.columns * self.dtype.itemsize)
        return pa.from_numpy_dtype(self.dtype)


class Header(NamedTuple):
    """The metadata of a schema."""

    identity: Identity
    layout: ArrowLayout
    simulated: bool

    @classmethod
    def of(cls, data: Numbers, identity: Identity, simulated: bool) -> Header:
        """Return the header that describes reports with these numbers.

        Raises:
            ReportError: they are no unsigned integers of one or two axes.
        """
        dtype = data.dtype.newbyteorder("<")
        if data.ndim > 2 or dtype.str not in _DTYPES:
            shown = f"{data.dtype} of shape {data.shape}"
            raise ReportError("data", "must be unsigned integers of at most two axes", shown)
        columns = data.shape[1] if data.ndim == 2 else 0
        return cls(identity, ArrowLayout(dtype, columns), simulated)

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
    def read(cls, schema: pa.Schema) -> Header:
        """The header of a schema that `schema` made.

        Raises:
            ReportError: the schema is no such one.
        """
        record = json_of((schema.metadata or {}).get(KEY))
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
        layout = ArrowLayout(np.dtype(dtype), columns)
        if schema.names != [COLUMN] or schema.field(0).type != layout.type:
            raise ReportError("table", f"must have one column {COLUMN} of type {layout.type}")
        return cls(identity_of(record), layout, simulated)


def table_of(data: Numbers, identity: Identity, simulated: bool) -> pa.Table:
    """A table of reports; their memory is shared where it is contiguous.

    Raises:
        ReportError: the reports are no unsigned integers of one or two axes.
    """
    return pa.Table.from_batches([batch_of(Header.of(data, identity, simulated), data)])


def contents_of(table: object) -> tuple[Numbers, Identity, bool]:
    """Undo `table_of`; memory is shared where the reports lie in one piece.

    What the reports hold is checked by the mechanism that counts them, as is whose they are.

    Raises:
        ReportError: the table is no such one, or has nulls.
    """
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if not isinstance(table, pa.Table):
        raise ReportError("table", "must be an Arrow table or record batch", type(table))
    header = Header.read(table.schema)
    try:
        table.validate()
    except pa.ArrowException as error:
        raise ReportError("table", f"must be a sound one: {type(error).__name__}") from None
    chunks = [_numbers(chunk, header.layout) for chunk in table.column(0).chunks]
    shape = (0, header.layout.columns) if header.layout.columns else (0,)
    data = chunks[0] if len(chunks) == 1 else None
    if data is None:
        data = np.concatenate([np.empty(shape, header.layout.dtype), *chunks])
    return data, header.identity, header.simulated


def batch_of(header: Header, reports: Numbers) -> pa.RecordBatch:
    """Reports as the rows that a header describes."""
    data = np.ascontiguousarray(reports, dtype=header.layout.dtype)
    array: pa.Array[Any]
    if header.layout.columns:
        buffers = [None, pa.py_buffer(data.reshape(-1).view(np.uint8).data)]
        array = pa.Array.from_buffers(header.layout.type, len(data), buffers)
    else:
        array = pa.array(data)
    return pa.record_batch([array], schema=header.schema())


def _numbers(array: pa.Array[Any], layout: ArrowLayout) -> np.ndarray[Any, np.dtype[Any]]:
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


def json_of(text: bytes | str | None) -> Any:
    """The value of a JSON text; None where there is none."""
    try:
        return None if text is None else read_json(text)
    except NotJsonError:
        return None
