"""Rows of audits that are kept: what each came from, and the page that shows them.

One row is one line of JSON in rows.jsonl. Its key says what made it: the modules of the auditor
that its own audit passed through (`rests`), the client with the pinned versions of what is
installed for it, the number of samples and the level. A row is old where its key is not that of
today, and the page marks it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from examples.audits.apart import LocalError
from examples.audits.cases import HERE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEPT, PAGE = HERE / "rows.jsonl", HERE / "RESULTS.md"
BEGIN, END = "<!-- rows: written by the command -->", "<!-- end of rows -->"


@dataclass(frozen=True)
class Key:
    """What a row came from.

    Attributes:
        auditor: hash of the modules that the audit rested on, or words for a row from before there
            were keys.
        client: hash of the case, its program and the pinned versions of what it needs.
        n: samples. level: of the audit.
    """

    auditor: str
    client: str
    n: int
    level: float


@dataclass(frozen=True)
class Row:
    """One audit, as it is kept.

    Attributes:
        name: of the case.
        key: what it came from.
        cells: claim, verdict, bound, event, rules; empty where there never was an audit.
        failed: why the package could not be installed when it was last tried; empty where it was.
        passed, loaded: modules of the package that the audit ran, and that it only loaded.
    """

    name: str
    key: Key
    cells: tuple[str, ...]
    failed: str = ""
    passed: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()


def read(path: Path) -> list[Row]:
    """Read the rows that are kept, the oldest first.

    A last line without its end was being written when the power went: it is left out.

    Args:
        path: of the file; no file is no rows.

    Raises:
        LocalError: another line is no row, or two have one name.
    """
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    found: dict[str, Row] = {}
    for place, line in enumerate(lines[:-1], 1):
        try:
            row = _row(json.loads(line))
        except (ValueError, TypeError, KeyError) as error:
            raise LocalError(f"{path.name}:{place} must be a row ({error})") from None
        if row.name in found:
            raise LocalError(f"{path.name}:{place} must be the only row of {row.name}")
        found[row.name] = row
    return list(found.values())


def _row(given: Mapping[str, Any]) -> Row:
    lists = {name: tuple(given.get(name, ())) for name in ("cells", "passed", "loaded")}
    made = Row(**{**given, **lists, "key": Key(**given["key"])})
    modules = (*made.passed, *made.loaded)
    texts = (made.name, made.failed, made.key.auditor, made.key.client, *made.cells, *modules)
    if not all(isinstance(text, str) for text in texts) or len(made.cells) not in (0, 5):
        raise ValueError("texts, and five cells or none")
    return made


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write rows so that the file is the old one or the new one, whatever happens meanwhile."""
    beside = path.with_suffix(".new")
    with beside.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(row)) + "\n" for row in rows)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def with_row(rows: Sequence[Row], new: Row) -> list[Row]:
    """Put a row in, as the newest.

    One that could not be installed keeps what it was, and its key.
    """
    old = next((row for row in rows if row.name == new.name), None)
    if new.failed and old is not None:
        new = replace(old, failed=new.failed)
    return [*(row for row in rows if row.name != new.name), new]


def table(rows: Sequence[Row], keys: Mapping[str, Key]) -> str:
    """Make the part of the page between its two marks.

    Args:
        rows: all that are kept. keys: of today, by name, in the order of the page.
    """
    by_name = {row.name: row for row in rows}
    here = [by_name[name] for name in keys if name in by_name]
    today = [row for row in here if row.key == keys[row.name] and not row.failed]
    groups = [(_age(row, keys), f"{row.key.n:,} | {row.key.level:g}") for row in here]
    lines = [
        f"{len(here)} of {len(keys)} audits, {len(today)} of the auditor, client and n of today.",
        "The others are marked `old` or say why there is none.",
        "",
        "| auditor | n | level | rows |",
        "| --- | --- | --- | --- |",
    ]
    for group, count in Counter(groups).items():
        lines.append(f"| {' | '.join(group)} | {count} |")
    lines += [
        "",
        "| target | claim | verdict | eps >= | event with the largest bound | rules | made by |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in here:
        old = "" if row.key == keys[row.name] else "old: "
        failed = f"; could not be made again: {row.failed}" if row.failed else ""
        cells = row.cells or ("", "not made", "", "", "")
        told = [row.name, *cells, f"{old}{row.key.auditor}, n = {row.key.n:,}{failed}"]
        lines.append(f"| {' | '.join(text.replace('|', '/') for text in told)} |")
    return "\n".join(lines)


def _age(row: Row, keys: Mapping[str, Key]) -> str:
    if row.key == keys[row.name]:
        return "of today"
    return "of before" if row.passed else row.key.auditor


def page(old: str, part: str) -> str:
    """Put the rows between the marks of a page.

    Raises:
        LocalError: the page has no such marks.
    """
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise LocalError(f"the page must have the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{part}\n\n{END}{after}"
