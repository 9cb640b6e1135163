"""Parameters of a mechanism, checked before anything else happens."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.scalars import is_integer, is_number, nearest_float

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST_K = 1 << 32
LARGEST_N = (1 << 63) - 1

MOST = 1 << 1000
NARROWEST, WIDEST = 1e-140, 1e140
"""The least and the largest distance between two bounds, and the least and the largest error."""


def check_epsilon(value: object, argument: str = "epsilon") -> float:
    """An epsilon as a double.

    Raises:
        ParameterError: not an int or float (a bool is neither), not > 0 and finite, or an int that
            no double equals.
    """
    rule = "must be a number > 0 and finite"
    if not is_number(value):
        raise ParameterError(argument, rule, value)
    number = nearest_float(value)
    if not (math.isfinite(number) and number > 0) or number != value:
        raise ParameterError(argument, rule, value)
    return number


def check_integer(argument: str, value: object, low: int, high: int) -> int:
    """An integer parameter in low..high.

    Raises:
        ParameterError: not an integer (a bool is none), or out of range.
    """
    rule = f"must be an integer in {low}..{high}"
    if not is_integer(value):
        raise ParameterError(argument, rule, value)
    if not low <= value <= high:
        raise ParameterError(argument, rule, value)
    return int(value)


def check_share(argument: str, value: object) -> Fraction:
    """A share in [0, 1], as the exact value of what was given.

    Raises:
        ParameterError: not a number in [0, 1].
    """
    exact = exact_number(value)
    if exact is None or not 0 <= exact <= 1:
        raise ParameterError(argument, "must be a number in [0, 1]", value)
    return exact


def exact_number(value: object) -> Fraction | None:
    """The exact value of a finite int, float or Fraction; None for anything else."""
    if isinstance(value, float | np.floating):
        return Fraction(*value.as_integer_ratio()) if math.isfinite(value) else None
    if is_integer(value):
        return Fraction(int(value))
    return value if isinstance(value, Fraction) else None


def number_or_text(value: object) -> Fraction | None:
    """The exact value of a number, or of a text as "0.1" or "1/3"; None for anything else."""
    if not isinstance(value, str):
        return exact_number(value)
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def check_ends(argument: str, rule: str, low: object, high: object) -> tuple[Fraction, Fraction]:
    """The ends of an interval whose width, and the width's square, doubles can hold.

    Args:
        argument: what the ends are called. rule: what is asked of them, in words.
        low, high: an int, a float or a Fraction each.

    Returns:
        The exact value of each, which is not beyond the doubles.

    Raises:
        ParameterError: no such numbers with low < high, or squares would overflow or vanish.
    """
    start, end = exact_number(low), exact_number(high)
    if start is None or end is None or not start < end:
        raise ParameterError(argument, rule, (low, high))
    if max(abs(start), abs(end)) <= MOST and NARROWEST <= float(end) - float(start) <= WIDEST:
        return start, end
    wide = f"must have a difference in {NARROWEST}..{WIDEST}, whose square a double can hold"
    raise ParameterError(argument, wide, (low, high))


def shown(value: Fraction) -> str:
    """A fraction as text, or the double that it is."""
    return str(value) if value.denominator < 10**6 else repr(float(value))


@dataclass(frozen=True)
class RationalParameter:
    """A parameter that the cells are rational functions of, or a rule for another argument.

    Attributes:
        name: the field that holds it ("gamma").
        rule: its domain in words ("0 < gamma < 1/2"); empty where every number belongs to it.
        admits: whether the domain holds the value, from the exact values of the parameters by name:
            its own, and those before it.
        integer: whether only whole numbers belong to it.
    """

    name: str
    rule: str
    admits: Callable[[Mapping[str, Fraction]], bool]
    integer: bool = False

    def check(self, value: object, others: Mapping[str, Fraction]) -> Fraction:
        """The exact value of an int, float or Fraction in the domain.

        Args:
            value: what was given.
            others: the values of the parameters that the domain may depend on.

        Raises:
            ParameterError: something else.
        """
        exact = exact_number(value)
        whole = exact is not None and (exact.denominator == 1 or not self.integer)
        if exact is None or not whole or not self.admits({**others, self.name: exact}):
            rule = f"must be {'an integer' if self.integer else 'a number'}"
            words = set(re.findall(r"\w+", self.rule)) - {self.name}
            known = ", ".join(f"{name} = {shown(others[name])}" for name in others if name in words)
            rule += f" with {self.rule}" if self.rule else ""
            raise ParameterError(self.name, rule + (f", where {known}" if known else ""), value)
        return exact
