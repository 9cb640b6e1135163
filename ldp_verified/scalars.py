"""Tell the objects of Python and NumPy that count as integers and as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sized
from typing import Any, SupportsFloat, TypeGuard

import numpy as np


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Return whether this is an integer of Python or NumPy; a bool or a duration is none."""
    # NumPy's durations are a subclass of its signed integers.
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def is_number(value: object) -> TypeGuard[int | float | np.integer[Any] | np.floating[Any]]:
    """Return whether this is an integer or a float of Python or NumPy; a bool is neither."""
    return is_integer(value) or isinstance(value, float | np.floating)


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Return whether this can be gone through; an array without an axis only says that it can."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def size_of(numbers: Sized) -> int:
    """Return the length; of a range also where `len` raises, which is from 2^63 numbers on."""
    if not isinstance(numbers, range):
        return len(numbers)
    first, after, step = numbers.start, numbers.stop, numbers.step
    return len(numbers[:1]) and (after - first - (1 if step > 0 else -1)) // step + 1


def utf8_of(text: str) -> bytes | None:
    """Return a text in UTF-8, or None where UTF-8 cannot hold it.

    An error of `str.encode` holds the text, which may be private, even as another one's context.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def nearest_float(value: SupportsFloat) -> float:
    """Return the float nearest to a number; infinity where it is larger than all floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
