"""Outputs of any shape as text: two outputs have one key only if nobody can tell them apart.

Type, length, order, dtype, the sign of zero, the payload of a NaN and a raised exception are all
part of what an observer gets, so they are all part of the key.
"""

from __future__ import annotations

import dataclasses
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
MOST_CONSUMED = 100_000
"""Items taken of an iterator before it counts as endless."""


@dataclass(frozen=True)
class Raised:
    """An exception as an output.

    Attributes:
        type: its class.
        message: its text.
    """

    type: str
    message: str


@dataclass(frozen=True)
class Consumed:
    """What an iterator gave: it can be read only once, so it is read when drawn.

    Attributes:
        type: the iterator's class.
        items: in order.
    """

    type: str
    items: tuple[Any, ...]


def settle(value: Any) -> Any:
    """The value itself, or what it gives where it is an iterator."""
    if isinstance(value, Iterator):
        items = []
        for item in value:
            items.append(settle(item))
            if len(items) >= MOST_CONSUMED:
                break
        return Consumed(type(value).__name__, tuple(items))
    return value


def key(value: Any) -> str:
    """The text that stands for an output, the same in every process."""
    kind = type(value)
    if kind is int or kind is bool:
        return f"{kind.__name__} {value}"
    if kind is str:
        return f"str {value!r}"
    if kind is float:
        return f"float {_float(value)}"
    if value is None:
        return "None"
    if kind is list or kind is tuple:
        return f"{kind.__name__}({', '.join(map(key, value))})"
    return _other(value, kind.__name__)


def _float(value: float) -> str:
    if value != value:
        return f"nan {struct.pack('>d', value).hex()}"
    return value.hex()


def _other(value: Any, name: str) -> str:
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            body = ", ".join(map(key, value.ravel().tolist()))
        else:
            body = np.ascontiguousarray(value).tobytes().hex()
        return f"array {value.dtype.str} {value.shape} {body}"
    if isinstance(value, np.generic):
        return f"{value.dtype.name} {key(value.item())}"
    if isinstance(value, Raised):
        return f"raised {value.type}: {value.message}"
    if isinstance(value, Consumed):
        return f"{value.type}({', '.join(map(key, value.items))})"
    if isinstance(value, set | frozenset):
        return f"{name}({', '.join(sorted(map(key, value)))})"
    if isinstance(value, Mapping):
        items = (f"{key(k)}: {key(v)}" for k, v in value.items())
        return f"{name}({', '.join(items)})"
    if isinstance(value, bytes | bytearray):
        return f"{name} {value.hex()}"
    if isinstance(value, complex):
        return f"{name} {_float(value.real)} {_float(value.imag)}"
    if isinstance(value, list | tuple):
        return f"{name}({', '.join(map(key, value))})"
    return _object(value, name)


def _object(value: Any, name: str) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return f"{name}({', '.join(f'{k}={key(v)}' for k, v in fields.items())})"
    listed = getattr(value, "tolist", None)
    if callable(listed):
        return f"{name}({key(listed())})"
    if getattr(value, "__dict__", None):
        return f"{name}({', '.join(f'{k}={key(v)}' for k, v in vars(value).items())})"
    if isinstance(value, int | float | str):  # a subclass of theirs
        return f"{name} {value!r}"
    return f"{name} {_ADDRESS.sub('', repr(value))}"


def kind(value: Any) -> str:
    """Everything about an output but its contents: type, dtype, shape, the types of its items."""
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.name} of {len(value.shape)} axes"
    if isinstance(value, Raised):
        return f"raised {value.type}"
    if isinstance(value, Consumed):
        return f"{value.type}[{_names(value.items)}]"
    if isinstance(value, list | tuple | set | frozenset):
        return f"{name}[{_names(value)}]"
    if isinstance(value, Mapping):
        return f"{name}[{_names(value.keys())}: {_names(value.values())}]"
    return name


def _names(items: Iterable[Any]) -> str:
    return ", ".join(sorted({type(item).__name__ for item in items}))


def items(value: Any) -> list[Any] | None:
    """The parts of an output in order, None where it has none."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, np.ndarray):
        return None if value.ndim == 0 else list(value.ravel())
    if isinstance(value, Consumed):
        return list(value.items)
    if isinstance(value, str):
        return list(value)
    if isinstance(value, bytes | bytearray):
        return list(value)
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, set | frozenset | int | float | complex | np.generic | Raised):
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
    return value if isinstance(value, set | frozenset) else (items(value) or ())


def plain(value: Any) -> str:
    """A label as text: 3, numpy's 3 and "3" of a line of text are the same."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else key(value)


def length(value: Any) -> int:
    """How many parts an output has; -1 where it has none."""
    if isinstance(value, Raised) or not isinstance(
        value, list | tuple | set | frozenset | str | bytes | Mapping | Consumed | np.ndarray
    ):
        found = items(value)
        return -1 if found is None else len(found)
    if isinstance(value, Consumed):
        return len(value.items)
    return int(value.size) if isinstance(value, np.ndarray) else len(value)
