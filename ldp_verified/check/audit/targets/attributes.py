"""Read what an object holds beside its value: attributes, a stream's content, its class's own.

A number with a note, a list with a name and a file that was written to its end show less than they
carry. This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from functools import cached_property
from typing import Any

OF_PYTHON = 1 << 9
"""The flag of classes that are made while a program runs, as `class` and `type` make them."""

ATOMS = (type(None), bool, int, float, complex, str, bytes)


def attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object, and values of a class that was made for it.

    Args:
        value: no plain value, list, tuple, dict or set.
    """
    held = {name: getattr(value, name) for name in _slots(value) if hasattr(value, name)}
    held |= getattr(value, "__dict__", None) or {} if not isinstance(value, type) else {}
    for each in type(value).__mro__:
        if _local(each):
            own = each.__dict__.items()
            held |= {name: part for name, part in own if _told(name, part) and name not in held}
    held |= {name: part for name, part in _worked_out(value) if name not in held}
    return {str(name): part for name, part in held.items()}


def _worked_out(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the properties that a class of Python's works out, where they are plain values.

    One that fails has none: it would be said by whoever asks for it only.
    """
    for each in type(value).__mro__:
        if not each.__flags__ & OF_PYTHON or each.__module__ in sys.stdlib_module_names:
            continue
        for name, field in list(each.__dict__.items()):
            if isinstance(field, property | cached_property):
                try:
                    part = getattr(value, name)
                except Exception:
                    continue
                if isinstance(part, ATOMS):
                    yield name, part


def speechless(value: Any) -> bool:
    """Return whether an object holds nothing where its class may know more of it.

    Args:
        value: an object in which nothing was found.
    """
    for each in type(value).__mro__:
        if each.__flags__ & OF_PYTHON and each.__module__ not in sys.stdlib_module_names:
            own = each.__dict__.items()
            if any(not isinstance(part, ATOMS) for name, part in own if _own(name)):
                return True
    return False


def _own(name: str) -> bool:
    """Return whether a name in a class is none that Python gives or asks for."""
    return not (name.startswith("__") and name.endswith("__")) or name == "__getattr__"


def _told(name: str, part: Any) -> bool:
    return isinstance(part, ATOMS) and not (name.startswith("__") and name.endswith("__"))


def _slots(value: Any) -> list[str]:
    found: list[str] = []
    for each in type(value).__mro__:
        own = each.__dict__.get("__slots__", ())
        found += [own] if isinstance(own, str) else [*own]
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def _local(kind: type) -> bool:
    """Return whether a class is not found under its name: calls may each have one of their own."""
    if not kind.__flags__ & OF_PYTHON:
        return False
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not kind


def made_in_a_call(value: Any) -> bool:
    """Return whether a class, or that of an object without fields, may be made for its input."""
    return _local(value if isinstance(value, type) else type(value))


def stream(value: Any) -> dict[str, Any] | None:
    """All that a file or buffer holds, wherever it stands; None for what is none, or runs on."""
    if not isinstance(value, io.IOBase):
        return None
    try:
        if not value.seekable():
            return None
        place = value.tell()
        value.seek(0)
        read: Any = value  # all streams read, the class that they have in common does not
        content = read.read()
        value.seek(place)
    except ValueError as error:  # closed, or not open for reading
        return {"closed": value.closed, "error": str(error)}
    return {"position": place, "content": content}
