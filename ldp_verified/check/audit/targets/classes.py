"""Read what Python itself knows of a class, whatever its metaclass says.

A target's own process imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

_MADE, _FIXED = 1 << 9, 1 << 8
"""The flags of classes made while a program runs, and of those of C that nobody changes."""

_MRO: Any = type.__dict__["__mro__"]
_DICT: Any = type.__dict__["__dict__"]
_FLAGS: Any = type.__dict__["__flags__"]


def lineage(kind: type) -> tuple[type, ...]:
    """Return a class and those that it inherits from, in the order in which names are looked up."""
    found: tuple[type, ...] = _MRO.__get__(kind)
    return found


def own(kind: type) -> Mapping[str, Any]:
    """Return what the body of a class defines, without what the class inherits."""
    found: Mapping[str, Any] = _DICT.__get__(kind)
    return found


def of_python(kind: type) -> bool:
    """Return whether a class was made while a program ran, as `class` and `type` make them."""
    return bool(_FLAGS.__get__(kind) & (_MADE | _FIXED) == _MADE)


def of_c(kind: type) -> type:
    """Return the class of C that lays out the memory of a class's objects; else `object`."""
    return next(each for each in lineage(kind) if not of_python(each))


def root(kind: type) -> str:
    """Return the name of the package that a class says it belongs to."""
    return str(kind.__module__).partition(".")[0]


def local(kind: type) -> bool:
    """Return whether a class is not found under its name: calls may each have one of their own."""
    if not of_python(kind):
        return False
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not kind


def of_stdlib(kind: type) -> bool:
    """Return whether a class is one of Python's own, and does not only say so."""
    return not of_python(kind) or (root(kind) in sys.stdlib_module_names and not local(kind))
