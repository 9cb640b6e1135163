"""Read what a subclass of a built-in type holds, whatever its own methods say.

A list whose iterator gives nothing, a text that prints as another, a dict without items: whoever
saves or copies one may still have all of it. This is what a target's own process imports, so
nothing heavy stands here.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

_COLLECTIONS = ("__iter__", "__len__")
_ALL = slice(None)
READERS: tuple[tuple[type, tuple[str, ...], Callable[[Any], Any]], ...] = (
    (int, ("__int__", "__index__"), int.__int__),
    (float, ("__float__",), float.__float__),
    (complex, ("__complex__",), complex.__complex__),
    (str, ("__str__", "__iter__", "encode"), str.__str__),
    (bytes, ("__bytes__", "__iter__"), lambda value: bytes.__getitem__(value, _ALL)),
    (bytearray, ("__iter__",), lambda value: bytes(bytearray.__getitem__(value, _ALL))),
    (list, (*_COLLECTIONS, "__getitem__"), lambda value: [*list.__iter__(value)]),
    (tuple, (*_COLLECTIONS, "__getitem__"), lambda value: (*tuple.__iter__(value),)),
    (set, _COLLECTIONS, lambda value: sorted(set.__iter__(value), key=repr)),
    (frozenset, _COLLECTIONS, lambda value: sorted(frozenset.__iter__(value), key=repr)),
    (dict, (*_COLLECTIONS, "items", "__getitem__"), lambda value: [*dict.items(value)]),
)
"""Types, the methods of theirs by which they are read, and how they are read without them."""

LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "google", "pyspark", "geopandas", "modin"})
"""Packages whose data frames, columns and messages keep caches and locks in their attributes."""


def held(value: Any) -> dict[str, Any]:
    """Return what a subclass of a built-in type holds, where that type's methods do not show it.

    Args:
        value: any object.

    Returns:
        {} where the methods are those of the built-in type, or it is of none.
    """
    kind = type(value)
    for base, methods, reader in READERS:
        if kind is not base and issubclass(kind, base):
            names = getattr(value, "_fields", None) if base is tuple else None
            short = names is not None and (
                type(names) is not tuple or len(names) != tuple.__len__(value)
            )
            own = any(_own(kind, base, name) for name in methods)
            if kind is not OrderedDict and (own or short):
                return {f"held as {base.__name__}": reader(value)}
            return {}
    return {}


def _own(kind: type, base: type, name: str) -> bool:
    """Return whether a class has put something else in the place of a method of its base."""
    return getattr(kind, name, None) is not getattr(base, name, None)


def of_a_library(value: Any) -> bool:
    """Return whether an object's class, or one that it inherits from, is what a library made.

    A class that has the methods of a data frame, and lies about what it holds, is none.
    """
    return any(map(_genuine, type(value).__mro__)) or _message(value)


def _genuine(kind: type) -> bool:
    if kind.__module__.partition(".")[0] not in LIBRARIES:
        return False
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def _message(value: Any) -> bool:
    """Return whether a value is a protocol buffer's message, of a class made from a schema."""
    module: Any = sys.modules.get("google.protobuf.message")
    return module is not None and isinstance(value, module.Message)


def full_name(kind: type) -> str:
    """The name of a class; with its module where that is none of Python's or of a library.

    Two classes of one name are told apart by whoever gets their objects.
    """
    module = kind.__module__
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names or root in LIBRARIES or root == "numpy":
        return kind.__name__
    return f"{module}.{kind.__qualname__}"
