"""A line, a cell or a body as a report: JSON where it is JSON, else the text itself.

JSON can be written in many ways: blanks, escapes, `1e0` for 1.0, a key that comes twice. Whoever
gets the text sees which, so what is not usual is the report's form (see `forms`).
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from ldp_verified.check.audit.targets.forms import Formed
from ldp_verified.check.audit.targets.outputs import ENDS, LONGEST_LEAF, settle
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.things import Thing

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+0-9.eE]+')


def _json(text: str) -> tuple[Any, bool]:
    """Return the value that a text stands for, and whether it is JSON."""
    try:
        return _DECODER.decode(text), True
    except (ValueError, RecursionError):
        return text, False


def _report(found: Any, is_json: bool) -> Any:
    if isinstance(found, dict) and set(found) == {"error"}:
        told = found["error"]
        # A text that is JSON itself stays quoted: 1 and "1" are two lines.
        return Raised("error", told if _is_words(told) else json.dumps(told, default=repr))
    return found if is_json and type(found) in (int, float) else settle(found)


def _is_words(told: Any) -> bool:
    """Return whether what an error says is a text that is not JSON."""
    return isinstance(told, str) and not _json(told)[1]


def spelled(text: str) -> Any:
    """The report that a text stands for, with its spelling where that is not the usual one.

    Args:
        text: JSON, or any other text. `{"error": TEXT}` is an exception. A carriage
            return at its end is a part of the spelling.
    """
    line = text.rstrip("\r")
    raw, is_json = _json(line)
    found = _report(raw, is_json)
    words = ["\\r" * (len(text) - len(line))] if len(text) > len(line) else []
    words += ["quoted"] if is_json and type(raw) is str else []
    words += [form] if is_json and (form := _spelling(line, raw)) else []
    return Formed(found, ", ".join(words)) if words else found


def _spelling(line: str, found: Any) -> str:
    """How a line of JSON differs from what Python's `json` writes; empty where it does not."""
    if type(found) is int and len(line) <= LONGEST_LEAF and line == str(found):
        return ""
    skeleton = _TOKEN.sub(_usual, line)
    try:
        written, compact = json.dumps(found), json.dumps(found, separators=(",", ":"))
    except TypeError:  # a key that comes twice
        written = compact = ""
    if skeleton == _TOKEN.sub(_usual, written):
        return ""
    if skeleton == _TOKEN.sub(_usual, compact):
        return "no blanks"
    if len(skeleton) <= ENDS:
        return f"spelling {skeleton}"
    digest = hashlib.sha256(skeleton.encode("utf-8", "surrogatepass")).hexdigest()
    return f"spelling of {len(skeleton)} signs, {digest}"


def _usual(token: re.Match[str]) -> str:
    """A letter for a text or number in its usual spelling, u for a text in Unicode, else all."""
    text = token.group()
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if text == json.dumps(found, ensure_ascii=False) and not text.isascii():
        return "u"
    return ("s" if type(found) is str else "n") if text == json.dumps(found) else text


def _object(pairs: list[tuple[str, Any]]) -> Any:
    """An object; one whose keys come twice is none of Python's dictionaries."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    return Thing("object", tuple(key for key, _ in pairs), tuple(value for _, value in pairs))


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
