"""Look at arrays of private values: whether they are in range, and what a message may say of them.

Messages end up in logs, so none holds a value, nor anything that depends on one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def type_name(values: NDArray[Any]) -> str:
    """Return the type of values for a message, without its size: that is of the longest text."""
    return values.dtype.type.__name__


def within(values: NDArray[np.integer[Any]], size: int) -> bool:
    """Return whether one or more integers are all in 0..size-1, for sizes up to 2^63."""
    if values.dtype == np.int64 and values.dtype.isnative:
        return int(values.view(np.uint64).max()) < size  # a negative number is huge there
    return int(values.max()) < size and (values.dtype.kind == "u" or int(values.min()) >= 0)
