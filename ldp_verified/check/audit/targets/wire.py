"""How outputs cross from a target's process: plain data only, and nothing in it is believed.

The bytes are a pickle of leaves and containers. Reading them refuses every global, so that no code
can come across; every composed value is a dict of one tag, and is checked before it is made.
"""

from __future__ import annotations

import io
import pickle
import struct
import sys
from pickle import dumps
from typing import Any

from ldp_verified.check.audit.targets.forms import Formed
from ldp_verified.check.audit.targets.outputs import ATOMS
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.things import Consumed, Thing

HEAD = struct.Struct(">8sQI")
"""A frame: the channel's token, its number, how many bytes follow."""

LARGEST = 1 << 28
_SIMPLE = ATOMS - {complex}
_DTYPES = "?biufcSUmM"


class FrameError(ValueError):
    """Bytes that are no output."""


def packed(value: Any) -> bytes:
    """An output of the closed vocabulary as bytes."""
    return dumps(value if type(value) in _SIMPLE else _written(value), 4)


def unpacked(data: bytes) -> Any:
    """The output that these bytes stand for.

    Raises:
        FrameError: they stand for none.
    """
    try:
        found = _Reader(io.BytesIO(data)).load()
        return found if type(found) in _SIMPLE else _read(found)
    except FrameError:
        raise
    except Exception as error:
        raise FrameError(f"{type(error).__name__}: {error}") from None


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Refuse every global."""
        raise FrameError(f"names {module}.{name}")

    def persistent_load(self, _: Any) -> Any:
        """Refuse references to anything outside the data."""
        raise FrameError("has a reference")


def _written(value: Any) -> Any:
    kind = type(value)
    if kind in _SIMPLE:
        return value
    if kind is list or kind is tuple:
        if _SIMPLE.issuperset(map(type, value)):
            return value
        return kind(map(_written, value))
    if kind is complex:
        return {"complex": (value.real, value.imag)}
    if kind is bytearray:
        return {"bytearray": bytes(value)}
    if kind is set or kind is frozenset:
        return {kind.__name__: [*map(_written, value)]}
    if kind is dict:
        return {"dict": [(_written(k), _written(v)) for k, v in value.items()]}
    if kind is Raised:
        return {"raised": (value.type, value.message, value.place)}
    if kind is Formed:
        return {"formed": (_written(value.value), value.form)}
    if kind is Consumed:
        return {"consumed": (value.type, [*map(_written, value.items)])}
    if kind is Thing:
        return {"thing": (value.type, [*value.names], [*map(_written, value.values)])}
    if kind is sys.modules["numpy"].ndarray:
        return {"array": (value.dtype.str, value.shape, value.tobytes())}
    return {"scalar": (value.dtype.str, value.tobytes())}


def _read(value: Any) -> Any:
    kind = type(value)
    if kind in _SIMPLE:
        return value
    if kind is list or kind is tuple:
        if _SIMPLE.issuperset(map(type, value)):
            return value
        return kind(map(_read, value))
    if kind is not dict or len(value) != 1:
        raise FrameError(f"holds a bare {kind.__name__}")
    ((tag, held),) = value.items()
    match tag:
        case "complex":
            real, imaginary = map(_number, held)
            return complex(real, imaginary)
        case "bytearray":
            return bytearray(held)
        case "set":
            return {*map(_read, held)}
        case "frozenset":
            return frozenset(map(_read, held))
        case "dict":
            return {_read(k): _read(v) for k, v in held}
        case "raised":
            return Raised(*map(_text, held))
        case "formed":
            return Formed(_read(held[0]), _text(held[1]))
        case "consumed":
            return Consumed(_text(held[0]), tuple(map(_read, held[1])))
        case "thing":
            return Thing(_text(held[0]), tuple(map(_text, held[1])), tuple(map(_read, held[2])))
        case "array" | "scalar":
            return _numeric(tag, held)
    raise FrameError(f"holds an unknown {tag!r}")


def _text(value: Any) -> str:
    if type(value) is not str:
        raise FrameError("holds no text where there must be one")
    return value


def _number(value: Any) -> float:
    if type(value) is not float:
        raise FrameError("holds no number where there must be one")
    return value


def _numeric(tag: str, held: Any) -> Any:
    import numpy as np

    dtype = np.dtype(_text(held[0]))
    if dtype.kind not in _DTYPES:
        raise FrameError(f"holds numbers of the type {dtype}")
    if tag == "scalar":
        (found,) = np.frombuffer(held[1], dtype)
        return found
    shape = [int(n) for n in held[1]]
    if not dtype.itemsize:
        return np.zeros(shape, dtype)
    return np.frombuffer(held[2], dtype).reshape(shape).copy()
