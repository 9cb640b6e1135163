"""The domain: where it may come from, and what becomes of values that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.deploy.collect.domain import OUTSIDE, ColumnDomain, read_domain
from ldp_verified.deploy.collect.table import TableError
from ldp_verified.errors import ParameterError
from tests.collect.files import csv_file, parquet_file

if TYPE_CHECKING:
    from pathlib import Path

NOWHERE = "private.csv"


def test_a_list(tmp_path: Path) -> None:
    domain = read_domain("yes, no,,yes ,unsure", tmp_path / NOWHERE)
    assert domain == ColumnDomain(("yes", "no", "unsure"), "list")


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "public.txt"
    path.write_bytes(b"\xef\xbb\xbfyes\r\n\r\n no \na, b\nyes\n")
    assert read_domain(str(path), tmp_path / NOWHERE).values == ("yes", "no", "a, b")


@pytest.mark.parametrize("write", [csv_file, parquet_file])
def test_a_column_of_a_public_table(tmp_path: Path, write: object) -> None:
    assert callable(write)
    path = write(tmp_path, ["b", "a", "", "b", " c"])
    domain = read_domain(f"{path}:answer", tmp_path / "other.csv")
    assert domain == ColumnDomain(("b", "a", " c"), f"{path.name}:answer")


def test_the_private_file_is_no_domain(tmp_path: Path) -> None:
    path = csv_file(tmp_path, ["a", "b"])
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    for text in (f"{path}:answer", f"{link}:id", str(path)):
        with pytest.raises(ParameterError, match="must not be taken from the private file"):
            read_domain(text, path)


@pytest.mark.parametrize(
    "text, message",
    [
        ("missing.txt", "no file 'missing.txt'; a list needs at least two values, as a,b$"),
        ("missing.csv:faa", "there is no file '"),
        ("", "there is no file '"),
        ("yes,", "must name at least two values"),
        ("yes,yes", "must name at least two values"),
        (",", "must name at least two values"),
        ("x" * 5000, "there is no file '"),
        ("a\0b", "there is no file '"),
    ],
)
def test_what_is_no_domain_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_domain(text, tmp_path / NOWHERE)


def test_a_table_needs_its_column(tmp_path: Path) -> None:
    path = csv_file(tmp_path, ["a", "b"], "public.csv")
    with pytest.raises(ParameterError, match="must name the column of a table"):
        read_domain(str(path), tmp_path / NOWHERE)
    with pytest.raises(TableError, match="has no column 'faa' among its 2; does"):
        read_domain(f"{path}:faa", tmp_path / NOWHERE)


def test_a_quote_that_is_not_closed_hides_no_value(tmp_path: Path) -> None:
    path = tmp_path / "airports.csv"
    path.write_text("faa,name\nJFK,Kennedy\nLGA,\"La Guardia\nEWR,Newark\nORD,O'Hare\n")
    with pytest.raises(
        TableError, match=r"airports.csv, line 3: must be CSV: a quote is not closed"
    ):
        read_domain(f"{path}:faa", tmp_path / "private")


def test_a_text_file_must_be_text(tmp_path: Path) -> None:
    path = tmp_path / "public.txt"
    for content in (b"a\xff\nb\n", b"a\0\nb\n"):
        path.write_bytes(content)
        with pytest.raises(TableError, match="must be UTF-8 text, one value per line"):
            read_domain(str(path), tmp_path / NOWHERE)


def test_a_folder_is_no_domain(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        read_domain(str(tmp_path), tmp_path / NOWHERE)


@given(
    values=st.lists(st.text(min_size=1), min_size=2, max_size=20, unique=True),
    other=st.booleans(),
    data=st.data(),
)
def test_encode_is_the_position_or_outside(
    values: list[str], other: bool, data: st.DataObject
) -> None:
    domain = ColumnDomain(tuple(values), "list")
    domain = domain.with_other() if other else domain
    cells = data.draw(st.lists(st.sampled_from(values) | st.text() | st.none()))
    elsewhere = len(values) if other else OUTSIDE
    expected = [values.index(c) if c in values else elsewhere for c in cells]
    got = domain.encode(pa.array(cells, pa.string()))
    assert got.dtype == np.int64
    assert got.tolist() == expected


def test_a_value_named_other_is_not_the_extra_one() -> None:
    plain = ColumnDomain(("a", "b"), "list").with_other()
    assert (plain.labels, plain.k) == (("a", "b", "other"), 3)
    clash = ColumnDomain(("a", "other"), "list").with_other()
    assert clash.labels == ("a", "other", "other (not in the domain)")
    assert clash.encode(pa.array(["other", "elsewhere"])).tolist() == [1, 2]
    twice = ColumnDomain(("other", "other (not in the domain)"), "list").with_other()
    assert len(set(twice.labels)) == 3
