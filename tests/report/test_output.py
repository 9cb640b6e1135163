"""Output in a pipe is plain: no colour, no wrapping, no padding; JSON that any parser takes."""

from __future__ import annotations

import io
import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from ldp_verified.app.report.output import LONGEST_LABEL, label, number, show, show_document, table


def test_a_piped_table_is_plain(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("FORCE_COLOR", "1")
    long = "word " * 60
    rows = table("name", "text", "count", right=("count",), folded=("text",))
    rows.add_row("[red]a[/red]", Text(long.strip(), style="bold red"), "1,000")
    rows.add_row(":smile:", "b", "7")
    show([rows, Text("after")])
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].split() == ["name", "text", "count"]
    assert set(lines[1]) == {"─"}
    assert lines[2] == f"[red]a[/red]   {long.strip()}   1,000"
    assert lines[3].split() == [":smile:", "b", "7"]
    assert lines[3].endswith(" 7")
    assert lines[4:] == ["", "after", ""]


def test_a_document_names_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    show_document("list", 0, {"a": [1.5, None, "ü"]})
    text = capsys.readouterr().out
    assert json.loads(text) == {
        "schema": "ldp-verified/1",
        "command": "list",
        "exit_code": 0,
        "a": [1.5, None, "ü"],
    }
    with pytest.raises(ValueError, match="Out of range float"):
        show_document("list", 0, {"a": math.nan})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_become_null(value: float) -> None:
    assert number(value) is None
    assert number(1.5) == 1.5


def test_half_of_a_character_is_escaped_in_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of bytes refuses it; what is read back is the same text."""
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="utf-8")
    monkeypatch.setattr("ldp_verified.app.report.output.stdout", lambda: stream)
    show_document("list", 0, {"told": "a\ud800\u00e9"})
    assert json.loads(written.getvalue())["told"] == "a\ud800\u00e9"


@given(st.text())
def test_labels_hold_nothing_that_a_terminal_obeys(text: str) -> None:
    shown = label(text)
    assert all(c.isprintable() for c in shown)
    assert len(shown) <= LONGEST_LABEL
    if text.isprintable() and len(text) <= LONGEST_LABEL:
        assert shown == text


def test_escape_sequences_are_spelled_out() -> None:
    assert label("\x1b[31mred\n") == r"\x1b[31mred\n"


def test_a_table_too_wide_for_the_terminal_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stdout = Terminal()
    monkeypatch.setattr("sys.stdout", stdout)
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setenv("TERM", "xterm")
    rows = table("a name", "text", "count", right=("count",), folded=("text",))
    rows.add_row("something", "several words here", "1,234,567,890,123")
    show([rows, Text("six words that are wrapped here")])
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stdout.getvalue()).splitlines()
    assert any("something" in line and "1,234,567,890,123" in line for line in lines)
    assert max(map(len, lines)) > 24
    assert [line.rstrip() for line in lines[-2:]] == ["six words that are", "wrapped here"]
