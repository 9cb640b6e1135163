"""Exact polynomials and rational functions over the integers, in a few lines and without sympy.

This is the arithmetic of the certificate verifier. A polynomial is a mapping from exponent tuples
to non-zero ints, over a fixed list of variable names. A rational function keeps the factors of its
denominator apart, because each must be shown to have no zero.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod
from unicodedata import normalize

Exponents = tuple[int, ...]
Poly = dict[Exponents, int]
Key = tuple[tuple[Exponents, int], ...]
"""A polynomial as a sorted tuple, so that it can be compared and hashed."""

MAX_POWER = 64
"""The largest exponent of an expression in a text."""

MAX_MONOMIAL_POWER = 512
"""The same of a product of variables, which is no work to expand."""


class ExpressionError(ValueError):
    """The text is not an integer-coefficient rational function of the given variables."""


NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@lru_cache(maxsize=4096)
def variable_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of different variables, each of which the parser reads back as itself.

    Raises:
        ExpressionError: two of them are one to the parser, or one of them is no variable to it.
    """
    if len({normalize("NFKC", str(name)) for name in names}) != len(names):
        raise ExpressionError(f"two variables have one name among {', '.join(map(ascii, names))}")
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ExpressionError(f"{name!a} is no name in ASCII letters, digits and underscores")
        try:
            node = ast.parse(name, mode="eval").body
        except SyntaxError as error:
            raise ExpressionError(f"{name!a} is a word of the language, no name") from error
        if not (isinstance(node, ast.Name) and node.id == name):
            raise ExpressionError(f"{name!a} is not read back as a name")
    return names


def add(a: Poly, b: Poly, factor: int = 1) -> Poly:
    """a + factor * b."""
    result = dict(a)
    for exponents, coefficient in b.items():
        total = result.get(exponents, 0) + factor * coefficient
        if total:
            result[exponents] = total
        else:
            result.pop(exponents, None)
    return result


def multiply(a: Poly, b: Poly) -> Poly:
    """a * b."""
    result: Poly = {}
    for ea, ca in a.items():
        for eb, cb in b.items():
            exponents = tuple(map(int.__add__, ea, eb))
            result[exponents] = result.get(exponents, 0) + ca * cb
    return {exponents: c for exponents, c in result.items() if c}


def power(a: Poly, exponent: int, size: int) -> Poly:
    """a ** exponent for exponent >= 0, over `size` variables."""
    if len(a) == 1:  # Of a monomial at once: its exponent may be high.
        ((exponents, coefficient),) = a.items()
        return {tuple(e * exponent for e in exponents): coefficient**exponent}
    result: Poly = {(0,) * size: 1}
    for _ in range(exponent):
        result = multiply(result, a)
    return result


def moved(exponents: Exponents, place: int, by: int) -> Exponents:
    """The exponents with one of them changed."""
    return (*exponents[:place], exponents[place] + by, *exponents[place + 1 :])


def dense(a: Poly) -> int:
    """Bound the work on a polynomial by its number of terms if it were dense.

    A polynomial in many variables may have few terms, and still be slow to factor, for example.

    Args:
        a: a polynomial that is not 0.

    Returns:
        The number of monomials whose degree in each variable is no higher than that of `a`.
    """
    return prod(1 + max(exponents) for exponents in zip(*a, strict=True))


def key(a: Poly) -> Key:
    """The canonical hashable form."""
    return tuple(sorted(a.items()))


def primitive(a: Poly) -> tuple[int, Poly]:
    """(content, part) with a = content * part, part of content 1 and positive leading coefficient.

    a must not be zero.
    """
    content = gcd(*a.values())
    if a[max(a)] < 0:
        content = -content
    return content, {exponents: c // content for exponents, c in a.items()}


@dataclass(frozen=True)
class Fraction:
    """numerator / (scale * product of the denominator's factors).

    Attributes:
        numerator: a polynomial.
        denominator: primitive non-constant factors with their powers.
        scale: a positive int.
    """

    numerator: Poly
    denominator: Mapping[Key, int]
    scale: int = 1


class Ring:
    """Rational functions in the named variables."""

    def __init__(self, names: Sequence[str]) -> None:
        """Fix the variables and their order.

        Raises:
            ExpressionError: names that are not those of different variables.
        """
        self.names = variable_names(tuple(names))
        self.size = len(self.names)

    def constant(self, value: int) -> Fraction:
        """An integer."""
        return Fraction({(0,) * self.size: value} if value else {}, {})

    def variable(self, name: str) -> Fraction:
        """One of the variables.

        Raises:
            ExpressionError: it is not one of them.
        """
        if name not in self.names:
            raise ExpressionError(
                f"unknown symbol {name!r}, expected one of {', '.join(self.names)}"
            )
        return Fraction({tuple(int(n == name) for n in self.names): 1}, {})

    def _scaled(self, a: Fraction, denominator: Mapping[Key, int], scale: int) -> Poly:
        """The numerator of `a` over a multiple of its denominator."""
        times = scale // a.scale
        result = {exponents: c * times for exponents, c in a.numerator.items()}
        for factor, exponent in denominator.items():
            missing = exponent - a.denominator.get(factor, 0)
            if missing:
                result = multiply(result, power(dict(factor), missing, self.size))
        return result

    def add(self, a: Fraction, b: Fraction, factor: int = 1) -> Fraction:
        """a + factor * b, over the least common multiple of the written denominators."""
        common = {
            k: max(a.denominator.get(k, 0), b.denominator.get(k, 0))
            for k in [*a.denominator, *b.denominator]
        }
        scale = a.scale * b.scale // gcd(a.scale, b.scale)
        top = add(self._scaled(a, common, scale), self._scaled(b, common, scale), factor)
        return Fraction(top, common, scale)

    def multiply(self, a: Fraction, b: Fraction) -> Fraction:
        """a * b."""
        denominator = dict(a.denominator)
        for factor, exponent in b.denominator.items():
            denominator[factor] = denominator.get(factor, 0) + exponent
        return Fraction(multiply(a.numerator, b.numerator), denominator, a.scale * b.scale)

    def invert(self, a: Fraction) -> Fraction:
        """1 / a.

        Raises:
            ExpressionError: a is identically zero.
        """
        if not a.numerator:
            raise ExpressionError("division by zero")
        content, part = primitive(a.numerator)
        top: Poly = {(0,) * self.size: a.scale if content > 0 else -a.scale}
        for factor, exponent in a.denominator.items():
            top = multiply(top, power(dict(factor), exponent, self.size))
        constant = set(part) == {(0,) * self.size}
        return Fraction(top, {} if constant else {key(part): 1}, abs(content))

    def divide(self, a: Fraction, b: Fraction) -> Fraction:
        """a / b."""
        return self.multiply(a, self.invert(b))

    def parse(self, text: str) -> Fraction:
        """Read `+ - * / **`, integers, parentheses and variable names.

        Raises:
            ExpressionError: anything else stands there.
        """
        if not text.isascii():
            raise ExpressionError(f"cannot read {text[:80]!a}: only ASCII is read")
        try:
            return self._evaluate(ast.parse(text, mode="eval").body)
        except (SyntaxError, RecursionError, ValueError) as error:
            raise ExpressionError(f"cannot read {text[:80]!r}: {error}") from error

    def _evaluate(self, node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return self.constant(value)
            case ast.Name(id=name):
                return self.variable(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.add(self.constant(0), self._evaluate(operand), -1)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(self._evaluate(left), right)
            case ast.BinOp(left=left, op=operator, right=right):
                a, b = self._evaluate(left), self._evaluate(right)
                match operator:
                    case ast.Add():
                        return self.add(a, b)
                    case ast.Sub():
                        return self.add(a, b, -1)
                    case ast.Mult():
                        return self.multiply(a, b)
                    case ast.Div():
                        return self.divide(a, b)
        raise ExpressionError(f"{ast.unparse(node)!r} is not allowed here")

    def _power(self, base: Fraction, exponent: ast.expr) -> Fraction:
        negative = isinstance(exponent, ast.UnaryOp) and isinstance(exponent.op, ast.USub)
        inner = exponent.operand if isinstance(exponent, ast.UnaryOp) and negative else exponent
        if not (isinstance(inner, ast.Constant) and type(inner.value) is int):
            raise ExpressionError(f"exponent {ast.unparse(exponent)!r} is no integer")
        if len(base.numerator) == 1 and not base.denominator and base.scale == 1:
            ((exponents, coefficient),) = base.numerator.items()
            if coefficient == 1 and inner.value <= MAX_MONOMIAL_POWER:
                whole = Fraction({tuple(e * inner.value for e in exponents): 1}, {})
                return self.invert(whole) if negative else whole
        if inner.value > MAX_POWER:
            raise ExpressionError(f"exponent {inner.value} is above {MAX_POWER}")
        result = self.constant(1)
        for _ in range(inner.value):
            result = self.multiply(result, base)
        return self.invert(result) if negative else result

    def substitute(self, a: Fraction, values: Mapping[str, Fraction]) -> Fraction:
        """`a` with rational functions in place of some variables."""
        known: dict[str, list[Fraction]] = {}

        def raised(name: str, exponent: int) -> Fraction:
            found = known.setdefault(name, [self.constant(1)])
            while len(found) <= exponent:
                base = values.get(name, self.variable(name))
                found.append(self.multiply(found[-1], base))
            return found[exponent]

        def of(poly: Poly) -> Fraction:
            total = self.constant(0)
            for exponents, coefficient in poly.items():
                term = self.constant(coefficient)
                for name, exponent in zip(self.names, exponents, strict=True):
                    if exponent:
                        term = self.multiply(term, raised(name, exponent))
                total = self.add(total, term)
            return total

        result = self.divide(of(a.numerator), self.constant(a.scale))
        for factor, exponent in a.denominator.items():
            for _ in range(exponent):
                result = self.divide(result, of(dict(factor)))
        return result

    def show(self, poly: Poly) -> str:
        """The polynomial as text that `parse` reads back."""
        if not poly:
            return "0"
        terms = []
        for exponents, coefficient in sorted(poly.items(), reverse=True):
            factors = [
                name if e == 1 else f"{name}**{e}"
                for name, e in zip(self.names, exponents, strict=True)
                if e
            ]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            terms.append(("-" if coefficient < 0 else "+") + "*".join(factors))
        return "".join(terms).removeprefix("+")
