"""Read recorded network traffic as reports on file: HTTP Archive 1.2 (HAR), as browsers export it.

An entry is a request with its response. The input and the output of an entry are named by where
they stand in it:

    request.body, response.body        is the body: its JSON, or its text where it is no JSON.
                                       Base64 is decoded. A whole body is read with its spelling:
                                       two spellings of the same JSON are two bodies.
    request.body.v.0                   is a part of the body, by keys of objects and positions in
                                       lists.
    request.query.NAME, request.header.NAME, response.header.NAME, request.url, response.status
                                       are the parts of an entry that are called so.
    response                           is what `--http` reads: the body, with the status and the
                                       type where the status is not 200.
    comment, pageref                   is what the recorder wrote about the entry.

An entry that lacks the input is other traffic, and is left out.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.targets.forms import bare
from ldp_verified.check.audit.targets.outputs import settle
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.spelling import spelled
from ldp_verified.check.audit.targets.things import with_status
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.files import unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ABSENT = object()
"""The mark of a place that an entry does not have."""

PLACES = (
    "request.body",
    "request.query",
    "request.header",
    "request.url",
    "response",
    "response.body",
    "response.header",
    "response.status",
    "comment",
    "pageref",
)


def recorded(path: Path, column: str, output: str) -> Iterator[tuple[Any, Any]]:
    """Yield the input and the output of each entry, in the order of the entries.

    Args:
        path: the file, which is read whole.
        column, output: the places of the two.

    Raises:
        ParameterError: the file is no HAR, a place is none, or no entry has the input.
    """
    places = [_place(option, name) for option, name in (("--input", column), ("--output", output))]
    given, shown = places
    found = False
    for entry in _entries(path):
        value = _at(entry, given)
        if value is ABSENT:
            continue
        found = True
        report = _at(entry, shown)
        plain = bare(value)
        label = plain if isinstance(plain, str | int | float) else json.dumps(plain)
        yield label, Raised("NoAnswer", "not recorded") if report is ABSENT else report
    if not found:
        raise ParameterError("--input", f"must be in an entry of {path.name}", column)


def _entries(path: Path) -> list[Mapping[str, Any]]:
    rule = "must be an HTTP Archive: JSON with log.entries"
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        entries = document["log"]["entries"]
    except OSError as error:
        raise ParameterError(str(path), unread(error)) from None
    except (ValueError, KeyError, TypeError):
        raise ParameterError(str(path), rule) from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ParameterError(str(path), rule)
    return entries


def _place(option: str, name: str) -> tuple[str, tuple[str, ...]]:
    """The longest known place that a name begins with, and the keys after it."""
    words = name.split(".")
    for count in (2, 1):
        head, rest = ".".join(words[:count]), words[count:]
        takes = 1 if head.endswith((".query", ".header")) else None
        whole = head in ("request.url", "response", "response.status", "comment", "pageref")
        if head not in PLACES or (whole and rest) or (takes is not None and not rest):
            continue
        return head, (".".join(rest),) if takes else tuple(rest)
    known = ", ".join(PLACES)
    raise ParameterError(option, f"must be a place in an HTTP Archive ({known})", name)


def _at(entry: Mapping[str, Any], place: tuple[str, tuple[str, ...]]) -> Any:
    head, rest = place
    side, _, part = head.partition(".")
    if side in ("comment", "pageref"):
        return entry.get(side, ABSENT)
    message = entry.get(side)
    if not isinstance(message, dict):
        return ABSENT
    if part in ("url", "status"):
        return message.get(part, ABSENT)
    if part in ("query", "header"):
        return _named(message.get("queryString" if part == "query" else "headers"), rest[0], part)
    body = _body(message, side)
    if part:
        return _inside(bare(body), rest) if rest else body
    status, kind = message.get("status"), message.get("content", {}).get("mimeType", "")
    if status == 200:
        return "" if body is ABSENT else body
    kind = str(kind).partition(";")[0]
    shown = "" if body is ABSENT else body
    return settle(with_status(status, kind, shown))


def _named(pairs: Any, name: str, part: str) -> Any:
    """The value of a header, whose name has no case, or of a parameter of a query."""
    for pair in pairs if isinstance(pairs, list) else ():
        own = pair.get("name") if isinstance(pair, dict) else None
        same = isinstance(own, str) and (
            own == name or (part == "header" and own.lower() == name.lower())
        )
        if same:
            return pair.get("value", ABSENT)
    return ABSENT


def _body(message: Mapping[str, Any], side: str) -> Any:
    held = message.get("postData" if side == "request" else "content")
    text = held.get("text") if isinstance(held, dict) else None
    if not isinstance(text, str):
        return ABSENT
    if isinstance(held, dict) and held.get("encoding") == "base64":
        try:
            data = base64.b64decode(text, validate=True)
        except binascii.Error:
            return ABSENT
        text = data.decode("utf-8", "backslashreplace")
    return spelled(text)


def _inside(value: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return ABSENT
    return value
