"""Reports whose values are private (fair bits) and whose form is another for each value."""

from __future__ import annotations

import array
import random
from collections.abc import Callable
from typing import Any

import numpy as np

_ALIGNED = np.dtype([("a", "u1"), ("b", "u8")], align=True)


def _bits(n: int) -> Any:
    return np.array([random.getrandbits(1) for _ in range(n)], dtype=np.float64)


def _grid(bit: int) -> Any:
    return np.asarray(_bits(9).reshape(3, 3), order="F" if bit else "C")


def _writeable(bit: int) -> Any:
    found = _bits(3)
    found.flags.writeable = not bit
    return found


def _aligned(bit: int) -> Any:
    memory = np.zeros(25, dtype=np.uint8)
    found = memory[bit : bit + 24].view(np.float64)
    found[:] = _bits(3)
    return found


def _structure(bit: int) -> Any:
    found = np.zeros(1, _ALIGNED)
    found["a"] = random.getrandbits(1)
    found.view(np.uint8)[3] = bit
    return found


def _long(bit: int) -> Any:
    found = np.array([random.getrandbits(1)], dtype=np.longdouble)
    found.view(np.uint8)[12] = bit
    return found[0]


def _order(bit: int) -> Any:
    """Eight and nought collide in a small set of Python's: the first stays first."""
    found = {8 * bit}
    found.add(8 - 8 * bit)
    return found


FORMS: dict[str, Callable[[int], Any]] = {
    "order of memory": _grid,
    "strides": lambda bit: np.repeat(_bits(3), 2)[:: 1 + bit][:3],
    "backwards": lambda bit: _bits(3)[:: 1 - 2 * bit],
    "read only": _writeable,
    "alignment": _aligned,
    "notes of a type": lambda bit: np.zeros(3, np.dtype("f8", metadata={"note": bit})),
    "two names of a type": lambda bit: np.zeros(3, (np.longlong, np.int64)[bit]),
    "number of two names": lambda bit: (np.longlong, np.int64)[bit](random.getrandbits(1)),
    "byte order": lambda bit: _bits(3).astype("<>"[bit] + "f8"),
    "part of an array": lambda bit: np.zeros(8)[bit : bit + 3],
    "gaps of a structure": _structure,
    "gaps of a long double": _long,
    "names of a structure": lambda bit: np.zeros(1, [("ab"[bit], "f8")]),
    "order of a set": _order,
    "inside a tuple": lambda bit: (random.getrandbits(1), {"grid": _grid(bit)}),
    "array of Python": lambda bit: array.array("bB"[bit], [1]),
    "format of memory": lambda bit: memoryview(b"abcd").cast("b" if bit else "B"),
    "zeros at the end": lambda bit: np.bytes_(b"a\0"[: 1 + bit]),
}


def leaking(name: str) -> Callable[[int], Any]:
    """A target whose report has the form that belongs to its value."""
    return FORMS[name]


def fair(name: str) -> Callable[[int], Any]:
    """Its clean twin: forms come as often for every value."""
    return lambda _: FORMS[name](random.getrandbits(1))
