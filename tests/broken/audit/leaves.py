"""A randomized bit inside a number that has parts: bytes of a wide one, two of a complex one."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np


def _wide(bits: int) -> int:
    return random.getrandbits(bits)


def _half(bit: int) -> np.float16:
    """A half-precision number between 1 and 2 whose last bit is the bit."""
    bits = np.array([15 << 10 | _wide(9) << 1 | bit], np.uint16)
    return np.float16(bits.view(np.float16)[0])


def _uninitialised(bit: int) -> Any:
    """A structure in memory where a vector of probabilities of the bit was, and no field covers."""
    found = np.zeros(1, np.dtype({"names": ["a"], "formats": ["u1"], "itemsize": 32}))
    found["a"] = _wide(1)
    found.view(np.uint8)[8:16] = np.array([0.25 + bit / 2]).view(np.uint8)
    return found


LEAVES: dict[str, Callable[[int], Any]] = {
    "half": _half,
    "imaginary part": lambda bit: complex(random.random(), bit),
    "real part": lambda bit: np.complex64(complex(bit, random.random())),
    "array of complex": lambda bit: np.array([complex(random.random(), bit), 1j]),
    "complex in a list": lambda bit: [complex(random.random(), bit), "a"],
    "lowest bit": lambda bit: _wide(190) << 10 | bit,
    "highest bit": lambda bit: bit << 199 | _wide(190),
    "a bit in the middle": lambda bit: _wide(90) << 110 | bit << 100 | _wide(100),
    "lowest bit of 64": lambda bit: np.int64(_wide(60) << 1 | bit),
    "lowest bit in a list": lambda bit: [_wide(190) << 1 | bit, "a"],
    "lowest bit in a vector": lambda bit: [_wide(60) << 1 | bit, 1],
    "last letter": lambda bit: f"{_wide(40):010x}{bit}",
    "memory of a structure": _uninitialised,
    "an array of letters": lambda bit: np.array([random.choice("ab"), "xy"[bit]]),
    "an array of bytes": lambda bit: np.array([random.choice([b"a", b"b"]), b"xy"[bit:][:1]]),
    "a duration": lambda bit: np.timedelta64(_wide(3) << 1 | bit, "s"),
    "an array of dates": lambda bit: np.array([_wide(3), bit], "M8[D]"),
    "beside a number beyond floats": lambda bit: [random.choice([0.5, 10**400]), bit],
}


def client(name: str, epsilon: float) -> Callable[[int], Any]:
    """Randomized response on a bit, told in a leaf.

    Args:
        name: of `LEAVES`. epsilon: that it keeps.
    """
    lie = 1 / (1 + math.exp(epsilon))
    return lambda value: LEAVES[name](value ^ (random.random() < lie))
