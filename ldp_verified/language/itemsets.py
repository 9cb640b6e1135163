"""Sets of items in the files of protocols: numbers whose binary digits say which items they have.

Items are 0, ..., items - 1, and dummies, which sets are padded with, the `length` numbers after
them. A list of candidates is a number, too. Its digits in base 2^items are the sets that are looked
for, so that a list of any sets can be published, also one that has a set twice, or the empty one.
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


class HeldAmong(sympy.Function):
    """The function `held_among` while a number is not known."""

    nargs = 4
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, value: Any, candidates: Any, items: Any, kept: Any) -> Any:
        """The number, where all are known."""
        if not all(each.is_Integer for each in (value, candidates, items, kept)):
            return None
        base = 1 << int(items)
        wanted = [int(candidates) // base**place % base for place in range(int(kept))]
        own = [int(value) & each == each for each in wanted]
        return sympy.Integer(sum(1 << place for place, held in enumerate(own) if held))


def held_among(value: Any, candidates: Any, items: Any, kept: Any) -> Any:
    """Return which of the first `kept` candidates a set has all items of.

    Args:
        value: the set. candidates: a list of sets; longer lists are cut.
        items: how many items there are. kept: how many candidates are looked at.

    Returns:
        An expression for a set of the numbers 0..kept - 1 of the candidates, below 2^kept.
    """
    return HeldAmong(value, candidates, items, kept)


class SizeOf(sympy.Function):
    """The function `size_of` while a number is not known."""

    nargs = 2
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, value: Any, items: Any) -> Any:
        """The size of the set, where both arguments are known."""
        if not (value.is_Integer and items.is_Integer):
            return None
        return sympy.Integer((int(value) & ((1 << int(items)) - 1)).bit_count())


def size_of(value: Any, items: Any) -> Any:
    """Return how many of the items 0..items - 1 a set has: an expression for one of 0..items."""
    return SizeOf(value, items)


class SignedItems(sympy.Function):
    """The function `signed_items` while a number is not known."""

    nargs = 4
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, value: Any, coins: Any, keys: Any, steps: Any) -> Any:
        """The number, where all are known."""
        if not all(each.is_Integer for each in (value, coins, keys, steps)):
            return None
        found, base = 0, int(steps)
        for key in range(int(keys)):
            digit = int(value) // (base + 2) ** key % (base + 2)
            coin = int(coins) // base**key % base
            if digit:
                found |= 1 << 2 * key + (coin < digit - 1)
        return sympy.Integer(found)


def signed_items(value: Any, coins: Any, keys: Any, steps: Any) -> Any:
    """The pairs of a user as a set of signed keys: each number is rounded to -1 or +1 at random.

    Digit j of the value, in base steps + 2, is 0 where the user lacks key j, else 1 + i for the
    number 2 i/steps - 1, with i = 0, ..., steps. Its sign is + for i of the steps coins.

    Args:
        value: the pairs. coins: uniform among steps^keys numbers.
        keys: how many keys there are. steps: of the numbers between -1 and 1.

    Returns:
        An expression for a set of the items 0..2 keys - 1: 2 j for (key j, -), 2 j + 1 for +.
    """
    return SignedItems(value, coins, keys, steps)
