"""Write output: results to stdout, everything else to stderr.

In a terminal tables fit its width and carry colour. In a pipe there is no colour, no line is
wrapped or cut, and no line ends in spaces, whatever COLUMNS or FORCE_COLOR say.
"""

from __future__ import annotations

import codecs
import io
import json
import math
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ldp_verified.app.report.streams import holds, stdout
from ldp_verified.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA = "ldp-verified/1"
"""Changes when a field of a document goes or changes its meaning; new ones may come any time."""

PIPE_WIDTH = 100_000
LONGEST_LABEL = 40
GAP = 3
"""Spaces between the columns of a table."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Part = RenderableType
"""A paragraph or table of the terminal output."""

_RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
_PLAIN_HEAD = box.Box(str(box.SIMPLE_HEAD).replace(_RULE, "-"), ascii=True)


def show(parts: Iterable[Part]) -> None:
    """Write paragraphs and tables to stdout, an empty line between them."""
    if stdout().isatty():
        console = _console()
        for position, part in enumerate(parts):
            if position:
                console.print()
            least = _least_width(console, part)
            # Too wide a table is broken by the terminal: no digit of it may be cut off.
            wider = console if least <= console.width else _console(least)
            wider.print(part)
        return
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=PIPE_WIDTH,
        color_system=None,
        force_terminal=False,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    for position, part in enumerate(parts):
        if position:
            console.print()
        console.print(part)
    for line in buffer.getvalue().splitlines():
        stdout().write(line.rstrip() + "\n")
    stdout().flush()


def _console(width: int | None = None) -> Console:
    """The terminal's, in which text is only text."""
    return Console(file=stdout(), markup=False, highlight=False, emoji=False, width=width)


def _least_width(console: Console, part: Part) -> int:
    """The width below which a table would lose characters; 0 for what can be wrapped."""
    if not isinstance(part, Table):
        return 0
    options = console.options.update(width=PIPE_WIDTH)
    total = GAP * (len(part.columns) - 1)
    for column in part.columns:
        cells = [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
        total += max(cell.maximum if column.no_wrap else cell.minimum for cell in cells)
    return total


def show_document(command: str, exit_code: int, body: Mapping[str, Json]) -> None:
    """Write one JSON document to stdout: schema, command, exit_code and the fields of `body`."""
    document = {"schema": SCHEMA, "command": command, "exit_code": exit_code, **body}
    plain = codecs.lookup(stdout().encoding or "utf-8").name != "utf-8"
    text = json.dumps(document, indent=2, allow_nan=False, ensure_ascii=plain) + "\n"
    # Half of a character, which a target may report, has no bytes: in JSON its escape is the same.
    stdout().write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    stdout().flush()


def say(message: str, style: str = "") -> None:
    """Write a line to stderr."""
    Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True).print(
        Text(message, style=style)
    )


def table(*columns: str, right: tuple[str, ...] = (), folded: tuple[str, ...] = ()) -> Table:
    """An empty table in the house style.

    Args:
        columns: the heads.
        right: columns of numbers, aligned to the right.
        folded: columns that may be broken into lines where the terminal is narrow; no other is.
    """
    head = box.SIMPLE_HEAD if holds(_RULE) else _PLAIN_HEAD
    made = Table(box=head, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=column not in folded,
            overflow="fold",
        )
    return made


def label(text: str) -> str:
    """A value's label on one short line, with nothing in it that a terminal would obey."""
    plain = printable(text)
    return plain if len(plain) <= LONGEST_LABEL else plain[: LONGEST_LABEL - 3] + "..."


def number(value: float) -> float | None:
    """A float for JSON, which knows no nan and no infinity."""
    return value if math.isfinite(value) else None
