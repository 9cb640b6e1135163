"""Lines have the numbers that an editor shows, whatever the file is packed in."""

from __future__ import annotations

import bz2
import gzip
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_verified.deploy.collect.lines import csv_rows, lines, lists
from ldp_verified.deploy.collect.table import TableError

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b'tea, milk,,\n\n"be\ner",tea\n'
SETS = [(1, ["tea", "milk"]), (2, []), (3, ["be\ner", "tea"])]


def test_csv_begins_where_it_begins_and_leaves_out_what_is_no_item(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(TEXT)
    assert list(lists(tmp_path / "a")) == SETS
    assert [line for line, _ in csv_rows(tmp_path / "a")] == [1, 2, 3]
    (tmp_path / "b.tsv").write_bytes(b"\xef\xbb\xbfa b\tc,d\r\n")
    assert list(lists(tmp_path / "b.tsv")) == [(1, ["a b", "c,d"])]


def test_packed_files_are_read_like_plain_ones(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "a.bz2").write_bytes(bz2.compress(TEXT))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", TEXT)
    for name in ("a.gz", "a.bz2", "a.zip"):
        assert list(lists(tmp_path / name)) == SETS


def test_json_is_known_by_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('["a, b", 7]\n []\n["ü"]', encoding="utf-8")
    assert list(lists(tmp_path / "a")) == [(1, ["a, b", "7"]), (2, []), (3, ["ü"])]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.text(st.characters(exclude_characters="\0\n\r", exclude_categories=["Cs"])))
)
def test_every_line_is_there_once(tmp_path: Path, texts: list[str]) -> None:
    (tmp_path / "a").write_bytes("".join(f"{text}\n" for text in texts).encode())
    found = [(number, text.rstrip("\n")) for number, text in lines(tmp_path / "a")]
    expected = [(number, text) for number, text in enumerate(texts, 1)]
    if texts and texts[0].startswith("\ufeff"):
        expected[0] = (1, texts[0][1:])  # a mark of the order of bytes is no text
    assert found == expected


@pytest.mark.parametrize(
    "text, where",
    [
        (b'["a"]\n{"SECRET": 1}\n', ", line 2: must be a JSON list"),
        (b'["a"]\n\n["b"]\n', ", line 2: must be a JSON list"),
        (b'["a"]\n["SECRET"\n', ", line 2: must be a JSON list"),
        (b'["a"]\n["SECRET", true]\n', ", line 2: must be a JSON list"),
        (b'["a"]\n["SECRET", 1.5]\n', ", line 2: must be a JSON list"),
        (b'a,b\nc\n"SECRET,d\ne,f\n', ", line 3: must be CSV"),
        (b'a,b\n"SEC"RET,d\n', ", line 2: must be CSV"),
        (b"a,b\n\xff SECRET\n", ", line 2: must be UTF-8"),
        (b"a,b\nSECRET\0\n", ", line 2: must be UTF-8"),
        (b"PAR1 SECRET", ": must be text, but it is Parquet"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_not_shown(
    tmp_path: Path, text: bytes, where: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(text)
    with pytest.raises(TableError) as caught:
        list(lists(path))
    assert str(caught.value).startswith(f"{path}{where}")
    assert "SECRET" not in str(caught.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no such file"):
        list(lists(tmp_path / "a"))
