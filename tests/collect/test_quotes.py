"""A quote that begins a cell and does not end it is found, wherever blocks end."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.deploy.collect import quotes
from ldp_verified.deploy.collect.quotes import wrong_quote

BLOCKS = [3, 5, 1 << 20]


def found(text: bytes, delimiter: str = ",") -> int:
    return wrong_quote(io.BytesIO(text), delimiter)


def one_by_one(text: str, delimiter: str) -> int:
    """The same, character by character."""
    line, opened, state, ends = 1, 0, "begin", delimiter + "\r\n"
    for each in text:
        match state:
            case "begin" if each == '"':
                state, opened = "quoted", line
            case "begin" | "plain":
                state = "begin" if each in ends else "plain"
            case "quoted" if each == '"':
                state = "closed"
            case "closed" if each == '"':
                state = "quoted"
            case "closed" if each not in ends:
                return opened
            case "closed":
                state = "begin"
        line += each == "\n"
    return opened if state == "quoted" else 0


@pytest.mark.parametrize("size", BLOCKS)
@given(text=st.text('"",\n\r\ta', max_size=60), delimiter=st.sampled_from(",\t"))
def test_it_agrees_with_reading_one_character_at_a_time(
    size: int, text: str, delimiter: str
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(quotes, "_BLOCK_BYTES", size)
        assert found(text.encode(), delimiter) == one_by_one(text, delimiter)


@given(
    rows=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1)),
    ends=st.sampled_from(["\n", "\r\n"]),
    every=st.booleans(),
)
def test_what_a_writer_of_csv_wrote_is_in_order(
    rows: list[list[str]], ends: str, every: bool
) -> None:
    text = io.StringIO(newline="")
    if every:
        writer = csv.writer(text, lineterminator=ends, quoting=csv.QUOTE_ALL)
    else:
        writer = csv.writer(text, lineterminator=ends)
    writer.writerows(rows)
    assert found(text.getvalue().encode()) == 0


@pytest.mark.parametrize("size", BLOCKS)
@pytest.mark.parametrize(
    "text, line",
    [
        (b"", 0),
        (b'\xef\xbb\xbf"a\nb",c', 0),
        (b'\xef\xbb\xbf"a"b', 1),
        (b'5" wide,"a ""b"""\n', 0),
        (b'a\n\n"b\n""\n', 3),
        (b'a,"b\n\nc",d\r\n"e" ,f', 4),
        (b'a;b\n"c";"d"\n', 2),
    ],
)
def test_the_line_is_that_of_the_quote(
    text: bytes, line: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotes, "_BLOCK_BYTES", size)
    assert found(text) == line


def test_no_more_is_held_than_some_blocks() -> None:
    class Counted(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            block = super().read(size)
            self.taken += len(block)
            return block

    stream = Counted(b"x" * (9 << 20))
    assert wrong_quote(stream, ",") == 0
    assert stream.taken == 5 << 20
    assert found(b'a\n"' + b"x,y\n" * (1 << 21)) == 2
