"""The last look at a witness: does it lie in the domain that the spec declares?

This reads the declaration again, not the domains that every route was given: parameters as they
were declared, assumptions as they were written, and eps recovered from the generator. A witness
outside is a defect of this package, and nobody is shown it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy

from ldp_verified.errors import InternalError
from ldp_verified.language import Domain, Mechanism, f, n
from ldp_verified.language.balls import sign
from ldp_verified.prove.verdicts import Verdict, Witness

ROOT = re.compile(r"^(?:the )?root of (.+) between (\S+) and (\S+)$")
"""How an irrational parameter is written."""

OF_COUNTS = {
    n: Domain(lower=sympy.S.One, integer=True),
    f: Domain(lower=sympy.S.Zero, upper=sympy.S.One),
}
"""What claims about estimated counts are stated in."""


def require_inside(mechanism: Mechanism, verdicts: Iterable[Verdict]) -> None:
    """Look at every witness.

    Raises:
        InternalError: one lies outside the declared domain, or has no exact parameters.
    """
    for verdict in verdicts:
        if verdict.witness is not None:
            broken = outside(mechanism, verdict.witness)
            if broken is not None:
                where = ", ".join(f"{k} = {v}" for k, v in verdict.witness.parameters.items())
                raise InternalError(
                    mechanism.name,
                    f"a witness against {verdict.obligation} lies outside the declared domain "
                    f"({broken}): this is a defect of ldp_verified, please report it",
                    where,
                )


def outside(mechanism: Mechanism, witness: Witness) -> str | None:
    """Return the declared condition that the witness breaks; None where it lies in the domain."""
    symbols = {s.name: s for s in (*mechanism.parameters, *mechanism.variables, *OF_COUNTS)}
    point: dict[Any, Any] = {}
    for name, text in witness.parameters.items():
        if name not in symbols:
            continue  # An input, or another power of e^eps: the declaration bounds neither.
        root = ROOT.match(text)
        value = sympy.sympify(text) if root is None else _root(*root.groups())
        if symbols[name] == mechanism.generator.symbol:
            if value <= 0:
                return f"{name} = e^{mechanism.generator.eps} is not above 0"
            point[mechanism.generator.eps] = mechanism.generator.root * sympy.log(value)
        else:
            point[symbols[name]] = value
    for what, margin, strict in _conditions(mechanism, point):
        gap = margin.subs(point)
        if gap.free_symbols:
            continue  # It mentions what this witness does not say.
        found = _sign(sympy.expand_power_exp(gap))
        if found is None or found < 0 or (strict and found == 0):
            return what
    return None


def _root(polynomial: str, low: str, high: str) -> Any:
    """The root of a polynomial in one variable between two numbers.

    Raises:
        InternalError: there is none, or more than one.
    """
    ends = sympy.Rational(low), sympy.Rational(high)
    roots = [
        root
        for root in sympy.Poly(sympy.sympify(polynomial)).real_roots(multiple=False)
        if ends[0] <= root[0] <= ends[1]
    ]
    if len(roots) != 1:
        rule = f"a witness must name one root of {polynomial} between {low} and {high}"
        raise InternalError("witness", rule, len(roots))
    return roots[0][0]


def _sign(gap: Any) -> int | None:
    """The sign of a number, algebraic ones included; None where it cannot be told."""
    if not gap.is_algebraic or gap.is_Rational:
        return sign(gap)
    x = sympy.Symbol("x")
    return 0 if sympy.minimal_polynomial(gap, x) == x else int(sympy.sign(gap.evalf(50)))


def _conditions(mechanism: Mechanism, point: Mapping[Any, Any]) -> Iterator[tuple[str, Any, bool]]:
    """(in words, what must be >= 0, whether it must not be 0), as declared."""
    domains = {**{p: p.domain for p in mechanism.parameters}, **OF_COUNTS}
    for symbol, domain in domains.items():
        text = domain.describe(symbol.name)
        if domain.integer and symbol in point and not point[symbol].is_Integer:
            yield text, sympy.Integer(-1), True
        if domain.lower is not None:
            yield text, symbol - domain.lower, domain.lower_open
        if domain.upper is not None:
            yield text, domain.upper - symbol, domain.upper_open
    for relation in mechanism.assuming:
        is_open = isinstance(relation, sympy.Lt | sympy.Gt)
        yield str(relation), relation.gts - relation.lts, is_open
