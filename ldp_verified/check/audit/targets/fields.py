"""Names and parts of objects that show them: mappings, records, data frames, messages.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping, MappingView
from typing import Any

from ldp_verified.check.audit.targets.attributes import ATOMS, has
from ldp_verified.check.audit.targets.opaque import serialized
from ldp_verified.check.audit.targets.things import Thing


def fields_of(value: Any) -> list[tuple[str, Any]] | None:
    """Names and parts of an object; None where it has none that can be read."""
    if isinstance(value, type):
        return None
    named = getattr(value, "_fields", None) if isinstance(value, tuple) else None
    if isinstance(named, tuple):
        return list(zip(map(str, named), value, strict=False))
    if isinstance(value, list | tuple | set | frozenset | deque | MappingView):
        return _items(value)
    if isinstance(value, Mapping):
        return _entries(value)
    if all(has(value, each) for each in ("columns", "__getitem__", "shape")):
        columns = [(str(column), _column(value[column])) for column in value.columns]
        return [*columns, *((f"its {name}", part) for name, part in _labels(value))]
    if has(value, "to_list") and has(value, "dtype"):
        return _column_fields(value)
    if has(value, "ListFields"):  # a protocol buffer's message
        set_ = [(str(getattr(field, "name", field)), part) for field, part in value.ListFields()]
        return [*set_, *serialized(value)]
    if has(value, "SerializeToString"):
        return serialized(value)
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return None


def _items(value: Any) -> list[tuple[str, Any]]:
    """List the members of a collection; a view of a dictionary has all of it at hand."""
    parts: Any = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
    found = [(str(i), part) for i, part in enumerate(parts)]
    if isinstance(value, deque):
        found.append(("maxlen", value.maxlen))
    if hasattr(value, "mapping"):
        found.append(("mapping", value.mapping))
    return found


def _entries(value: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    """List the values of a mapping by their keys; keys that are no plain values are parts too."""
    pairs = list(value.items())
    found = [(repr(key), part) for key, part in pairs]
    if not all(type(key) in ATOMS for key, _ in pairs):
        found.append(("keys", [key for key, _ in pairs]))
    return found


def _column(column: Any) -> Any:
    if not has(column, "to_list"):
        return column
    return Thing(type(column).__name__, *zip(*_column_fields(column), strict=True))


def _column_fields(column: Any) -> list[tuple[str, Any]]:
    """Return the type of a data frame's column, its index if it has one, and its values."""
    found = [("dtype", repr(column.dtype))]
    index = getattr(column, "index", None)
    if index is not None and hasattr(index, "to_list"):
        found.append(("index", index.to_list()))
    return [*found, ("values", column.to_list()), *_labels(column)]


def _labels(frame: Any) -> list[tuple[str, Any]]:
    """List what pandas keeps beside the values: names, attributes, and an index without columns."""
    found = [(name, getattr(frame, name, None)) for name in ("name", "attrs")]
    for axis in ("index", "columns"):
        labels = getattr(frame, axis, None)
        if has(labels, "to_list") and labels is not None and hasattr(labels, "names"):
            found += [(f"{axis} names", list(labels.names)), (axis, labels.to_list())]
    repeats = getattr(getattr(frame, "flags", None), "allows_duplicate_labels", True)
    found.append(("unique labels", not repeats))
    return [(name, part) for name, part in found if part]
