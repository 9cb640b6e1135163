"""Reading a column: every format gives the same cells, and no error quotes one."""

from __future__ import annotations

import datetime as dt
import gzip
import traceback
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ldp_verified.deploy.collect import table
from ldp_verified.deploy.collect.table import TableError, open_column, raw_lines
from tests.collect.files import (
    FORMATS,
    csv_file,
    gzip_file,
    parquet_file,
    tsv_file,
    zip_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SECRET = "hunter2"


def read(path: Path, column: str = "answer") -> list[str | None]:
    return [cell for batch in open_column(path, column).batches() for cell in batch.to_pylist()]


def assert_public(error: TableError) -> None:
    """Nothing of the file is shown with an error, nor in reach of whoever logs it."""
    assert error.__cause__ is error.__context__ is None
    shown = [*traceback.format_exception(error), str(vars(error))]
    assert SECRET not in "".join(shown)


@pytest.mark.parametrize("write", FORMATS)
def test_every_format_gives_the_cells_in_order(
    tmp_path: Path, write: Callable[[Path, Sequence[str]], Path]
) -> None:
    cells = ["yes", "no", "", "a, b", "NA", "null", " no", "ünsure", "007", "no"]
    assert read(write(tmp_path, cells)) == cells


def test_a_column_is_read_afresh_each_time(tmp_path: Path) -> None:
    column = open_column(csv_file(tmp_path, ["a", "b"]), "answer")
    first, second = (pa.chunked_array(list(column.batches())).to_pylist() for _ in range(2))
    assert first == second == ["a", "b"]


def test_csv_is_streamed_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 1 << 10)
    cells = [f"value {i % 7}" for i in range(5000)]
    column = open_column(csv_file(tmp_path, cells), "answer")
    batches = [batch.to_pylist() for batch in column.batches()]
    assert len(batches) > 50
    assert [cell for batch in batches for cell in batch] == cells


def test_csv_takes_line_ends_marks_and_quoted_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbfanswer,id\r\n"two\nlines",1\r\n,2\r\n\r\nlast,3')
    assert read(path) == ["two\nlines", "", "last"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("before", [b"", b"\n\n", b"\xef\xbb\xbf\n"], ids=["", "blank", "mark"])
def test_a_blank_line_of_one_column_is_an_empty_cell(
    tmp_path: Path, before: bytes, end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blank lines before the header are none, nor is what comes after the last line's end."""
    path = tmp_path / "a.csv"
    path.write_bytes((before + b"answer\nyes\n\nno\n\n\n").replace(b"\n", end))
    assert read(path) == ["yes", "", "no", "", ""]
    path.write_bytes((before + b"answer\nyes\n\nno").replace(b"\n", end))
    assert read(path) == ["yes", "", "no"]
    monkeypatch.setattr(table, "BLOCK_BYTES", 16)
    path.write_bytes((before + b"answer\n" + b"yes\n\n" * 100).replace(b"\n", end))
    assert read(path) == ["yes", ""] * 100


def test_a_name_like_the_one_asked_for_is_shown(tmp_path: Path) -> None:
    path = csv_file(tmp_path, ["a"])
    with pytest.raises(TableError, match="'Answer' among its 2; names like it: 'answer'; does"):
        open_column(path, "Answer")


@pytest.mark.parametrize(
    "array, expected",
    [
        (pa.array([5, None, -1], pa.int16()), ["5", None, "-1"]),
        (pa.array([5.0, None, 0.5]), ["5", None, "0.5"]),
        (pa.array([1e15, -0.0, 1e300, 1e-7]), ["1000000000000000", "0", "1e+300", "1e-7"]),
        (pa.array([2.0**24, -0.0, 0.1], pa.float32()), ["16777216", "0", "0.1"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([dt.date(2013, 1, 31)]), ["2013-01-31"]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array([None, None]), [None, None]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_parquet_types_become_text(
    tmp_path: Path, array: pa.Array[pa.Scalar[pa.DataType]], expected: list[str | None]
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"answer": array}), path)
    assert read(path) == expected


@pytest.mark.parametrize(
    "array",
    [pa.array([[1]]), pa.array([{"a": 1}]), pa.array([b"x"]), pa.array([dt.time(1)])],
    ids=["list", "struct", "binary", "time"],
)
def test_parquet_types_without_categories_are_refused(
    tmp_path: Path, array: pa.Array[pa.Scalar[pa.DataType]]
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"answer": array}), path)
    with pytest.raises(TableError, match="must hold text, numbers, booleans or dates; its type is"):
        open_column(path, "answer")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "the file is empty"),
        (b"\n\n", "is no Parquet file, and no CSV file of a header and rows"),
        (b"id,other\n1,hunter2\n", "has no column 'answer' among its 2; does the file"),
        (b"hunter2,Ann\nnone,Bob\n", "has no column 'answer' among its 2; does the file"),
        (b"answer,answer\n1,hunter2\n", "more than one column 'answer'"),
        (b"answer,id\nhunter2,1\nhunter2,2,3\n", "must have 2 cells in each row, .* a row has 3"),
        (b'answer,id\n"hunter2,1\nhunter2,2\n', "line 2: must be CSV: a quote is not closed"),
        (b'answer,id\n1,"hunter2"x\n3,4\n', "line 2: must be CSV: .* stands within a cell"),
        (b'id,answer\n1,"hunter2\n' + b"2,y\n" * 600_000, "line 2: must be CSV: a quote"),
        (b'"answer,id\n' + b"hunter2,y\n" * 200_000, "line 1: must be CSV: a quote is not"),
        (b'"id";"answer"\n1;"hunter2"\n', "cells seem to be separated by ';'"),
        (b"answer,id\nhunter2\xff,1\n", "must be UTF-8"),
        (b"\xffid,answer\n1,hunter2\n", "must be UTF-8"),
        ("answer,id\nhunter2,1\n".encode("utf-16"), "must be CSV .* or Parquet; it is neither"),
        (b"SQLite format 3\0hunter2", "must be CSV .* or Parquet; it is neither"),
        (b"PAR1hunter2", "damaged"),
        (b"\x1f\x8bhunter2", "cannot be read"),
        (b"PK\x03\x04hunter2", "cannot be read"),
        (b"answer\n" + 2 * (b"hunter2" * 400_000 + b"\n"), "a row must not be longer than 1 MiB"),
    ],
    ids=[
        "empty",
        "blank",
        "missing",
        "headless",
        "twice",
        "ragged",
        "quote",
        "within",
        "swallowed",
        "quoted header",
        "semicolons",
        "utf8",
        "header",
        "utf16",
        "binary",
        "parquet",
        "gzip",
        "zip",
        "long",
    ],
)
def test_what_is_no_table_is_refused_without_quoting_it(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "private.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=message) as caught:
        read(path)
    assert_public(caught.value)


def test_damage_in_the_middle_of_a_packed_file_is_an_error(tmp_path: Path) -> None:
    packed = parquet_file(tmp_path, ["hunter2"] * 5000)
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match="damaged") as caught:
        read(packed)
    assert_public(caught.value)


@pytest.mark.parametrize("write", [gzip_file, zip_file, tsv_file])
def test_quotes_are_looked_at_before_a_cell_is_given(
    tmp_path: Path, write: Callable[[Path, Sequence[str]], Path]
) -> None:
    path = write(tmp_path, ["yes"] * 40 + [f'{SECRET}"'] + ["no"] * 400)
    with pytest.raises(TableError, match=", line 42: must be CSV: a quote") as caught:
        open_column(path, "answer")
    assert_public(caught.value)


def test_flipped_bits_of_parquet_lose_no_row(tmp_path: Path) -> None:
    """One bit in the head of a page made 36 rows of 100."""
    path = tmp_path / "private.parquet"
    pq.write_table(pa.table({"answer": pa.array([1, 2] * 50)}), path)
    whole = path.read_bytes()
    refused = 0
    for place in range(8 * 90):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            rows = len(read(path))
        except TableError as error:
            refused += "damaged" in str(error)
        else:
            assert rows == 100, place
    assert refused > 100


def test_a_flipped_bit_of_a_page_with_a_checksum_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "private.parquet"
    made = pa.table({"answer": pa.array([f"{SECRET} {i}" for i in range(100)])})
    pq.write_table(made, path, write_page_checksum=True, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"hunter2 77", b"hunter2 78"))
    with pytest.raises(TableError, match="damaged") as caught:
        read(path)
    assert_public(caught.value)


def test_an_error_after_good_batches_has_no_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BLOCK_BYTES", 64)
    path = tmp_path / "private.csv"
    path.write_bytes(b"answer,id\n" + b"hunter2,1\n" * 100 + b"hunter2,2,3\n")
    batches = open_column(path, "answer").batches()
    assert next(batches).to_pylist()[0] == SECRET
    with pytest.raises(TableError, match="a row has 3") as caught:
        list(batches)
    assert_public(caught.value)


def test_lines_of_a_damaged_file_are_refused_without_quoting_them(tmp_path: Path) -> None:
    path = tmp_path / "private.gz"
    path.write_bytes(gzip.compress(f"{SECRET}\n".encode() * 9)[:-6])
    with pytest.raises(TableError, match="cannot be read") as caught:
        list(raw_lines(path))
    assert_public(caught.value)


def test_a_zip_archive_of_two_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "answer\n1\n")
        archive.writestr("b.csv", "answer\n1\n")
    with pytest.raises(TableError, match="must hold one CSV file and nothing else, got 2"):
        open_column(path, "answer")


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no such file"):
        open_column(tmp_path / "missing.csv", "answer")
    with pytest.raises(TableError, match="must be a regular file"):
        open_column(tmp_path, "answer")
