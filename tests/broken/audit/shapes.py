"""Reports of many shapes: each holds one fair or leaning bit, and nothing else that tells."""

from __future__ import annotations

import ctypes
import math
import random
import threading
from collections import namedtuple
from collections.abc import AsyncIterator, Callable, Iterator
from collections.abc import Generator as PlainGenerator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa

Pair = namedtuple("Pair", ["seed", "bits"])


@dataclass
class Record:
    """A report as a record."""

    row: int
    bits: Any


class Slotted:
    """A report without a dictionary."""

    __slots__ = ("bit",)

    def __init__(self, bit: int) -> None:
        self.bit = bit


class Message:
    """A stand-in with the outside of a protocol buffer's message."""

    def __init__(self, bit: int) -> None:
        self._bit = bit

    def SerializeToString(self) -> bytes:  # noqa: N802  (its name there)
        """The bytes on the wire."""
        return bytes([8, self._bit])


class Circle:
    """A report that holds itself."""

    def __init__(self, bit: int) -> None:
        self.bit, self.own = bit, self


class Answer(Enum):
    """A report with a name."""

    NO = 0
    YES = 1


class Memory(ctypes.Structure):
    """A report as C holds it."""

    _fields_ = (("bit", ctypes.c_int),)


class Stub:
    """An object that makes up whatever it is asked for, as stubs of remote objects do."""

    def __init__(self, bit: int) -> None:
        self.bit = bit

    def __getattr__(self, name: str) -> Any:
        return lambda *_: name


class Generator(random.Random):
    """An object whose state is in C."""


class Waiting:
    """Something that can be awaited and is no coroutine."""

    def __init__(self, bit: int) -> None:
        self._bit = bit

    def __await__(self) -> PlainGenerator[None, None, int]:
        yield from ()
        return self._bit


async def _twice(bit: int) -> Any:
    return _later(bit)


def _fails(bit: int) -> Iterator[int]:
    yield bit
    raise ValueError


async def _fails_later(bit: int) -> AsyncIterator[int]:
    yield bit
    raise ValueError


def _closure(bit: int) -> Callable[[], int]:
    return lambda: bit


def nested(leaf: Any, depth: int) -> Any:
    """Lists in lists."""
    return reduce(lambda inner, _: [inner], range(depth), leaf)


HIDDEN: dict[str, Callable[[int], Any]] = {
    "name": Answer,
    "memory of C": Memory,
    "stub": Stub,
    "state in C": Generator,
    "awaitable": Waiting,
    "coroutine of a coroutine": _twice,
    "generator that fails": _fails,
    "async generator that fails": _fails_later,
    "closure": _closure,
    "method": lambda bit: [bit].append,
    "method of ours": lambda bit: Stub(bit).__getattr__,
    "partial": lambda bit: partial(max, bit),
    "sixty lists": lambda bit: nested(bit, 60),
    "not a number": lambda bit: {"a": {math.nan: [math.nan, bit]}},
    "as a key": lambda bit: {(bit, Answer.NO): None},
    "decimal": Decimal,
    "view": lambda bit: memoryview(bytes([bit])),
    "array of arrays": lambda bit: [[np.array([bit]), np.zeros(2)], [np.array(3)]],
    "view of a dict": lambda bit: {"a": bit}.items(),
    "exception": ValueError,
}
"""Reports that hide the bit where a reader of fields does not look."""

UNREADABLE: dict[str, Callable[[int], Any]] = {
    "lock": lambda _: threading.Lock(),
    "lock in a list": lambda bit: (bit * 0, [threading.Lock()]),
    "too deep": lambda bit: nested(bit, 200),
    "too large": lambda bit: [[0] * 1_100_000, [bit]],
}
"""Reports that no reader here reads whole."""


def _bit(value: int, leaning: bool) -> int:
    return int(random.random() < (0.95 if value and leaning else 0.5))


def _vector(bit: int) -> Any:
    return np.array([bit, random.getrandbits(1), 1])


async def _later(bit: int) -> int:
    return bit


SHAPES: dict[str, Callable[[int], Any]] = {
    "array and row": lambda bit: (_vector(bit), random.randrange(4)),
    "row and array": lambda bit: (random.randrange(4), _vector(bit)),
    "two arrays": lambda bit: (_vector(bit), np.array([0.5, float(bit)])),
    "list of arrays": lambda bit: [_vector(bit), _vector(0)],
    "arrays of two lengths": lambda bit: [_vector(bit), np.zeros(2)],
    "array of objects": lambda bit: np.array([bit, "a", None], dtype=object),
    "matrix": lambda bit: np.array([[bit, 0], [1, 1]]),
    "masked": lambda bit: np.ma.array([bit, 1], mask=[False, True]),
    "structured": lambda bit: np.array([(bit, 0.5)], dtype=[("a", "i4"), ("b", "f8")]),
    "date": lambda bit: np.datetime64("2020-01-01") + bit,
    "empty array": np.zeros,
    "arrow table": lambda bit: pa.table({"bit": [bit], "row": [1]}),
    "dict of arrays": lambda bit: {"bits": _vector(bit), "row": 1},
    "nested": lambda bit: {"a": [{"b": (bit, {"c": [1, None]})}]},
    "record": lambda bit: Record(1, _vector(bit)),
    "named tuple": lambda bit: Pair(1, [bit, 0]),
    "slots": Slotted,
    "message": Message,
    "circle": Circle,
    "set of tuples": lambda bit: {(1, 2), (bit, 3)},
    "frozen sets": lambda bit: [frozenset({bit}), {5}],
    "bytes": lambda bit: bytes([bit, 7]),
    "bytes in a tuple": lambda bit: (3, bytes([bit, 7])),
    "big number": lambda bit: 10**6000 + bit,
    "big numbers": lambda bit: [10**30 + bit, 2],
    "long double": np.longdouble,
    "complex": lambda bit: complex(bit, -0.0),
    "text of numpy": lambda bit: np.str_("ab"[bit]),
    "iterator of arrays": lambda bit: iter([_vector(bit)]),
    "coroutine": _later,
    "none or array": lambda bit: _vector(1) if bit else None,
}


def leaning(name: str) -> Callable[[int], Any]:
    """The shape with a bit that shows the value."""
    return lambda value: SHAPES[name](_bit(value, True))


def fair(name: str) -> Callable[[int], Any]:
    """The shape with a bit that shows nothing."""
    return lambda value: SHAPES[name](_bit(value, False))
