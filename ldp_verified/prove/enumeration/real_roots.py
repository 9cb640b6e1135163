"""Real roots of polynomials in one variable, isolated exactly; with python-flint, without sympy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from flint import ctx, fmpq, fmpq_poly, fmpz_poly

FIRST_DIGITS = 3
LAST_DIGITS = 400
"""Decimal digits of the ends of isolating intervals; more would take unrelated roots that agree."""

Coefficients = tuple[int, ...]
"""The coefficients of a polynomial, the constant first."""


@dataclass(frozen=True)
class Root:
    """A real root of an irreducible polynomial, between two rationals that enclose no other root.

    Attributes:
        factor: the polynomial. low, high: equal exactly if the root is rational; else the
            polynomial has opposite signs there.
    """

    factor: Coefficients
    low: Fraction
    high: Fraction

    @property
    def rational(self) -> bool:
        """Return whether the root is a rational number."""
        return self.low == self.high

    def describe(self, name: str) -> str:
        """`root of 2*a**2 - 1 between 0.707 and 0.708`, or the number."""
        if self.rational:
            return str(self.low)
        ends = f"{_decimal(self.low)} and {_decimal(self.high)}"
        return f"root of {shown(self.factor, name)} between {ends}"


def _decimal(value: Fraction) -> str:
    """The number in decimal where that is exact."""
    written = Decimal(value.numerator) / Decimal(value.denominator)
    return str(written) if Fraction(written) == value else str(value)


def shown(coefficients: Coefficients, name: str) -> str:
    """The polynomial as text, highest power first."""
    text = ""
    for power, c in reversed([*enumerate(coefficients)]):
        if c:
            body = name if power == 1 else f"{name}**{power}"
            size = str(abs(c)) if power == 0 else body if abs(c) == 1 else f"{abs(c)}*{body}"
            text += (" - " if c < 0 else " + ") + size
    text = text or " + 0"
    return text[3:] if text.startswith(" + ") else "-" + text[3:]


def value_at(coefficients: Coefficients, place: Fraction) -> Fraction:
    """The exact value of the polynomial."""
    total = Fraction(0)
    for c in reversed(coefficients):
        total = total * place + c
    return total


def whole(polynomial: fmpq_poly) -> Coefficients:
    """Integer coefficients of the same polynomial up to a positive factor."""
    return tuple(int(c) for c in polynomial.numer().coeffs())


def rational_polynomial(coefficients: Sequence[Fraction]) -> fmpq_poly:
    """The polynomial with these coefficients, the constant first."""
    return fmpq_poly([fmpq(c.numerator, c.denominator) for c in coefficients])


def real_roots(polynomials: Iterable[Coefficients]) -> list[Root]:
    """The distinct real roots of all polynomials in order, in closed intervals that do not meet.

    Polynomials that are identically zero are left out.

    Raises:
        ArithmeticError: two roots agree in `LAST_DIGITS` digits, or flint contradicts itself.
    """
    factors = {f: None for p in polynomials if any(p) for f in _irreducible(p)}
    digits = FIRST_DIGITS
    while digits <= LAST_DIGITS:
        found = sorted((r for f in factors for r in _roots(f, digits)), key=lambda r: r.low)
        if all(a.high < b.low for a, b in pairwise(found)):
            for root in found:
                ends = value_at(root.factor, root.low) * value_at(root.factor, root.high)
                if ends > 0 or (ends == 0) != root.rational:
                    raise ArithmeticError(f"no sign change at a root: {root}")
            return found
        digits *= 2
    raise ArithmeticError(f"roots that agree in {LAST_DIGITS} digits")


def _irreducible(coefficients: Coefficients) -> list[Coefficients]:
    _, listed = fmpz_poly(list(coefficients)).factor()
    made = [tuple(int(c) for c in factor.coeffs()) for factor, _ in listed]
    return [factor for factor in made if len(factor) > 1]


def _roots(factor: Coefficients, digits: int) -> list[Root]:
    """The real roots, each in a decimal interval of that many digits; these may still meet."""
    if len(factor) == 2:
        place = Fraction(-factor[0], factor[1])
        return [Root(factor, place, place)]
    unit = 10**digits
    bits = 64 + 4 * digits + max(c.bit_length() for c in map(abs, factor))
    while True:
        with ctx.workprec(bits):
            found: Any = fmpz_poly(list(factor)).complex_roots()  # pairs, whatever the stubs say
            real = [root.real for root, _ in found if root.imag == 0]
            cells = [(root * unit).floor().unique_fmpz() for root in real]
        if None not in cells:
            ends = [int(cell) for cell in cells if cell is not None]
            return [Root(factor, Fraction(n, unit), Fraction(n + 1, unit)) for n in ends]
        bits *= 2


def between(low: Fraction | None, high: Fraction | None) -> Fraction:
    """The simplest rational strictly between two numbers, None standing for no bound."""
    if low is None:
        return Fraction(0) if high is None or high > 0 else Fraction(ceil(high) - 1)
    if high is None:
        return Fraction(0) if low < 0 else Fraction(floor(low) + 1)
    if low < 0 < high:
        return Fraction(0)
    if high <= 0:
        return -between(-high, -low)
    first = floor(low) + 1
    if first < high:
        return Fraction(first)
    base = floor(low)
    # Both lie in (base, base + 1]: one over a number between the inverses of what is left.
    inner = low - base
    return base + 1 / between(1 / (high - base), None if inner == 0 else 1 / inner)
