"""Rational functions in lowest terms, by the polynomials of python-flint.

sympy needs minutes where numerator or denominator has degree 30 in two variables; flint needs
milliseconds. Nothing of this decides a claim: what is derived here is checked by the routes, and
none of these uses it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy
from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx


class _Fraction(NamedTuple):
    """A numerator and a denominator that is not zero, without common factors."""

    top: fmpz_mpoly
    bottom: fmpz_mpoly


def factored(value: Any) -> Any:
    """`value`, cancelled and factored, as `sympy.factor(sympy.cancel(value))` writes it.

    Args:
        value: a sympy expression.

    Returns:
        A product of powers of irreducible polynomials with integer coefficients, each with a
        positive leading coefficient, and a rational number; None if `value` is not made of rational
        numbers and symbols by sums, products and integer powers, divides by zero everywhere, or
        has numbers so large that flint does not order its factors.
    """
    symbols = getattr(value, "free_symbols", None)
    if not symbols or not all(symbol.is_commutative for symbol in symbols):
        return None
    # Poly orders variables as sympy prints them: signs then come out as those of sympy.factor.
    names = sympy.Poly(sympy.Add(*symbols)).gens
    context = fmpz_mpoly_ctx.get([f"x{i}" for i in range(len(names))], Ordering.lex)
    known = dict(zip(names, context.gens(), strict=True))
    one = context.constant(1)
    try:
        fraction = _Walk(known, one).of(value)
        top_content, above = fraction.top.factor()
        bottom_content, below = fraction.bottom.factor()
    except (_NotRationalError, ZeroDivisionError):
        return None
    except OverflowError:  # flint compares coefficients of factors as words of the machine
        return None
    number = sympy.Rational(int(top_content), int(bottom_content))
    powers = [(base, int(power)) for base, power in above]
    powers += [(base, -int(power)) for base, power in below]
    parts = []
    for base, power in powers:
        sign = -1 if base.leading_coefficient() < 0 else 1
        number *= sign ** abs(power)
        parts.append(_polynomial(sign * base, names) ** power)
    product = sympy.Mul(*parts)
    if product.is_Add and abs(number) != 1:
        # As sympy.factor leaves it; Mul would multiply the sum out.
        return sympy.Mul(number, product, evaluate=False)
    return number * product


def _polynomial(poly: fmpz_mpoly, names: tuple[Any, ...]) -> Any:
    terms = {
        tuple(map(int, powers)): int(coefficient)
        for powers, coefficient in zip(poly.monoms(), poly.coeffs(), strict=True)
    }
    return sympy.Poly.from_dict(terms, *names).as_expr()


class _NotRationalError(Exception):
    """An expression that is no rational function of its symbols."""


class _Walk:
    """Expressions as fractions; parts that occur more than once are looked at once."""

    def __init__(self, known: dict[Any, fmpz_mpoly], one: fmpz_mpoly) -> None:
        self._one = one
        self._found = {symbol: _Fraction(gen, one) for symbol, gen in known.items()}

    def of(self, value: Any) -> _Fraction:
        found = self._found.get(value)
        if found is None:
            found = self._found[value] = self._of(value)
        return found

    def _of(self, value: Any) -> _Fraction:
        if value.is_Rational:
            return _Fraction(self._one * int(value.p), self._one * int(value.q))
        if value.is_Add:
            total = self.of(value.args[0])
            for term in value.args[1:]:
                total = self._sum(total, self.of(term))
            return total
        if value.is_Mul:
            total = self.of(value.args[0])
            for factor in value.args[1:]:
                total = self._product(total, self.of(factor))
            return total
        if value.is_Pow and value.exp.is_Integer:
            base, power = self.of(value.base), int(value.exp)
            if power < 0:
                if base.top.is_zero():
                    raise ZeroDivisionError
                base, power = _Fraction(base.bottom, base.top), -power
            return _Fraction(base.top**power, base.bottom**power)
        raise _NotRationalError

    def _sum(self, a: _Fraction, b: _Fraction) -> _Fraction:
        shared = a.bottom.gcd(b.bottom)
        left, right = a.bottom / shared, b.bottom / shared
        return self._reduced(a.top * right + b.top * left, left * b.bottom)

    def _product(self, a: _Fraction, b: _Fraction) -> _Fraction:
        return self._reduced(a.top * b.top, a.bottom * b.bottom)

    def _reduced(self, top: fmpz_mpoly, bottom: fmpz_mpoly) -> _Fraction:
        if top.is_zero():
            return _Fraction(top, self._one)
        shared = top.gcd(bottom)
        return _Fraction(top / shared, bottom / shared)
