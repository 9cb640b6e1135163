"""What can be the label of a value, among what is looked up as one."""

from __future__ import annotations

from typing import TypeGuard

from ldp_verified.scalars import is_integer


def is_label(value: object) -> TypeGuard[str | int]:
    """Return whether a value can be a label; True and 1.0 cannot, though they are equal to 1.

    Args:
        value: anything. It has a hash where this is True.
    """
    return isinstance(value, str) or is_integer(value)
