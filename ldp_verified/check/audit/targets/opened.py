"""Read an open file or a buffer: all of its content, wherever it stands, and how it was opened.

A target's own process imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import io
import os
from pathlib import Path, PurePath
from typing import Any

_HOW = ("name", "mode", "encoding", "errors", "newlines", "line_buffering", "write_through")
"""How it was opened; a name that is a number is the system's choice, and is left out."""


def stream(value: Any) -> dict[str, Any] | None:
    """All that a file or buffer holds and how it was opened; None for what is none, or runs on.

    Args:
        value: any object.
    """
    if not isinstance(value, io.IOBase):
        return None
    try:
        if not value.seekable():
            return None
        return _content(value) | _how(value)
    except ValueError as error:  # closed, or not open for reading
        found = {"closed": value.closed, "error": str(error)}
        return found | _how(value) | _on_disk(value)


def _content(value: Any) -> dict[str, Any]:
    place = value.tell()
    value.seek(0)
    try:
        content = value.read()
        found = {"position": place, "content": content}
        if isinstance(value, io.TextIOWrapper) and value.newlines not in (None, "\n"):
            value.seek(0)
            found["bytes"] = value.buffer.read()  # the text has each line's end as \n
        return found
    finally:
        value.seek(place)


def _how(value: Any) -> dict[str, Any]:
    found = {}
    for name in _HOW:
        try:
            part = getattr(value, name, None)
        except ValueError:  # a buffer that was closed has none
            continue
        if isinstance(part, str | bytes | bool | tuple | PurePath):
            found[name] = part
    return found


def _on_disk(value: Any) -> dict[str, Any]:
    """Return what was written to a file that is still open, but not for reading."""
    name = getattr(value, "name", None)
    if value.closed or not isinstance(name, str | bytes | PurePath):
        return {}
    try:
        value.flush()
        file = Path(os.fsdecode(name))
        same = os.path.samestat(os.fstat(value.fileno()), file.stat())
        return {"content": file.read_bytes()} if same else {}
    except OSError:
        return {}
