"""Exact arithmetic with one exponential: rational functions of t = e^q for a rational q != 0.

Since t is transcendental (Lindemann), such a function is 0 exactly if it is identically 0, and a
rational number exactly if it is constant. It is e^s for a rational s exactly if it is a power of t.
These are the ties that no ball decides: they are decided here first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb, fmpq, fmpq_poly


@dataclass(frozen=True, eq=False)
class Formal:
    """A rational function of t, in lowest terms.

    Attributes:
        top, bottom: numerator and denominator.
    """

    top: fmpq_poly
    bottom: fmpq_poly = field(default_factory=lambda: fmpq_poly([1]))

    @staticmethod
    def exponential() -> Formal:
        """The function t itself."""
        return Formal(fmpq_poly([0, 1]))

    @staticmethod
    def constant(value: Fraction | int) -> Formal:
        """A rational number."""
        exact = Fraction(value)
        return Formal(fmpq_poly([fmpq(exact.numerator, exact.denominator)]))

    @property
    def rational(self) -> Fraction | None:
        """The function's value where it is a rational number; else None."""
        if self.top.degree() > 0 or self.bottom.degree() > 0:
            return None
        value = self.top[0] / self.bottom[0]
        return Fraction(int(value.p), int(value.q))

    @property
    def power(self) -> int | None:
        """m where it is t^m; else None."""
        m = self.top.degree() - self.bottom.degree()
        whole = fmpq_poly([0] * abs(m) + [1])
        same = self.top == self.bottom * whole if m >= 0 else self.top * whole == self.bottom
        return m if same else None

    def at(self, t: arb) -> arb:
        """A ball around the function's value, from a ball around t."""
        return _horner(self.top, t) / _horner(self.bottom, t)

    def __neg__(self) -> Formal:
        """The function with its sign turned."""
        return Formal(-self.top, self.bottom)

    def __add__(self, other: Formal | Fraction | int) -> Formal:
        """The sum."""
        b = formal(other)
        return _reduced(self.top * b.bottom + b.top * self.bottom, self.bottom * b.bottom)

    def __mul__(self, other: Formal | Fraction | int) -> Formal:
        """The product."""
        b = formal(other)
        return _reduced(self.top * b.top, self.bottom * b.bottom)

    def __truediv__(self, other: Formal | Fraction | int) -> Formal:
        """The quotient.

        Raises:
            ZeroDivisionError: the other is 0.
        """
        b = formal(other)
        if b.rational == 0:
            raise ZeroDivisionError("division by zero")
        return _reduced(self.top * b.bottom, self.bottom * b.top)

    def __sub__(self, other: Formal | Fraction | int) -> Formal:
        """The difference."""
        return self + -formal(other)

    def __radd__(self, other: Fraction | int) -> Formal:
        """The sum."""
        return self + other

    def __rsub__(self, other: Fraction | int) -> Formal:
        """The difference."""
        return -self + other

    def __rmul__(self, other: Fraction | int) -> Formal:
        """The product."""
        return self * other

    def __rtruediv__(self, other: Fraction | int) -> Formal:
        """The quotient."""
        return formal(other) / self

    def __pow__(self, exponent: int) -> Formal:
        """A whole power."""
        if exponent < 0:
            return 1 / self**-exponent
        return Formal(self.top**exponent, self.bottom**exponent)


def formal(value: Formal | Fraction | int) -> Formal:
    """A rational number as a function of t; one that is a function already, as it is."""
    return value if isinstance(value, Formal) else Formal.constant(value)


def _reduced(top: fmpq_poly, bottom: fmpq_poly) -> Formal:
    common = top.gcd(bottom)
    return Formal(top // common, bottom // common)


def _horner(polynomial: fmpq_poly, t: arb) -> arb:
    total = arb(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * t + arb(coefficient)
    return total
