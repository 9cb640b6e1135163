"""Parameters of a mechanism, checked before anything else happens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ldp_verified.errors import ParameterError

LARGEST_K = 1 << 32
LARGEST_N = (1 << 63) - 1


def check_epsilon(value: object) -> float:
    """The claimed epsilon as a double.

    Raises:
        ParameterError: not an int or float (a bool is neither), not > 0 and finite, or an int that
            no double equals.
    """
    rule = "must be a number > 0 and finite"
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ParameterError("epsilon", rule, value)
    try:
        number = float(value)
    except OverflowError:
        raise ParameterError("epsilon", rule, value) from None
    if not (math.isfinite(number) and number > 0) or number != value:
        raise ParameterError("epsilon", rule, value)
    return number


def check_integer(argument: str, value: object, low: int, high: int) -> int:
    """An integer parameter in low..high.

    Raises:
        ParameterError: not an integer (a bool is none), or out of range.
    """
    rule = f"must be an integer in {low}..{high}"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ParameterError(argument, rule, value)
    if not low <= value <= high:
        raise ParameterError(argument, rule, value)
    return int(value)


def check_share(argument: str, value: object) -> Fraction:
    """A share in [0, 1], as the exact value of what was given.

    Raises:
        ParameterError: not a number in [0, 1].
    """
    exact = _exact(value)
    if exact is None or not 0 <= exact <= 1:
        raise ParameterError(argument, "must be a number in [0, 1]", value)
    return exact


def _exact(value: object) -> Fraction | None:
    """The exact value of a finite int, float or Fraction; None for anything else."""
    if isinstance(value, np.integer | np.floating):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    return Fraction(value) if math.isfinite(value) else None


@dataclass(frozen=True)
class RationalParameter:
    """A parameter that takes the place of epsilon: the cells are rational functions of it.

    Attributes:
        name: the field that holds it ("gamma").
        above, below: its open range.
    """

    name: str
    above: Fraction
    below: Fraction

    def check(self, value: object) -> Fraction:
        """The exact value of an int, float or Fraction in the range.

        Raises:
            ParameterError: something else.
        """
        exact = _exact(value)
        if exact is None or not self.above < exact < self.below:
            rule = f"must be a number with {self.above} < {self.name} < {self.below}"
            raise ParameterError(self.name, rule, value)
        return exact
