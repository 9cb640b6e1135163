"""Inequalities in which eps and e^eps both occur, for every eps above 0, proved exactly.

Multiplied out, both sides differ by an exponential polynomial, a sum of P_i(eps) e^(i eps) with
rational coefficients. One step of the ladder: such a function is >= 0 from 0 on if it is >= 0 at 0
and its derivative is >= 0 from 0 on. Dividing by a power of e^eps changes no sign. Derivatives
lower the degree of the polynomial that stands alone, so after finitely many steps either every
coefficient is >= 0, which is plainly enough, or the ladder ends without an answer. It is exact
integer arithmetic; nobody's `simplify` is believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.check.claims import evaluate, exact_series
from ldp_verified.check.claims.rulings import Ruling, RulingKind, open_because, refuted
from ldp_verified.check.claims.wording import domain, formula
from ldp_verified.errors import SpecError
from ldp_verified.language import Parameter

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context

Terms = dict[tuple[int, int], Fraction]
"""(i, j) -> coefficient of eps^j e^(i eps)."""

MOST_STEPS = 64
POINTS = tuple(map(Fraction, ("1", "1/2", "2", "1/4", "4", "1/10", "8", "1/100", "16", "30")))
SHARES = tuple(map(Fraction, ("1/2", "1/4", "3/4", "9/10", "1/10", "99/100", "1/100")))
"""Where a counterexample is looked for: so far from the lower end, or between both."""


def derivative(terms: Terms) -> Terms:
    """The derivative by eps."""
    result: Terms = {}
    for (i, j), c in terms.items():
        for key, value in (((i, j), c * i), ((i, j - 1), c * j)):
            if value:
                total = result.get(key, Fraction(0)) + value
                result[key] = total
    return {key: value for key, value in result.items() if value}


def divided(terms: Terms) -> Terms:
    """The terms divided by the least power of e^eps."""
    least = min(i for i, _ in terms)
    return {(i - least, j): c for (i, j), c in terms.items()}


def steps(terms: Terms) -> int | None:
    """Return how many steps show that the function is >= 0 for all eps >= 0; None where none do."""
    current = terms
    for step in range(MOST_STEPS):
        if all(c >= 0 for c in current.values()):
            return step
        current = divided(current)
        if sum((c for (_, j), c in current.items() if j == 0), Fraction(0)) < 0:
            return None
        current = derivative(current)
    return None


def strict(terms: Terms) -> bool:
    """Return whether a function that `steps` shows to be >= 0 is > 0 for eps > 0.

    It is not decreasing after a step, so it is 0 on an interval or nowhere above 0; an exponential
    polynomial that is 0 on an interval has no terms.
    """
    return bool(terms)


def read(numerator: Any, eps: Any, generator: Any, scale: int) -> Terms:
    """A polynomial in eps and g = e^(eps/q), written in x = eps/q.

    Raises:
        SpecError: it is no such polynomial with rational coefficients.
    """
    poly = sympy.Poly(numerator, eps, generator)
    terms: Terms = {}
    for (j, i), c in poly.terms():
        if not c.is_Rational:
            raise SpecError("relation", "must have rational coefficients", c)
        terms[(i, j)] = Fraction(int(c.p), int(c.q)) * Fraction(scale) ** j
    return terms


@dataclass(frozen=True)
class Ladder:
    """An inequality in one parameter, which may occur in and outside of exponents.

    Attributes:
        relation: <=, <, >= or >, rational in the parameter and in e^(c parameter), c rational.
        parameter: its lower bound, a rational number, is where the ladder stands, or 0 below it
            where exponentials occur. An upper bound is used only in looking for counterexamples, so
            the proof is for all values above.
    """

    relation: Any
    parameter: Parameter

    def says(self) -> str:
        """The statement, rendered."""
        return f"{domain([self.parameter])}: {formula(self.relation)}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """Climb; where that fails look for a counterexample."""
        against = self._counterexample()
        if against is not None:
            return against
        climbed = self._climb()
        if climbed is None:
            return open_because(
                "no counterexample was found, and the ladder ends without an answer"
            )
        found, seen = climbed
        return Ruling(
            RulingKind.PROVED, ("ladder", "balls"), f"{found} derivatives; {seen} points agree"
        )

    def _points(self) -> list[Fraction]:
        """Exact values of the domain, those of its ends that belong to it first."""
        domain = self.parameter.domain
        low, high = (
            Fraction(int(bound.p), int(bound.q))
            if bound is not None and bound.is_Rational
            else None
            for bound in (domain.lower, domain.upper)
        )
        inner = [(low or Fraction(0)) + step for step in POINTS]
        if low is not None and high is not None:
            inner = [low + (high - low) * share for share in SHARES]
        elif domain.lower is None:
            inner += [-step for step in POINTS]
        ends = [end for end in (low, high) if end is not None]
        return [
            at
            for at in dict.fromkeys([*ends, *inner])
            if domain.contains(sympy.Rational(at.numerator, at.denominator))
        ]

    def _counterexample(self) -> Ruling | None:
        for at in self._points():
            point = {self.parameter: at}
            try:
                if evaluate.holds(self.relation, point):
                    continue
                again = exact_series.holds(self.relation, point)
            except (ArithmeticError, SpecError):
                continue  # nothing is decided there, as where something is divided by 0
            if again:
                raise ArithmeticError(f"balls and series disagree about {self.relation} at {at}")
            if again is None:
                continue
            left, right = self.relation.lhs, self.relation.rhs
            values = {
                "left": evaluate.decimal(left, point),
                "right": evaluate.decimal(right, point),
            }
            said = f"{left} {self.relation.rel_op} {right}"
            return refuted(
                ("balls", "series"),
                f"claimed {said}, found {values['left']} on the left and {values['right']} on the "
                "right",
                {self.parameter.name: at},
                dict(values),
            )
        return None

    def _at_the_end(self) -> bool:
        """Return whether the inequality is seen to hold at the lower end, or excludes that end."""
        domain = self.parameter.domain
        if domain.lower_open:
            return True
        low = Fraction(int(domain.lower.p), int(domain.lower.q))
        try:
            return evaluate.holds(self.relation, {self.parameter: low})
        except ArithmeticError:
            return False

    def _climb(self) -> tuple[int, int] | None:
        start = self.parameter.domain.lower
        if start is None or not start.is_Rational or not self._at_the_end():
            return None
        if self.relation.has(sympy.exp):
            # e to the power of another start is no rational number: more is shown, or nothing.
            if start < 0:
                return None
            start = sympy.S.Zero
        divisors = {
            part.base
            for part in sympy.preorder_traversal(self.relation)
            if part.is_Pow and part.exp.is_negative and part.free_symbols
        }
        if any(self._sign(divisor, start) is None for divisor in divisors):
            return None  # what is divided by may be 0 somewhere
        found = self._sign(self.relation.gts - self.relation.lts, start)
        if found is None or found[0] < 0:
            return None
        return found[1], len(self._points())

    def _sign(self, value: Any, start: Any) -> tuple[int, int] | None:
        """Return the sign of an expression above the start, and the steps; None if not shown."""
        x = sympy.Symbol("x_", positive=True)
        gap = value.subs(self.parameter, start + x)
        exponents = [e.args[0] for e in gap.atoms(sympy.exp)]
        slopes = [sympy.Poly(e, x).coeff_monomial(x) for e in exponents]
        scale = lcm(*(int(s.q) for s in slopes)) if slopes else 1
        g = sympy.Symbol("g_", positive=True)
        gap = sympy.expand_power_exp(sympy.powsimp(gap)).replace(
            sympy.exp,
            lambda e: (
                g ** (sympy.Poly(e, x).coeff_monomial(x) * scale)
                if sympy.Poly(e, x).coeff_monomial(1) == 0
                else sympy.nan
            ),
        )
        top, bottom = sympy.fraction(sympy.cancel(sympy.together(gap)))
        signs = []
        for side in (top, bottom):
            direct, other = read(side, x, g, scale), read(-side, x, g, scale)
            up, down = steps(direct), steps(other)
            if up is None and down is None:
                return None
            signs.append((1, up) if up is not None else (-1, down))
            if not strict(direct):
                return None
        return signs[0][0] * signs[1][0], max(signs[0][1] or 0, signs[1][1] or 0)
