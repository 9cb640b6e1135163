"""Checks on what a spec writes where an expression is expected, and the generator of eps.

Every cell of a table is a rational function of the parameters and of one generator through which
eps enters, e^eps or e^(eps/q). Then u = e^eps may be treated as a free real above 1, and
polynomials decide everything.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from math import log10
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from ldp_verified.errors import SpecError

MOST_KNOWN = 2**14
"""Expressions that are kept in terms of the generator."""

MOST_DIGITS = 1000
"""Of a number: what is computed from a few of them has less than the 4,300 that Python writes."""

EQUATION_HINT = (
    "`==` compares two expressions as text and is False for `y == x`: "
    "write Eq(a, b) for an equation"
)


def expression(argument: str, value: Any) -> Any:
    """The sympy expression for `value`.

    Raises:
        SpecError: a boolean (a comparison that Python or sympy decided), a float, a number of very
            many digits, or something that is no expression.
    """
    if isinstance(value, sympy.Rational):
        check_digits(argument, value)
        return value
    if isinstance(value, bool) or value in (sympy.true, sympy.false):
        raise SpecError(argument, f"must be an expression; {EQUATION_HINT}", bool(value))
    if isinstance(value, float):
        raise SpecError(argument, "must be exact: write Rational(1, 2), not a float", value)
    try:
        result = sympy.sympify(value)
    except (sympy.SympifyError, TypeError, SyntaxError) as error:
        raise SpecError(argument, "must be an expression", value) from error
    if not isinstance(result, sympy.Expr):
        raise SpecError(argument, "must be an expression", value)
    if result.has(sympy.Float):
        raise SpecError(argument, "must be exact: write Rational(1, 2), not a float", value)
    if result.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise SpecError(argument, "must be finite: it divides by zero", value)
    check_digits(argument, result)
    return result


def in_all_cases(argument: str, value: Any) -> Any:
    """The expression or condition for `value`, which says what it is in all cases.

    Args:
        argument: the place, for the error. value: an expression, a condition, True or False.

    Returns:
        It, as sympy has it.

    Raises:
        SpecError: as `expression`; a float in a condition, or cases that leave others out.
    """
    condition = isinstance(value, bool | Boolean)
    read = sympy.sympify(value) if condition else expression(argument, value)
    if read.has(sympy.Float):
        raise SpecError(argument, "must be exact: write Rational(1, 2), not a float", str(value))
    for pieces in read.atoms(sympy.Piecewise):
        if pieces.args[-1][1] != sympy.true:
            rule = "must say what it is in all other cases: the last piece's condition is True"
            raise SpecError(argument, rule, str(pieces))
    return read


def check_digits(argument: str, value: Any) -> None:
    """Refuse numbers that could not be written out when something was computed from them.

    Args:
        argument: the place, for the error. value: a sympy expression or relation.

    Raises:
        SpecError: a number of more than `MOST_DIGITS` digits stands in it.
    """
    for number in value.atoms(sympy.Rational):
        bits = max(abs(number.p).bit_length(), number.q.bit_length())
        digits = int((bits - 1) * log10(2)) + 1
        if digits > MOST_DIGITS:
            rule = f"must have numbers of up to {MOST_DIGITS:,} digits, above and below the line"
            raise SpecError(argument, rule, f"about {digits:,} digits")


@dataclass(frozen=True)
class Generator:
    """The one transcendental through which eps enters: `symbol` stands for e^(eps/`root`).

    Attributes:
        eps: the epsilon parameter, or None in a mechanism without one.
        symbol: the positive symbol u (root 1), s (root 2), ... that replaces the exponential; a
            real above 1.
        root: the positive integer q of e^(eps/q).
    """

    eps: Any
    symbol: Any
    root: int

    def algebraic(self, argument: str, value: Any) -> Any:
        """`value` with every e^(c eps) replaced by a power of the generator.

        Raises:
            SpecError: eps stands outside the generator, or in an exponent that is not a rational
                multiple of eps/root.
        """
        if self.eps is None:
            return value
        try:
            return _algebraic(self, value)
        except SpecError as error:
            raise SpecError(argument, error.rule, value) from None


@lru_cache(maxsize=MOST_KNOWN)
def _algebraic(generator: Generator, value: Any) -> Any:
    """`algebraic` for one expression, worked out once for each: a large table has few."""
    with suppress(SpecError):
        return _replaced(generator, value)
    # Powers of other bases may make one of e together: 2^eps (e/2)^eps.
    return _replaced(generator, sympy.powsimp(value))


def _replaced(generator: Generator, value: Any) -> Any:
    """The expression with every e^(c eps) replaced, as it is written."""
    eps = generator.eps

    def replace(exponent: Any) -> Any:
        coefficient, rest = _split_exponent(exponent, eps)
        if coefficient is None:
            raise SpecError("", f"{eps} may enter only as exp(c*{eps})")
        power = coefficient * generator.root
        if not power.is_Integer:
            raise SpecError("", f"needs a finer generator than e^(eps/{generator.root})")
        return generator.symbol**power * sympy.exp(rest)

    result = sympy.expand_power_exp(value).replace(sympy.exp, replace)
    if result.has(eps):
        raise SpecError(
            "",
            f"{eps} stands outside its generator e^{eps}; give what depends on "
            f"{eps} otherwise a parameter of its own and state the relation as a claim",
        )
    return result


def _split_exponent(exponent: Any, eps: Any) -> tuple[Any, Any]:
    """(c, rest) with exponent = c*eps + rest, c rational and rest free of eps.

    (None, ...) where there is no such c.
    """
    coefficient = sympy.expand(exponent).coeff(eps, 1)
    rest = sympy.expand(exponent - coefficient * eps)
    if not coefficient.is_Rational or rest.has(eps):
        return None, rest
    return coefficient, rest


LARGEST_ROOT = 64
"""The largest q of a generator e^(eps/q): its powers are polynomials that checkers multiply out."""


MOST_POWER = 512
"""The largest power in a cell, a bound or a claim that the verifier's parser takes."""

MOST_POWER_OF_SUM = 64
"""The same of a sum, which checkers multiply out."""


def _check_powers(argument: str, value: Any, eps: Any, root: int) -> None:
    """Refuse powers that no checker can read, before somebody multiplies them out.

    Raises:
        SpecError: it names the place, the largest power and what has it.
    """

    def degree(part: Any) -> Any:
        if part.is_Symbol:
            return 1
        if isinstance(part, sympy.exp):
            coefficient, _ = (0, 0) if eps is None else _split_exponent(part.args[0], eps)
            return abs(coefficient or 0) * root
        if part.is_Pow and part.exp.is_Integer and part.free_symbols:
            if part.base.is_Add and abs(part.exp) > MOST_POWER_OF_SUM:
                rule = f"must have powers of sums up to {MOST_POWER_OF_SUM}"
                raise SpecError(argument, rule, f"power {part.exp}")
            return abs(part.exp) * degree(part.base)
        if part.is_Mul:
            # Of a fraction the larger of both sides: what stands in both may cancel.
            below = [each for each in part.args if each.is_Pow and each.exp.is_negative]
            above = [each for each in part.args if each not in below]
            return max(sum(degree(each) for each in side) for side in (above, below))
        return max((degree(each) for each in part.args), default=0) if part.is_Add else 0

    if (most := degree(value)) > MOST_POWER:
        what = f"e^{eps if root == 1 else f'({eps}/{root})'}" if value.has(sympy.exp) else "symbols"
        rule = f"must have powers of {what} up to {MOST_POWER}"
        raise SpecError(argument, rule, f"power {most}")


def find_generator(eps: Any, expressions: list[tuple[str, Any]], taken: set[str]) -> Generator:
    """The coarsest generator e^(eps/q) that all the given expressions can be written in.

    Args:
        eps: the epsilon parameter or None.
        expressions: (where it stands, expression) pairs.
        taken: names already used by parameters.

    Raises:
        SpecError: an exponent is not a rational multiple of eps, or q or a power is too large.
    """
    # A claim of c eps is no work, whatever c is: nothing is multiplied out.
    written = {
        value: argument
        for argument, value in expressions
        if not (argument.endswith(".epsilon") and isinstance(value, sympy.exp))
    }
    if eps is None:
        for value, argument in written.items():
            _check_powers(argument, value, None, 1)
        return Generator(None, None, 1)
    root = 1
    for argument, value in expressions:
        for exponential in value.atoms(sympy.exp):
            coefficient, _ = _split_exponent(exponential.args[0], eps)
            if coefficient is None:
                raise SpecError(
                    argument, f"{eps} may enter only as exp(c*{eps}), c rational", value
                )
            root = int(sympy.ilcm(root, coefficient.q))
            if root > LARGEST_ROOT:
                rule = (
                    f"must have multiples of {eps} with a common denominator up to {LARGEST_ROOT}"
                )
                raise SpecError(argument, rule, coefficient)
    for value, argument in written.items():
        _check_powers(argument, value, eps, root)
    name = {1: "u", 2: "s"}.get(root, f"u{root}")
    while name in taken:
        name += "_"
    return Generator(eps, sympy.Symbol(name, positive=True), root)
