"""Read what an object holds beside its value: attributes, its class's own, what properties give.

A number with a note and a list with a name show less than they carry. This is what a target's own
process imports, so nothing heavy stands here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from ldp_verified.check.audit.targets.classes import (
    lineage,
    local,
    of_python,
    of_stdlib,
    own,
    root,
)
from ldp_verified.check.audit.targets.held import LIBRARIES

ATOMS = (type(None), bool, int, float, complex, str, bytes)
_OF_ATOMS = LIBRARIES | {"numpy"}
"""Packages of whose properties plain values are read: the others give the data in other ways."""


@dataclass(frozen=True)
class WorkedOut:
    """The value of a property, which is worked out anew each time, so that no attribute holds it.

    Attributes:
        part: the value, which is no leaf; `CUT` where the property was not asked.
    """

    part: Any


CUT = object()
"""What stands for a property that gives what only further properties give, and so on."""


def attributes(value: Any, *, deeper: bool = True) -> dict[str, Any]:
    """Attributes of an object, its class if that was made in a call, and what properties give.

    Args:
        value: no plain value, list, tuple, dict or set.
        deeper: whether properties may give composed values.
    """
    held: dict[str, Any] = {}
    kind = type(value)
    if not of_python(kind) and not kind.__dictoffset__:
        return held
    worked_out = list(_worked_out(value))  # first, as some are attributes from then on
    for each in lineage(kind):
        for name, field in own(each).items():
            if isinstance(field, MemberDescriptorType) and _has_slots(each):
                try:
                    put(held, name, field.__get__(value, kind), each.__qualname__)
                except AttributeError:
                    continue
    for name, part in _dictionary(value).items():
        put(held, str(name), part if type(name) is str else (name, part), "own")
    if any(map(local, lineage(kind))):
        put(held, "its class", kind, "own")
    for each, name, part in worked_out:
        same = [slot for slot, other in held.items() if other is part]
        if type(part) in ATOMS:
            shown: Any = part
        else:
            shown = f"held as {same[0]}" if same else WorkedOut(part if deeper else CUT)
        put(held, name, shown, each.__qualname__)
    return held


def put(held: dict[str, Any], name: str, part: Any, owner: str) -> None:
    """Add a part under its name; under a longer one where that is taken."""
    if name in held:
        name = f"{owner}.{name}"
    while name in held:
        name += "'"
    held[name] = part


def _has_slots(kind: type) -> bool:
    """Return whether the fields of C in a class are slots that its objects fill."""
    return of_python(kind) and ("__slots__" in own(kind) or not of_stdlib(kind))


def _dictionary(value: Any) -> dict[Any, Any]:
    """Return the attributes of an object that has a dictionary, whatever its class says of it."""
    if isinstance(value, type):
        return {}
    for each in lineage(type(value)):
        field = own(each).get("__dict__")
        if isinstance(field, GetSetDescriptorType | MemberDescriptorType):
            found = field.__get__(value)
            return found if isinstance(found, dict) else {}
    found = getattr(value, "__dict__", None)
    return found if isinstance(found, dict) else {}


def _worked_out(value: Any) -> Iterator[tuple[type, str, Any]]:
    """Yield the properties that a class of Python's works out; of a library's, plain values only.

    One that fails has none: it would be said by whoever asks for it only.
    """
    for each in lineage(type(value)):
        if of_stdlib(each):
            continue
        of_library = root(each) in _OF_ATOMS and not local(each)
        for name, field in list(own(each).items()):
            if isinstance(field, property | cached_property):
                try:
                    part = field.__get__(value, type(value))
                except Exception:
                    continue
                if isinstance(part, ATOMS) or not of_library:
                    yield each, str(name), part


def speechless(value: Any) -> bool:
    """Return whether an object holds nothing where its class may know more of it.

    Args:
        value: an object in which nothing was found.
    """
    for each in lineage(type(value)):
        if not of_stdlib(each):
            body = own(each).items()
            if any(not isinstance(part, ATOMS) for name, part in body if _ours(name)):
                return True
    return False


def _ours(name: str) -> bool:
    """Return whether a name in a class is none that Python gives or asks for."""
    return not (name.startswith("__") and name.endswith("__")) or name == "__getattr__"


def made_in_a_call(value: Any) -> bool:
    """Return whether a class, or that of an object without fields, may be made for its input."""
    return local(value if isinstance(value, type) else type(value))


def has(value: Any, name: str) -> bool:
    """Return whether an object's class has an attribute; objects that make up any have none."""
    return getattr(type(value), name, None) is not None
