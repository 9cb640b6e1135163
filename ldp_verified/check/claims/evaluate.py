"""A formula as a ball: rigorous values of expressions that are not rational.

Everything is evaluated from the written expression, node by node; no simplification stands between
the statement and its value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy
from flint import arb

from ldp_verified.errors import SpecError
from ldp_verified.run.realize.tables.balls import ball, decide


def value(expression: Any, point: Mapping[Any, Fraction | arb]) -> arb:
    """The ball around an expression at exact values of its symbols, at the working precision.

    A value may be a ball itself, made at that precision.

    Raises:
        SpecError: a symbol without a value, or a function that is not known here.
    """
    node = sympy.sympify(expression)
    if node.is_Rational:
        return ball(Fraction(int(node.p), int(node.q)))
    if node.is_Symbol:
        if node not in point:
            raise SpecError("point", "must give a value to every symbol", str(node))
        given = point[node]
        return given if isinstance(given, arb) else ball(given)
    if node is sympy.E:
        return arb(1).exp()
    if node is sympy.pi:
        return arb.pi()
    parts = [value(part, point) for part in node.args]
    if node.is_Add or node.is_Mul:
        result = arb(0 if node.is_Add else 1)
        for part in parts:
            result = result + part if node.is_Add else result * part
        return result
    if node.is_Pow:
        return _power(node, parts)
    if isinstance(node, sympy.Max | sympy.Min):
        result = parts[0]
        for part in parts[1:]:
            result = result.max(part) if isinstance(node, sympy.Max) else result.min(part)
        return result
    known: dict[Any, Callable[[arb], arb]] = {
        sympy.exp: arb.exp,
        sympy.log: arb.log,
        sympy.erfc: arb.erfc,
    }
    if node.func in known:
        return known[node.func](parts[0])
    raise SpecError("expression", "holds something that has no value here", str(node.func))


def _power(node: Any, parts: list[arb]) -> arb:
    exponent = node.exp
    if exponent.is_Integer:
        return parts[0] ** int(exponent)
    if exponent == sympy.Rational(1, 2):
        return parts[0].sqrt()
    if exponent == -sympy.Rational(1, 2):
        return 1 / parts[0].sqrt()
    return (parts[1] * parts[0].log()).exp()


def holds(relation: Any, point: Mapping[Any, Fraction]) -> bool:
    """Return whether an inequality holds at a point, decided by balls of growing precision.

    Raises:
        ArithmeticError: no precision decides it: both sides may be equal there.
        SpecError: as in `value`; or it is no inequality.
    """
    if not isinstance(relation, sympy.Le | sympy.Lt | sympy.Ge | sympy.Gt):
        raise SpecError("relation", "must be <=, <, >= or >", relation)

    def attempt() -> bool | None:
        gap = value(relation.gts, point) - value(relation.lts, point)
        if not gap.is_finite():
            return None
        strict = isinstance(relation, sympy.Lt | sympy.Gt)
        if gap > 0:
            return True
        if gap < 0:
            return False
        if gap.is_exact() and gap == 0:
            return not strict
        return None

    return decide(attempt)


def decimal(expression: Any, point: Mapping[Any, Fraction], digits: int = 8) -> str:
    """The value as a decimal, for the eye."""
    return decide(lambda: value(expression, point)).str(digits, radius=False)
