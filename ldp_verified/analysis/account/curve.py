"""The smallest delta of a declared table at an epsilon, and the other way round, rounded up.

The table is evaluated in balls at the exact parameters, e^epsilon included: nothing is a float
before the last step. One curve for all types of pairs of inputs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from ldp_verified.analysis.account.rounding import above, number
from ldp_verified.analysis.curves.loss import exact_point
from ldp_verified.derive import Facts
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism


def declared_delta(mechanism: Mechanism, values: Mapping[str, Any], epsilon: float) -> float:
    """A double that is not below the smallest delta of a table at this epsilon, nor 1e-12 above.

    sum over y of max(0, P(y|x) - e^epsilon P(y|x')), the largest over all pairs of inputs.

    Args:
        mechanism: a declaration with pair tables.
        values: parameter name -> number, as text or number; exact where they are rational.
        epsilon: a finite number >= 0.

    Raises:
        ParameterError: a parameter is missing, unknown or outside its domain; another epsilon; a
            table on the line, which has no pair tables.
    """
    exact = number("epsilon", epsilon, low=0)
    facts = Facts(mechanism)
    if not facts.pair_tables:
        rule = "must have a finite table: it has no pair tables"
        raise ParameterError(mechanism.name, rule, type(mechanism.table).__name__)
    point = exact_point(mechanism, values)
    rows = [
        [(atom.mass, atom.mass2) for atom in facts.loss(position)]
        for position in range(len(facts.pair_tables))
    ]
    generator = mechanism.generator

    margin = arb(2) ** -43

    def delta() -> arb:
        balls = {symbol: ball(Fraction(int(v.p), int(v.q))) for symbol, v in point.items()}
        if generator.eps is not None and generator.eps in balls:
            balls[generator.symbol] = (balls[generator.eps] / generator.root).exp()
        level = ball(exact).exp()
        worst = arb(0)
        for table in rows:
            total = arb(0)
            for mass, mass2 in table:
                gap = _value(mass, balls) - level * _value(mass2, balls)
                total += gap.max(arb(0))
            worst = worst.max(total)
        return worst + margin  # equal sides leave a ball around 0, which no precision decides

    return min(1.0, above(delta))


def _value(expression: Any, point: Mapping[Any, arb]) -> arb:
    """A rational expression in balls, by a walk over its tree."""
    if expression.is_Rational:
        return ball(Fraction(int(expression.p), int(expression.q)))
    if expression.is_Symbol:
        return point[expression]
    if expression.is_Add:
        return sum((_value(term, point) for term in expression.args), arb(0))
    if expression.is_Mul:
        return math.prod((_value(factor, point) for factor in expression.args), start=arb(1))
    base, exponent = _value(expression.base, point), expression.exp
    return base ** (int(exponent) if exponent.is_Integer else _value(exponent, point))
