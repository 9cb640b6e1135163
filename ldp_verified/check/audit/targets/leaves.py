"""The leaves of an output of any shape: none of what it holds is lost.

Values have places: item 3 of a list, the value of the second key. Keys, names of attributes and
members of sets have none among them, so they make a sequence of their own, `names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_verified.check.audit.targets.forms import bare
from ldp_verified.check.audit.targets.keys import items, key, members
from ldp_verified.check.audit.targets.things import Consumed, Thing

MOST_PARTS = 4096
"""Leaves of an output that are read, and as many names."""

_SETS = (set, frozenset)
_HOLDERS = (list, tuple, dict, Consumed, Thing)
_COMPLEX = (complex, np.complexfloating)
_COMPOSED = (*_HOLDERS, *_COMPLEX, bytes, bytearray, np.ndarray)


@dataclass(frozen=True)
class Leaves:
    """The leaves of one output.

    Attributes:
        parts: values in order; None where the output has no parts. Texts and sets are leaves.
        names: keys, names of attributes and members of sets, read to their leaves too.
    """

    parts: list[Any] | None
    names: list[Any]


def leaves(output: Any) -> Leaves:
    """Return the leaves of an output.

    Args:
        output: in the closed vocabulary of `outputs`.
    """
    output = bare(output)
    parts = items(output)
    if parts is None:
        return Leaves(parts, _in_sets([output]))
    if not isinstance(output, Mapping | Thing) and not any(map(_is_composed, parts)):
        return Leaves(parts, [])
    values: list[Any] = []
    names = _flat(_names(output))
    for part in parts:
        _read(part, values, names)
    return Leaves(values[:MOST_PARTS], names[:MOST_PARTS])


def _is_composed(part: Any) -> bool:
    return isinstance(part, (*_COMPOSED, *_SETS))


def _read(part: Any, values: list[Any], names: list[Any]) -> None:
    """Append the leaves of a part to both lists, as long as there is room."""
    if len(values) >= MOST_PARTS and len(names) >= MOST_PARTS:
        return
    if isinstance(part, _SETS):
        names += _in_sets([part])
    inner = items(part) if isinstance(part, _COMPOSED) else None
    if inner is None:
        values.append(part)
        return
    names += _flat(_names(part))
    for each in inner:
        _read(each, values, names)


def _names(holder: Any) -> Iterable[Any]:
    """Return the keys of a mapping or the names of an object's parts; else nothing."""
    if isinstance(holder, Mapping):
        return holder.keys()
    return holder.names if isinstance(holder, Thing) else ()


def _flat(parts: Iterable[Any]) -> list[Any]:
    """Return the leaves of some keys or members, in one list."""
    found: list[Any] = []
    for part in parts:
        _read(part, found, found)
    return found


def _in_sets(parts: Iterable[Any]) -> list[Any]:
    """Return the leaves of the members of sets, in the order of their keys: a set has none."""
    held = (sorted(part, key=key) for part in parts if isinstance(part, _SETS))
    return [leaf for each in held for leaf in _flat(each)]


def anywhere(output: Any) -> Iterator[Any]:
    """Everything that an output holds at any depth, in any order.

    Texts, bytes and arrays inside of it are not divided.

    Args:
        output: in the closed vocabulary of `outputs`.
    """
    output = bare(output)
    for part in (*members(output), *_names(output)):
        yield part
        if isinstance(part, (*_HOLDERS, *_SETS)):
            yield from anywhere(part)


def texts(outputs: Iterable[Any], text: Callable[..., str]) -> Iterator[frozenset[str]]:
    """The texts of all that each output holds at any depth.

    The text of what holds others is made of theirs, each of which is made once: from the top down
    it would be made again for every level above it.

    Args:
        outputs: in the closed vocabulary of `outputs`.
        text: `keys.key` or `keys.plain`.
    """
    for output in outputs:
        made: dict[int, tuple[Any, str]] = {}

        def of(value: Any, made: dict[int, tuple[Any, str]] = made) -> str:
            if not isinstance(value, _HOLDERS):
                return key(value, of)
            found = made.get(id(value))
            if found is None:  # the value is held, too, so that its place in memory stays its own
                found = made[id(value)] = value, key(value, of)
            return found[1]

        yield frozenset(of(p) if text is key else text(p, of) for p in anywhere(output))
