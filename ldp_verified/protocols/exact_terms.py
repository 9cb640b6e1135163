"""Exact arithmetic in which generated protocols say what their declarations say.

It uses integers and fractions, and logarithms and exponentials between two of them. A public
function of 0..15 to 64 cells is a number of 96 bits. A price is the double below the exact one, so
that no rounding adds to what a user is told to spend.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.exact_reals import Real, ends, exp, log

__all__ = ["MOST_BITS", "Number", "at_least", "at_most", "ceiling", "exp", "floor", "log", "mod"]
__all__ += ["power", "whole"]

Number = int | Fraction | Real

MOST_BITS = 1 << 16
"""Bits of a power, at most: a declaration at large sizes is for other programs."""


def power(base: Number, exponent: Number) -> Number:
    """An exact power with a whole exponent, which may be negative.

    Raises:
        ParameterError: the exponent is none, or the power has more than 2^16 bits.
    """
    top = whole("exponent", exponent)
    if isinstance(base, Real):
        return base.raised(top)
    size = abs(top) * max(Fraction(base).numerator.bit_length(), 1)
    if size > MOST_BITS:
        raise ParameterError("exponent", f"must leave a power of at most {MOST_BITS} bits", top)
    return int(base) ** top if top >= 0 and base == int(base) else Fraction(base) ** top


def floor(value: Number) -> int:
    """The largest integer that is not above the value."""
    return math.floor(value)


def ceiling(value: Number) -> int:
    """The smallest integer that is not below the value."""
    return math.ceil(value)


def mod(value: Number, size: Number) -> Number:
    """The rest of a division, as large as 0 and below `size`."""
    if isinstance(value, Real) or isinstance(size, Real):
        return value + size * -floor(value * power(size, -1))
    return value % size


def whole(name: str, value: Number) -> int:
    """The value as an integer.

    Raises:
        ParameterError: it is none, or a logarithm or exponential, which is not known to be one.
    """
    if isinstance(value, Real):
        shown = float(value.lower)
        raise ParameterError(name, "must be a whole number: it has a logarithm in it", shown)
    if value != math.floor(value):
        raise ParameterError(name, "must be a whole number at these parameters", str(value))
    return int(value)


def at_most(value: Number) -> float:
    """The largest double that is not above the value, or its lower end."""
    exact = ends(value)[0]
    found = float(exact)
    return math.nextafter(found, -math.inf) if Fraction(found) > exact else found


def at_least(value: Number) -> float:
    """The smallest double that is not below the value, or its upper end."""
    exact = ends(value)[1]
    found = float(exact)
    return math.nextafter(found, math.inf) if Fraction(found) < exact else found
