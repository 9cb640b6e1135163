"""Columns of reports in every Arrow type, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ldp_verified.deploy.engines.columns import MOST_ROWS, octets, report_column
from ldp_verified.errors import ReportError

ROWS = np.arange(60, dtype=np.uint8).reshape(12, 5)
LISTED = [row.tobytes() for row in ROWS]
TYPES = (pa.binary(), pa.large_binary(), pa.binary(5), pa.binary_view())


def read(column: Any, width: int = 5) -> list[bytes]:
    return [row.tobytes() for rows in octets(column, width) for row in rows]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_of_binaries_is_read(kind: pa.DataType) -> None:
    whole: pa.Array[Any] = pa.array(LISTED, kind)
    assert read(whole) == LISTED
    assert read(whole.slice(3, 4)) == LISTED[3:7]
    assert read(pa.chunked_array([whole.slice(0, 5), whole.slice(5)])) == LISTED
    assert read(whole.slice(0, 0)) == []


def test_a_list_is_read() -> None:
    assert read(LISTED) == LISTED
    assert read([]) == []


def test_a_column_is_made_and_read() -> None:
    column = report_column(ROWS)
    assert column.to_pylist() == LISTED
    assert read(column) == LISTED
    assert report_column(ROWS[:0]).to_pylist() == []
    assert report_column(ROWS[::2]).to_pylist() == LISTED[::2]


def test_long_columns_come_in_pieces() -> None:
    column = report_column(np.zeros((2 * MOST_ROWS + 1, 1), np.uint8))
    assert [len(rows) for rows in octets(column, 1)] == [MOST_ROWS, MOST_ROWS, 1]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_nulls_are_refused(kind: pa.DataType) -> None:
    with pytest.raises(ReportError, match="no nulls"):
        read(pa.array([LISTED[0], None], kind))


def test_other_columns_are_refused() -> None:
    for column in (pa.array(["12345"]), pa.array([1]), pa.array([b"12345", b"1234"])):
        with pytest.raises(ReportError):
            read(column)
    # Lengths that add up are not enough.
    with pytest.raises(ReportError, match="5 bytes each"):
        read([b"1234", b"123456"])
    wrong: list[Any] = [["12345"], "12345", None, np.zeros(5)]
    for other in wrong:
        with pytest.raises(ReportError):
            read(other)
