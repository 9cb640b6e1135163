"""Sets of items in the files of protocols: numbers whose binary digits say which items they have.

Items are 0, ..., items - 1, and dummies, which sets are padded with, the `length` numbers after
them.
"""

from __future__ import annotations

from typing import Any

import sympy


def choices(items: Any, length: Any) -> Any:
    """Return how many draws `padded_item` takes: all sizes of padded or longer sets divide it."""
    return sympy.factorial(sympy.Max(items, length))


class PaddedItem(sympy.Function):
    """The function `padded_item` while a number is not known."""

    nargs = 4
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, value: Any, draw: Any, items: Any, length: Any) -> Any:
        """The number, where all are known."""
        if not all(each.is_Integer for each in (value, draw, items, length)):
            return None
        held = [item for item in range(int(items)) if int(value) >> item & 1]
        dummies = range(int(items), int(items) + max(int(length) - len(held), 0))
        padded = [*held, *dummies]
        return sympy.Integer(padded[int(draw) % len(padded)])


def padded_item(value: Any, draw: Any, items: Any, length: Any) -> Any:
    """One of the items of a set, uniformly: of `length` ones after padding and cutting.

    A set of fewer is padded with different dummies, of which there are `length`. Of a longer one
    `length` items are kept, all such choices alike: so each item is as likely as any other.

    Args:
        value: the set. draw: uniform among `choices(items, length)` numbers.
        items: how many items there are. length: the length that sets are padded to.

    Returns:
        An expression for one of 0..items + length - 1, each with a chance of at most 1/length.
    """
    return PaddedItem(value, draw, items, length)
