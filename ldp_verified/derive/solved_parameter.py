"""The parameter at which a mechanism has a wanted epsilon, where there is one such formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import sympy

from ldp_verified.derive.facts import Facts
from ldp_verified.derive.rational import in_epsilon, readable
from ldp_verified.language import LDP, Domain, Holds, Line, Mechanism, Parameter, Points, exp, real


@dataclass(frozen=True)
class SolvedParameter:
    """A parameter solved for, all others being given.

    Attributes:
        parameter: the first of the mechanism's own parameters that can be solved for.
        value: what it is at a wanted epsilon, in `level` and the other parameters.
        level: stands for e^epsilon.
        mechanism: the mechanism with the solution put in, whose parameter `eps` is claimed to be
            its tight epsilon, and the solution to belong to the parameter's domain. The claims are
            for the checkers; nothing is decided here.
    """

    parameter: Parameter
    value: Any
    level: Any
    mechanism: Mechanism

    @property
    def text(self) -> str:
        """The solution in eps, as a formula."""
        (eps,) = (p for p in self.mechanism.parameters if p.name == "eps")
        return f"{self.parameter} = {self.value.subs(self.level, exp(eps))}"


def solve_parameter(mechanism: Mechanism, facts: Facts | None = None) -> SolvedParameter | None:
    """Solve the tight ratio for one parameter.

    Args:
        mechanism: the mechanism. facts: its facts, where they are known.

    Returns:
        The solution; None where epsilon is a parameter already, where there is no finite tight
        ratio, where an epsilon is claimed that need not be tight, where it is linear in no
        parameter, where the solution leaves the domain for some epsilon, for a statement about
        another mechanism, and for a large `Matrix`.
    """
    if mechanism.generator.eps is not None or isinstance(mechanism.table, Line | Points):
        return None
    if not mechanism.runs or any(domain.also for domain in mechanism.domains.values()):
        return None
    if any(p.name == "eps" for p in mechanism.parameters):
        return None
    epsilons = [claim for claim in mechanism.claims if isinstance(claim, LDP)]
    if epsilons and not any(claim.tight for claim in epsilons):
        return None
    found = facts or Facts(mechanism)
    tight = found.tight
    if tight is None or tight.ratio == sympy.oo or found.large is not None:
        return None
    level = sympy.Symbol("L", positive=True)
    top, bottom = sympy.fraction(sympy.together(tight.ratio))
    for parameter in mechanism.parameters:
        if parameter.domain.integer or parameter not in tight.ratio.free_symbols:
            continue
        equation = sympy.Poly(top - level * bottom, parameter)
        if equation.degree() != 1:
            continue
        slope, rest = equation.all_coeffs()
        others = {p: p.domain for p in mechanism.parameters if p != parameter}
        inside = {**_without(others, parameter), level: Domain(lower=sympy.S.One, lower_open=True)}
        value = readable(-rest / slope, inside)
        if _leaves(parameter, value, level, inside):
            continue
        return SolvedParameter(parameter, value, level, _put_in(mechanism, parameter, value, level))
    return None


def _leaves(parameter: Parameter, value: Any, level: Any, inside: dict[Any, Domain]) -> bool:
    """Return whether the solution leaves the parameter's domain for some epsilon.

    Seen at a few values of the other parameters; there for every epsilon: the solution, a quotient
    of linear functions of the level, is monotone between its pole and the ends.
    """
    free = sorted(value.free_symbols - {level}, key=str)
    for distance in product(
        (sympy.Rational(1, 1000), sympy.S.One, sympy.Integer(10)), repeat=len(free)
    ):
        point: dict[Any, Any] = {}
        for symbol, step in zip(free, distance, strict=True):
            domain = inside[symbol]
            low = sympy.S.Zero if domain.lower is None else sympy.sympify(domain.lower)
            high = None if domain.upper is None else sympy.sympify(domain.upper)
            point[symbol] = low + step if high is None else low + (high - low) * step / 11
        here = sympy.cancel(value.subs(point))
        bottom = sympy.Poly(sympy.fraction(here)[1], level)
        if bottom.degree() > 0 and any(pole > 1 for pole in sympy.real_roots(bottom)):
            return True
        ends = (sympy.limit(here, level, 1, "+"), sympy.limit(here, level, sympy.oo))
        for found, (bound, sign) in product(
            ends, ((parameter.domain.lower, 1), (parameter.domain.upper, -1))
        ):
            if bound is None:
                continue
            gap = sign * (found - sympy.sympify(bound).subs(point))
            if gap.is_extended_negative:
                return True
    return False


def _without(domains: dict[Any, Domain], parameter: Parameter) -> dict[Any, Domain]:
    """The domains with the parameter's own bounds in its place: wider ones."""
    own = parameter.domain

    def moved(bound: Any, end: Any) -> Any:
        if parameter not in bound.free_symbols:
            return bound
        return None if end is None else bound.subs(parameter, end)

    def wide(domain: Domain) -> Domain:
        lower = _bounds(domain, lambda bound: moved(bound, own.lower)).lower
        upper = _bounds(domain, lambda bound: moved(bound, own.upper)).upper
        return replace(domain, lower=lower, upper=upper)

    return {symbol: wide(domain) for symbol, domain in domains.items()}


def _bounds(domain: Domain, change: Callable[[Any], Any]) -> Domain:
    """The domain with other bounds; one that has none keeps none."""
    lower, upper = (
        None if bound is None else change(sympy.sympify(bound))
        for bound in (domain.lower, domain.upper)
    )
    return replace(domain, lower=lower, upper=upper)


def _put_in(mechanism: Mechanism, parameter: Parameter, value: Any, level: Any) -> Mechanism:
    eps = real("eps", above=0)
    others = [p for p in mechanism.parameters if p != parameter]
    wide = _without({p: p.domain for p in others}, parameter)
    fresh: dict[Parameter, Parameter] = {}
    for p in others:  # a bound may have a parameter that stands before, and that is another now
        fresh[p] = Parameter(p.name, _bounds(wide[p], lambda bound: bound.subs(fresh)))
    solution = in_epsilon(mechanism, value).subs(level, exp(eps)).subs(fresh)

    def put(expression: Any) -> Any:
        return sympy.sympify(expression).subs(parameter, solution).subs(fresh)

    bounds = [
        *_inside(solution, parameter.domain, put),
        *(
            claim
            for p in others
            if any(
                bound is not None and parameter in sympy.sympify(bound).free_symbols
                for bound in (p.domain.lower, p.domain.upper)
            )
            for claim in _inside(fresh[p], p.domain, put)
        ),
    ]
    return Mechanism(
        f"{mechanism.name}_at_epsilon",
        parameters=[eps, *fresh.values()],
        table=mechanism.table.map(put),
        claims=[LDP(eps, tight=True), *bounds],
        origin=mechanism.origin,
    )


def _inside(value: Any, domain: Domain, put: Any) -> Iterator[Holds]:
    for bound, open_, below in (
        (domain.lower, domain.lower_open, True),
        (domain.upper, domain.upper_open, False),
    ):
        if bound is None:
            continue
        relation = sympy.StrictLessThan if open_ else sympy.LessThan
        ends = (put(bound), value) if below else (value, put(bound))
        yield Holds(relation(*ends, evaluate=False))
