"""Bits over days in the files of protocols: numbers whose binary digits are the days' bits."""

from __future__ import annotations

from typing import Any

import sympy


class MaskedChange(sympy.Function):
    """The function `masked_change` while a number is not known."""

    nargs = 6
    is_integer = True
    is_nonnegative = True

    @classmethod
    def eval(cls, value: Any, rank: Any, days: Any, level: Any, mask: Any, other: Any) -> Any:
        """The number, where all are known."""
        given = (value, rank, days, level, mask, other)
        if not all(each.is_Integer for each in given):
            return None
        bits = [int(value) >> day & 1 for day in range(int(days))]
        changes = [day for day, bit in enumerate(bits) if bit != (bits[day - 1] if day else 0)]
        if int(rank) < len(changes):
            day = changes[int(rank)]
            block = day >> int(level)
            if block < int(days) >> int(level):
                return sympy.Integer(int(mask) >> block & 1 == bits[day])
        return sympy.Integer(int(other) % 2)


def masked_change(value: Any, rank: Any, days: Any, level: Any, mask: Any, other: Any) -> Any:
    """Return whether a mask has the sign of one change at its block of days.

    The bit before the first day is 0. A change to 1 is +, one to 0 is -; a mask has a binary digit
    for each block, 1 for + and 0 for -.

    Args:
        value: the bits of all days. rank: which of its changes is meant, from 0.
        days: how many there are. level: of the blocks, of 2^level days each.
        mask: the signs. other: a bit, for values without such a change in a whole block.

    Returns:
        An expression for 0 or 1.
    """
    return MaskedChange(value, rank, days, level, mask, other)
