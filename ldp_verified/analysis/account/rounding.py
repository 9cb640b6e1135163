"""Numbers given by callers, exactly; numbers shown, rounded up with proof."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import exact_number
from ldp_verified.run.realize.tables.balls import decide, round_up
from ldp_verified.scalars import is_integer, is_iterable


def number(
    argument: str, value: object, low: float | None = None, high: float | None = None
) -> Fraction:
    """The exact value of a finite int, float or Fraction within bounds, both included.

    Numbers of numpy count as Python's.

    Raises:
        ParameterError: anything else; a bool is no number.
    """
    ends = [f">= {low}" if low is not None else "", f"<= {high}" if high is not None else ""]
    rule = " ".join(["must be a finite number", " and ".join(filter(None, ends))]).strip()
    exact = exact_number(value)
    if exact is None or (low is not None and exact < low) or (high is not None and exact > high):
        raise ParameterError(argument, rule, value)
    return exact


def share_of(argument: str, value: object) -> Fraction:
    """The exact value of a probability that is neither 0 nor 1.

    Raises:
        ParameterError: anything else.
    """
    exact = number(argument, value)
    if not 0 < exact < 1:
        raise ParameterError(argument, "must lie between 0 and 1, both excluded", value)
    return exact


def whole(argument: str, value: object, low: int) -> int:
    """An integer of at least `low`; one of numpy counts as Python's.

    Raises:
        ParameterError: anything else; a bool is no integer.
    """
    if not is_integer(value) or value < low:
        raise ParameterError(argument, f"must be an integer >= {low}", value)
    return int(value)


def listed(argument: str, values: object) -> list[Any]:
    """Return as a list what can be iterated over: a list, an array or anything else.

    Raises:
        ParameterError: the values cannot be iterated over.
    """
    if not is_iterable(values):
        raise ParameterError(argument, "must be a list", values)
    return list(values)


def above(attempt: Callable[[], arb]) -> float:
    """A double not below a number >= 0 given by balls: the smallest one, or at most the next.

    Args:
        attempt: evaluates the ball anew at each precision.

    Raises:
        ArithmeticError: no precision gives a narrow ball.
    """
    return decide(lambda: _end(attempt(), up=True))


def below(attempt: Callable[[], arb]) -> float:
    """A double not above a number >= 0 given by balls, and not below 0.

    Raises:
        ArithmeticError: no precision gives a narrow ball.
    """
    return decide(lambda: _end(attempt(), up=False))


def _end(value: arb, *, up: bool) -> float | None:
    if not value.is_finite():
        return None
    end = value.upper() if up else value.lower()
    if not value.rad() <= abs(end) / (1 << 60) and not value.rad() < arb(2) ** -1100:
        return None
    mantissa, exponent = (int(part) for part in end.man_exp())
    if mantissa <= 0:
        return 0.0
    if mantissa.bit_length() + exponent > 1023:
        return math.inf if up else sys.float_info.max
    if mantissa.bit_length() + exponent < -1074:
        return math.nextafter(0.0, 1.0) if up else 0.0
    exact = Fraction(mantissa) * Fraction(2) ** exponent
    return round_up(exact) if up else -round_up(-exact)
