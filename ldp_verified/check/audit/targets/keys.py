"""Outputs of any shape as text: two outputs have one key only if nobody can tell them apart.

Type, length, order, dtype, the sign of zero, the payload of a NaN and a raised exception are all
part of what an observer gets, so they are all part of the key.
"""

from __future__ import annotations

import dataclasses
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ldp_verified.check.audit.targets.forms import Formed, bare
from ldp_verified.check.audit.targets.outputs import settle
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.things import Consumed, Thing, digits_of

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

__all__ = ["Consumed", "Raised", "Thing", "items", "key", "kind", "length", "members", "settle"]


def key(value: Any, of: Callable[[Any], str] | None = None) -> str:
    """The text that stands for an output, the same in every process.

    Args:
        value: the output.
        of: gives the same text for a part of it; by default this function.
    """
    of = of or key
    kind = type(value)
    if kind is int or kind is bool:
        return f"{kind.__name__} {digits_of(value)}"
    if kind is str:
        return f"str {value!r}"
    if kind is float:
        return f"float {_float(value)}"
    if value is None:
        return "None"
    if kind is list or kind is tuple:
        return f"{kind.__name__}({', '.join(map(of, value))})"
    return _other(value, kind.__name__, of)


def _float(value: float) -> str:
    if value != value:
        return f"nan {struct.pack('>d', value).hex()}"
    return value.hex()


def _other(value: Any, name: str, of: Callable[[Any], str]) -> str:
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            body = ", ".join(map(of, value.ravel().tolist()))
        else:
            body = np.ascontiguousarray(value).tobytes().hex()
        return f"array {value.dtype.str} {value.shape} {body}"
    if isinstance(value, np.generic):
        plain = value.item()  # a long double has no plain form
        return (
            f"{value.dtype.name} {value!r}"
            if plain is value or isinstance(plain, np.generic)
            else f"{value.dtype.name} {of(plain)}"
        )
    if isinstance(value, Raised):
        return f"raised {value.type}: {value.message}" + f" ({value.place})" * bool(value.place)
    if isinstance(value, Formed):
        return f"{of(value.value)} ({value.form})"
    if isinstance(value, Consumed):
        return f"{value.type}({', '.join(map(of, value.items))})"
    if isinstance(value, Thing):
        fields = zip(value.names, value.values, strict=False)
        return f"{value.type}({', '.join(f'{k}={of(v)}' for k, v in fields)})"
    if isinstance(value, set | frozenset):
        return f"{name}({', '.join(sorted(map(of, value)))})"
    if isinstance(value, Mapping):
        items = (f"{of(k)}: {of(v)}" for k, v in value.items())
        return f"{name}({', '.join(items)})"
    if isinstance(value, bytes | bytearray):
        return f"{name} {value.hex()}"
    if isinstance(value, complex):
        return f"{name} {_float(value.real)} {_float(value.imag)}"
    if isinstance(value, list | tuple):
        return f"{name}({', '.join(map(of, value))})"
    return _object(value, name, of)


def _object(value: Any, name: str, of: Callable[[Any], str]) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return f"{name}({', '.join(f'{k}={of(v)}' for k, v in fields.items())})"
    listed = getattr(value, "tolist", None)
    if callable(listed):
        return f"{name}({of(listed())})"
    if getattr(value, "__dict__", None):
        return f"{name}({', '.join(f'{k}={of(v)}' for k, v in vars(value).items())})"
    if isinstance(value, int | float | str):  # a subclass of theirs
        return f"{name} {value!r}"
    return f"{name} {_ADDRESS.sub('', repr(value))}"


def kind(value: Any) -> str:
    """Everything about an output but its contents: type, dtype, shape, the types of its items."""
    value = bare(value)
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.name} of {len(value.shape)} axes"
    if isinstance(value, Raised):
        return f"raised {value.type}"
    if isinstance(value, Consumed):
        return f"{value.type}[{_names(value.items)}]"
    if isinstance(value, Thing):
        return f"{value.type}[{_names(value.values)}]"
    if isinstance(value, list | tuple | set | frozenset):
        return f"{name}[{_names(value)}]"
    if isinstance(value, Mapping):
        return f"{name}[{_names(value.keys())}: {_names(value.values())}]"
    return name


def _names(items: Iterable[Any]) -> str:
    return ", ".join(sorted({_name(item) for item in items}))


def _name(item: Any) -> str:
    if isinstance(item, np.ndarray):
        return f"array {item.dtype.name}"
    return item.type if isinstance(item, Thing) else type(item).__name__


def items(value: Any) -> list[Any] | None:
    """The parts of an output in order, None where it has none."""
    value = bare(value)
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, np.ndarray):
        return None if value.ndim == 0 else list(value.ravel())
    if isinstance(value, Consumed):
        return list(value.items)
    if isinstance(value, Thing):
        return list(value.values)
    if isinstance(value, str):
        return list(value)
    if isinstance(value, bytes | bytearray):
        return list(value)
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, complex | np.complexfloating):
        return [value.real, value.imag]
    if isinstance(value, set | frozenset | int | float | np.generic | Raised):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, f.name) for f in dataclasses.fields(value)]
    listed = getattr(value, "tolist", None)
    if callable(listed):
        found = listed()
        return found if isinstance(found, list) else None
    return list(vars(value).values()) if getattr(value, "__dict__", None) else None


def members(value: Any) -> Iterable[Any]:
    """The parts of an output in any order; none where it has none."""
    value = bare(value)
    return value if isinstance(value, set | frozenset) else (items(value) or ())


def plain(value: Any, of: Callable[[Any], str] = key) -> str:
    """A label as text: 3, numpy's 3 and "3" of a line of text are the same.

    Args:
        value: the label.
        of: as for `key`.
    """
    value = bare(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return value
    return (
        of(value)
        if not isinstance(value, int)
        else str(value)
        if type(value) is bool
        else digits_of(value)
    )


def length(value: Any) -> int:
    """Return how many parts an output has; -1 where it has none."""
    value = bare(value)
    if isinstance(value, Raised) or not isinstance(
        value, list | tuple | set | frozenset | str | bytes | Mapping | Consumed | np.ndarray
    ):
        found = items(value)
        return -1 if found is None else len(found)
    if isinstance(value, Consumed):
        return len(value.items)
    return int(value.size) if isinstance(value, np.ndarray) else len(value)
