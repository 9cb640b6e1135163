"""A second opinion on exponentials and logarithms: `decimal`, which shares nothing with flint."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

DIGITS = 400
"""Enough to tell 1 - e^-700 from 1."""


def _context() -> decimal.Context:
    return decimal.Context(prec=DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def exp(value: float) -> Fraction:
    """e^value to 400 digits."""
    return Fraction(Decimal(value).exp(_context()))


def ln(value: Fraction) -> Fraction:
    """The natural logarithm to about 400 digits, fewer where the value is near 1."""
    context = _context()
    return Fraction(context.divide(value.numerator, value.denominator).ln(context))
