"""What a message may say of private values.

Messages end up in logs, so none holds a value, nor anything that depends on one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def type_name(values: NDArray[Any]) -> str:
    """Return the type of values for a message, without its size: that is of the longest text."""
    return values.dtype.type.__name__
