"""Objects whose text is an address: what can be read of them by other ways.

Their buffer, or what would be pickled.
Where there is no such way the object counts as not read, and no audit of it is `consistent`.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Mapping
from typing import Any

from ldp_verified.check.audit.targets.attributes import made_in_a_call
from ldp_verified.check.audit.targets.classes import of_c, of_python, of_stdlib
from ldp_verified.check.audit.targets.things import Thing
from ldp_verified.errors import printable

UNREAD = ("not read",)
"""The names of the parts of an object that was not read."""

UNREADABLE = "outputs hold what cannot be read ({}), and that may tell the input"
"""What is said of an audit of such outputs, with their classes."""

_ITEMS = ("items", "entries")
"""What a list or a dictionary of C is filled with when it is read back."""

_UNREAD_LINE = re.compile(r"^\(not read: (.*)\)$", re.MULTILINE)


def parts(value: Any) -> dict[str, Any] | None:
    """Names and parts; None where there is no way to read it.

    Args:
        value: an object that shows no fields.
    """
    kind = type(value)
    if kind is object:
        return {}
    for way in (_buffer, _pickled):
        found = way(value)
        if found is not None:
            return found
    # One of Python's own marks, such as that of a field without a default, holds nothing.
    mark = of_python(kind) and of_stdlib(kind) and not hidden(value)
    return {} if mark else None


def _buffer(value: Any) -> dict[str, Any] | None:
    """The bytes of what lends its memory: arrays and structures of C."""
    try:
        return {"bytes": memoryview(value).tobytes()}
    except (TypeError, ValueError, NotImplementedError, BufferError):
        return None


def beside_fields(value: Any, *, shown: bool = True) -> dict[str, Any]:
    """Return what a class that pickles in its own way holds besides its fields; {} for others.

    Args:
        value: any object.
        shown: whether its fields are its items, which are not read again.
    """
    kind: Any = type(value)
    plain: Any = object
    ways = (kind.__reduce__ is plain.__reduce__, kind.__reduce_ex__ is plain.__reduce_ex__)
    own = not all(ways) or kind in copyreg.dispatch_table
    found = (_pickled(value) or {}) if own else {}
    return {name: part for name, part in found.items() if not (shown and name in _ITEMS)}


def beneath(value: Any) -> dict[str, Any]:
    """Return the memory of what C holds beneath a class of Python's; {} where that is pickled.

    Args:
        value: an object of such a class.
    """
    if of_c(type(value)) is object or _pickled(value) is not None:
        return {}
    unread_part = Thing(type(value).__name__, UNREAD, ("...",))
    return _buffer(value) or {"its state": unread_part}


def hidden(value: Any) -> bool:
    """Return whether an object's text may be all that it shows and not all that it holds.

    It cannot be pickled, or its class may be one of this call alone.
    """
    if made_in_a_call(value) or isinstance(value, type):
        return made_in_a_call(value)
    try:
        _reduced(value)
    except BaseException:
        return True
    return False


def _reduced(value: Any) -> Any:
    """Return how an object would be made anew; a table says it for some of Python's own types."""
    way = copyreg.dispatch_table.get(type(value))
    return value.__reduce_ex__(4) if way is None else way(value)


def _pickled(value: Any) -> dict[str, Any] | None:
    """Return what would be pickled of an object, but for the functions that make it anew."""
    try:
        found = _reduced(value)
    except BaseException:
        return None
    if isinstance(found, str):
        return {"name": found}
    if not isinstance(found, tuple) or len(found) < 2:
        return None
    arguments, *rest = found[1:]
    held: dict[str, Any] = {
        "arguments": [_named(each) for each in arguments if each is not type(value)]
    }
    held |= {"state": rest[0] if rest else None}
    for name, items in zip(_ITEMS, rest[1:3], strict=False):
        held |= {name: [*items]} if items is not None else {}
    given = bool(held["arguments"]) or held["state"] is not None or len(held) > 2
    return held if given else None


def _named(part: Any) -> Any:
    """Return a class by its name, anything else as it is."""
    return f"{part.__module__}.{part.__qualname__}" if isinstance(part, type) else part


def unread_line(name: str) -> str:
    """Return the line of an exception's text which says that something in it was not read."""
    return f"(not read: {printable(name)})"


def unread(value: Any) -> str:
    """The class of the first part of an output that was not read; empty where all were.

    Args:
        value: an output in the closed vocabulary.
    """
    names = getattr(value, "names", None)
    if names == UNREAD:
        return str(value.type)
    inside: Any = ()
    if type(value).__name__ == "Raised":
        line = _UNREAD_LINE.search(value.message)
        return line[1] if line else ""
    if names is not None:
        inside = value.values
    elif isinstance(value, Mapping):
        inside = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inside = value
    elif type(value).__name__ == "Consumed":
        inside = value.items
    for each in inside:
        if isinstance(each, str | bytes | int | float) or each is None:
            continue
        found = unread(each)
        if found:
            return found
    return ""


def serialized(value: Any) -> list[tuple[str, Any]]:
    """The bytes of a message, which hold the fields that its schema does not know too."""
    if getattr(type(value), "SerializeToString", None) is None:
        return []
    try:
        return [("bytes", bytes(value.SerializeToString(deterministic=True)))]
    except TypeError:
        return [("bytes", bytes(value.SerializeToString()))]
