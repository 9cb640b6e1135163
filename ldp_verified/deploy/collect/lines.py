"""Lines of a text file with their numbers: as rows of CSV, or as lists in JSON.

A message names the line and the rule. What stands in a line is private, and never in a message.
"""

from __future__ import annotations

import csv
from itertools import chain
from typing import TYPE_CHECKING

from ldp_verified.deploy.collect.quotes import RULE
from ldp_verified.deploy.collect.table import TableError, at, delimiter_of, raw_lines
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Numbered = tuple[int, list[str]]
"""The number of a line, from 1, and what stands there."""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line with its number, from 1, and its end.

    Raises:
        TableError: no such file, or a line that is no UTF-8 text.
    """
    for number, raw in enumerate(raw_lines(path), 1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise TableError(at(path, number), "must be UTF-8 text")
        yield number, text


def csv_rows(path: Path) -> Iterator[Numbered]:
    """Each row of a CSV file with the line where it begins; a blank line has no cells.

    Raises:
        TableError: as `lines`, or quotes that do not match.
    """
    return _csv_rows(path, lines(path))


def lists(path: Path) -> Iterator[Numbered]:
    """Each line as the texts of a list: a JSON list, or the cells of CSV.

    It is JSON where the first line that is not blank begins with "[". In JSON every line must be a
    list of texts or integers. In CSV, spaces around a cell are left out, and so are empty cells.

    Raises:
        TableError: as `csv_rows`, or a line that is no JSON list.
    """
    numbered = lines(path)
    seen = []
    for number, text in numbered:
        seen.append((number, text))
        if text.strip():
            break
    every = chain(seen, numbered)
    if seen and seen[-1][1].lstrip().startswith("["):
        for number, text in every:
            yield number, _listed(path, number, text)
        return
    for number, cells in _csv_rows(path, every):
        yield number, [cell for cell in map(str.strip, cells) if cell]


def _csv_rows(path: Path, numbered: Iterable[tuple[int, str]]) -> Iterator[Numbered]:
    reader = csv.reader((text for _, text in numbered), delimiter=delimiter_of(path), strict=True)
    while True:
        begin = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise TableError(at(path, begin), f"{RULE}, or a cell is too long") from None
        yield begin, cells


def _listed(path: Path, number: int, text: str) -> list[str]:
    try:
        found = read_json(text)
    except NotJsonError:
        found = None
    plain = isinstance(found, list) and all(isinstance(i, str) or is_integer(i) for i in found)
    if not plain:
        raise TableError(
            at(path, number), "must be a JSON list of texts or integers, one set a line"
        )
    return list(map(str, found))
