"""Sets and days in generated protocols, as numbers: what `language.itemsets` and `changes` declare.

Nothing here is shared with the declarations, so that `conform` compares two programs.
"""

from __future__ import annotations

import math

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.exact_terms import MOST_BITS, Number, whole

LARGEST_FACTORIAL = 5000
"""Its factorial has 54,233 bits."""


def factorial(value: Number) -> int:
    """The product of all positive integers up to a number.

    Raises:
        ParameterError: it is none of 0..5000.
    """
    number = whole("factorial", value)
    if not 0 <= number <= LARGEST_FACTORIAL:
        rule = f"must be of a number in 0..{LARGEST_FACTORIAL}"
        raise ParameterError("factorial", rule, number)
    return math.factorial(number)


def padded_item(value: Number, draw: Number, items: Number, length: Number) -> int:
    """One of the items of a set, padded with dummies to a length: the one that a draw means."""
    end, places = _size("items", items), _size("length", length)
    held = _digits(whole("set", value) & ((1 << end) - 1))
    place = whole("draw", draw) % max(len(held), places)
    return held[place] if place < len(held) else end + place - len(held)


def held_among(value: Number, candidates: Number, items: Number, kept: Number) -> int:
    """Return which of the first candidates lie within a set, as a set of their numbers."""
    own, lists = whole("set", value), whole("candidates", candidates)
    width, found = _size("items", items), 0
    for place in range(_size("kept", kept)):
        wanted = lists >> width * place & ((1 << width) - 1)
        found |= (wanted & ~own == 0) << place
    return found


def size_of(value: Number, items: Number) -> int:
    """Return how many of the items 0..items - 1 a set has."""
    return (whole("set", value) & ((1 << _size("items", items)) - 1)).bit_count()


def signed_items(value: Number, coins: Number, keys: Number, steps: Number) -> int:
    """The pairs of a user as a set of signed keys: 2 j for (key j, -), 2 j + 1 for (key j, +)."""
    own, drawn, base = whole("pairs", value), whole("coins", coins), _size("steps", steps)
    found = 0
    for key in range(_size("keys", keys)):
        own, digit = divmod(own, base + 2)
        drawn, coin = divmod(drawn, base)
        if digit > 0:
            found |= (2 if coin < digit - 1 else 1) << 2 * key
    return found


def masked_change(
    value: Number, rank: Number, days: Number, level: Number, mask: Number, other: Number
) -> int:
    """Return whether a mask has the sign of one change at its block of days; else a bit."""
    bits, end = whole("bits", value), _size("days", days)
    changed = _digits((bits ^ bits << 1) & ((1 << end) - 1))
    number, height = whole("rank", rank), _size("level", level)
    if number < len(changed):
        day = changed[number]
        block = day >> height
        if block < end >> height:
            return int(whole("mask", mask) >> block & 1 == bits >> day & 1)
    return whole("other", other) % 2


def _digits(number: int) -> list[int]:
    """The places of the binary digits that are 1, the lowest first."""
    found = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found


def _size(name: str, value: Number) -> int:
    number = whole(name, value)
    if not 0 <= number <= MOST_BITS:
        raise ParameterError(name, f"must be in 0..{MOST_BITS}", number)
    return number
