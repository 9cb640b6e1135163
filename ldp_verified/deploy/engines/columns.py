"""Columns between engines and numpy: reports as bytes, private values as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from ldp_verified.errors import ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.deploy.wire import Octets

Column: TypeAlias = "pa.Array[Any] | pa.ChunkedArray[Any] | list[bytes]"
"""A column of reports."""

MOST_ROWS = 1 << 16
"""Reports at a time: what a worker's memory grows by does not depend on the engine's batches."""


def octets(column: Column, width: int) -> Iterator[Octets]:
    """A column of reports as rows of bytes, at most 2^16 at a time.

    Args:
        column: binaries of any Arrow type, or a list of bytes. width: bytes of each report.

    Yields:
        uint8 (n, width), n > 0.

    Raises:
        ReportError: another type, a null, or a report of another length.
    """
    if isinstance(column, list):
        if not all(isinstance(each, bytes) for each in column):
            raise ReportError("reports", "must be bytes, each a report")
        column = pa.array(column, pa.large_binary())
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    for chunk in chunks:
        if not isinstance(chunk, pa.Array):
            raise ReportError("reports", "must be an Arrow column of binaries", type(column))
        for start in range(0, len(chunk), MOST_ROWS):
            yield _rows(chunk.slice(start, MOST_ROWS), width)


def report_column(rows: Octets) -> pa.Array[Any]:
    """Rows of bytes as an Arrow array of binaries."""
    n, width = rows.shape
    offsets = np.arange(n + 1, dtype=np.int64) * width
    kind: pa.DataType = pa.large_binary()
    if n * width < 1 << 31:
        offsets, kind = offsets.astype(np.int32), pa.binary()
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(rows.tobytes())]
    return pa.Array.from_buffers(kind, n, buffers)


def _rows(chunk: pa.Array[Any], width: int) -> Octets:
    kind = chunk.type
    if not _is_binary(kind):
        raise ReportError("reports", "must be a column of binaries", str(kind))
    if chunk.null_count:
        raise ReportError("reports", "must have no nulls", chunk.null_count)
    if not pa.types.is_large_binary(kind):
        chunk = chunk.cast(pa.large_binary())
    _, ends, data = chunk.buffers()
    assert ends is not None  # an Arrow array of such a type has both
    places = np.frombuffer(memoryview(ends), np.int64, len(chunk) + 1, 8 * chunk.offset)
    if data is None or (np.diff(places) != width).any():
        raise ReportError("reports", f"must be of {width} bytes each")
    whole = np.frombuffer(memoryview(data), np.uint8, width * len(chunk), int(places[0]))
    return whole.reshape(len(chunk), width)


def _is_binary(kind: pa.DataType) -> bool:
    return (
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
        or pa.types.is_binary_view(kind)
    )
