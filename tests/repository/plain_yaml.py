"""A reader of the plain YAML that this repository's own files use; anything else is an error."""

from __future__ import annotations

import json
import re
from typing import Any

PAIR = re.compile(r"(?P<key>[A-Za-z_][\w-]*):(?: +(?P<value>\S.*))?$")
WORDS = {"true": True, "false": False, "null": None}
INDICATORS = tuple("&*!|>'%@`{[#,?]}")


def read(text: str) -> Any:
    """The value that a document holds: mappings, lists, one-line scalars and literal blocks.

    Raises:
        ValueError: something else stands there.
    """
    lines = text.split("\n")
    value, rest = _block(_skipped(lines), 0)
    if _skipped(rest):
        raise ValueError(f"not read: {rest[0]!r}")
    return value


def _skipped(lines: list[str]) -> list[str]:
    while lines and (not lines[0].strip() or lines[0].lstrip().startswith("#")):
        lines = lines[1:]
    return lines


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(lines: list[str], indent: int) -> tuple[Any, list[str]]:
    if lines[0].startswith(" " * indent + "- "):
        several: list[Any] = []
        while lines and lines[0].startswith(" " * indent + "- "):
            first = " " * (indent + 2) + lines[0][indent + 2 :]
            item, lines = _block([first, *lines[1:]], indent + 2)
            several.append(item)
            lines = _skipped(lines)
        return several, lines
    found: dict[str, Any] = {}
    while lines and _indent(lines[0]) == indent:
        match = PAIR.match(lines[0][indent:])
        if match is None:
            if found or not lines[0].strip():
                raise ValueError(f"no key: {lines[0]!r}")
            return _scalar(lines[0].strip()), lines[1:]
        key, value = match["key"], match["value"]
        if key in found:
            raise ValueError(f"twice: {key}")
        if value is None:
            found[key], lines = _nested(_skipped(lines[1:]), indent)
        elif value == "|":
            found[key], lines = _literal(lines[1:], indent)
        else:
            found[key], lines = _scalar(value), lines[1:]
        lines = _skipped(lines)
    if lines and _indent(lines[0]) > indent:
        raise ValueError(f"too deep: {lines[0]!r}")
    return found, lines


def _nested(lines: list[str], indent: int) -> tuple[Any, list[str]]:
    if not lines or _indent(lines[0]) <= indent:
        return None, lines
    return _block(lines, _indent(lines[0]))


def _literal(lines: list[str], indent: int) -> tuple[str, list[str]]:
    inside = _indent(lines[0])
    if inside <= indent:
        raise ValueError(f"an empty block: {lines[0]!r}")
    taken = 0
    while taken < len(lines) and (not lines[taken].strip() or _indent(lines[taken]) >= inside):
        taken += 1
    return "\n".join(line[inside:] for line in lines[:taken]).rstrip("\n") + "\n", lines[taken:]


def _scalar(text: str) -> Any:
    if text.startswith('"'):
        return json.loads(text)
    text = text.partition(" #")[0].rstrip()
    if text.startswith(INDICATORS) or ": " in text:
        raise ValueError(f"no plain scalar: {text!r}")
    return int(text) if text.isdigit() else WORDS.get(text, text)
