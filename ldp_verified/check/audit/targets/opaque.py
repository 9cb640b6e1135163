"""Objects whose text is an address: what can be read of them by other ways.

Their buffer, what a function has closed over, what a method is bound to, what would be pickled.
Where there is no such way the object counts as not read, and no audit of it is `consistent`.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ldp_verified.check.audit.targets.attributes import made_in_a_call

UNREAD = ("not read",)
"""The names of the parts of an object that was not read."""

UNREADABLE = "outputs hold what cannot be read ({}), and that may tell the input"
"""What is said of an audit of such outputs, with their classes."""


def parts(value: Any) -> dict[str, Any] | None:
    """Names and parts; None where there is no way to read it.

    Args:
        value: an object that shows no fields.
    """
    if type(value) is object:
        return {}
    for way in (_buffer, _function, _pickled):
        found = way(value)
        if found is not None:
            return found
    return None


def _buffer(value: Any) -> dict[str, Any] | None:
    """The bytes of what lends its memory: arrays and structures of C."""
    try:
        return {"bytes": memoryview(value).tobytes()}
    except (TypeError, ValueError, NotImplementedError, BufferError):
        return None


def _function(value: Any) -> dict[str, Any] | None:
    """The name of a function or method, and what it holds."""
    name = getattr(type(value), "__name__", "")
    if name == "method":
        return {"function": value.__func__.__qualname__, "self": value.__self__}
    if name == "function":
        cells, code = value.__closure__ or (), value.__code__
        plain = [each for each in code.co_consts if not hasattr(each, "co_code")]
        return {
            "name": value.__qualname__,
            "closure": [cell.cell_contents for cell in cells],
            "defaults": (value.__defaults__, value.__kwdefaults__),
            "code": [code.co_code, code.co_names, *plain],
            "attributes": value.__dict__,
        }
    if name == "builtin_function_or_method":
        own = value.__self__
        return {"name": value.__qualname__, "self": None if type(own) is type(sys) else own}
    return None


def beside_fields(value: Any) -> dict[str, Any]:
    """Return what a class that pickles in its own way holds besides its fields; {} for others."""
    kind: Any = type(value)
    plain: Any = object
    own = kind.__reduce__ is not plain.__reduce__ or kind.__reduce_ex__ is not plain.__reduce_ex__
    return (_pickled(value) or {}) if own else {}


def hidden(value: Any) -> bool:
    """Return whether an object's text may be all that it shows and not all that it holds.

    It cannot be pickled, or its class may be one of this call alone.
    """
    if made_in_a_call(value) or isinstance(value, type):
        return made_in_a_call(value)
    try:
        value.__reduce_ex__(4)
    except BaseException:
        return True
    return False


def _pickled(value: Any) -> dict[str, Any] | None:
    """Return what would be pickled of it, but for the functions that make it anew."""
    try:
        found = value.__reduce_ex__(4)
    except BaseException:
        return None
    if isinstance(found, str):
        return {"name": found}
    if not isinstance(found, tuple) or len(found) < 2:
        return None
    arguments, *rest = found[1:]
    given = [_named(each) for each in arguments if each is not type(value)]
    held = {"arguments": given, "state": rest[0] if rest else None}
    return held if given or held["state"] is not None else None


def _named(part: Any) -> Any:
    """Return a class by its name, anything else as it is."""
    return f"{part.__module__}.{part.__qualname__}" if isinstance(part, type) else part


def unread(value: Any) -> str:
    """The class of the first part of an output that was not read; empty where all were.

    Args:
        value: an output in the closed vocabulary.
    """
    names = getattr(value, "names", None)
    if names == UNREAD:
        return str(value.type)
    inside: Any = ()
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
