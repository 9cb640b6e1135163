"""Put logarithms and exponentials, which have no exact text, between two exact numbers.

A price such as ln(l (e^eps - 1) + 1) is rounded down from its lower end, a cost up from its upper
one. So no rounding adds to what a user is told to spend. What the two ends do not decide, as
whether such a number is whole, is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ldp_verified.errors import ParameterError

PRECISION = 320
"""Bits of an end: far more than those of a double."""

MOST_EXPONENT = 1 << 12
"""The largest exponent of e, in size: e to the power of it has about 6,000 bits."""

Exact = int | Fraction


@dataclass(frozen=True, eq=False)
class Real:
    """A number of which two ends are known.

    Attributes:
        lower, upper: it is neither below nor above these.
    """

    lower: Fraction
    upper: Fraction

    def __add__(self, other: Exact | Real) -> Real:
        """The sum."""
        low, high = ends(other)
        return Real(self.lower + low, self.upper + high)

    __radd__ = __add__

    def __mul__(self, other: Exact | Real) -> Real:
        """The product."""
        products = [one * two for one in ends(self) for two in ends(other)]
        return Real(min(products), max(products))

    __rmul__ = __mul__

    def __abs__(self) -> Real:
        """The number without its sign."""
        low = max(self.lower, -self.upper, Fraction(0))
        return Real(low, max(abs(self.lower), abs(self.upper)))

    def __lt__(self, other: Exact | Real) -> bool:
        """Return whether this number is below another one."""
        return _decided(self, other) < 0

    def __le__(self, other: Exact | Real) -> bool:
        """Return whether this number is below another one, as equal ones cannot be told."""
        return _decided(self, other) < 0

    def __gt__(self, other: Exact | Real) -> bool:
        """Return whether this number is above another one."""
        return _decided(self, other) > 0

    def __ge__(self, other: Exact | Real) -> bool:
        """Return whether this number is above another one, as equal ones cannot be told."""
        return _decided(self, other) > 0

    def __eq__(self, other: object) -> bool:
        """Return False where this is another number; equal ones cannot be told."""
        if not isinstance(other, int | Fraction | Real):
            return NotImplemented
        return _decided(self, other) == 0

    def __floor__(self) -> int:
        """The largest integer that is not above this number."""
        return _agreed(math.floor(self.lower), math.floor(self.upper))

    def __ceil__(self) -> int:
        """The smallest integer that is not below this number."""
        return _agreed(math.ceil(self.lower), math.ceil(self.upper))

    def raised(self, top: int) -> Real:
        """A whole power of this number."""
        if top < 0 and self.lower <= 0 <= self.upper:
            raise ParameterError("exponent", "must not be negative for a number that may be 0", top)
        powers = [self.lower**top, self.upper**top]
        if top > 0 and top % 2 == 0 and self.lower <= 0 <= self.upper:
            powers.append(Fraction(0))
        return Real(min(powers), max(powers))


def ends(value: Exact | Real) -> tuple[Fraction, Fraction]:
    """The ends of a number; those of an exact one are the number itself."""
    if isinstance(value, Real):
        return value.lower, value.upper
    return Fraction(value), Fraction(value)


def log(value: Exact | Real) -> Exact | Real:
    """The natural logarithm.

    Raises:
        ParameterError: of a number that is not above 0.
    """
    low, high = ends(value)
    if low <= 0:
        raise ParameterError("logarithm", "must be of a number above 0", str(value))
    if low == high == 1:
        return 0
    return Real(_enclosed("log", low)[0], _enclosed("log", high)[1])


def exp(value: Exact | Real) -> Exact | Real:
    """The exponential.

    Raises:
        ParameterError: of a number beyond 4,096.
    """
    low, high = ends(value)
    if max(abs(low), abs(high)) > MOST_EXPONENT:
        rule = f"must be at most {MOST_EXPONENT} in size"
        raise ParameterError("exponential", rule, str(value))
    if low == high == 0:
        return 1
    return Real(_enclosed("exp", low)[0], _enclosed("exp", high)[1])


def _enclosed(name: str, value: Fraction) -> tuple[Fraction, Fraction]:
    """The ends of a ball around a function's value."""
    from flint import arb, ctx, fmpq  # not needed by most clients

    with ctx.workprec(PRECISION):
        ball = getattr(arb(fmpq(value.numerator, value.denominator)), name)()
        return _exact(ball.lower()), _exact(ball.upper())


def _exact(ball: object) -> Fraction:
    mantissa, exponent = ball.man_exp()  # type: ignore[attr-defined]  # flint has no types
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _decided(one: Real, other: Exact | Real) -> int:
    """-1 or 1: one is below or above the other.

    Raises:
        ParameterError: they may be equal.
    """
    low, high = ends(other)
    if one.upper < low:
        return -1
    if one.lower > high:
        return 1
    raise ParameterError("numbers", "must be told apart at these parameters", float(low))


def _agreed(one: int, other: int) -> int:
    if one != other:
        raise ParameterError("number", "must lie between two whole ones at these parameters", other)
    return one
