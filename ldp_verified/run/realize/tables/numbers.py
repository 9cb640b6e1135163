"""The number types that a generated formula is evaluated in.

Floats, exact rationals, balls, and exact functions of one exponential.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from flint import arb, fmpq

from ldp_verified.run.realize.tables.formal import Formal

Number = TypeVar("Number", float, Fraction, arb, Formal)
"""A formula's arguments all have the same one of these types, sizes too: 1/k must be exact."""


def rational(numerator: int, denominator: int, like: Number) -> Number:
    """Return the constant numerator/denominator in the number type of `like`.

    Args:
        numerator, denominator: integers. like: a number of the type that is meant.
    """
    return convert(Fraction(numerator, denominator), like)


def convert(value: Fraction | int, like: Number) -> Number:
    """`value` in the number type of `like`: nearest float, the number itself, or a ball."""
    exact = Fraction(value)
    if isinstance(like, Formal):
        return Formal.constant(exact)
    if isinstance(like, arb):
        return arb(fmpq(exact.numerator, exact.denominator))
    if isinstance(like, Fraction):
        return exact
    return float(exact)
