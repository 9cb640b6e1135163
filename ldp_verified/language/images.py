"""The domain of eps carried over to its generator u = e^(eps/q).

A bound log(3) becomes u <= 3, and for u = e^(eps/2) the condition u^2 <= 3. Where e^bound is
transcendental, u gets rational bounds that lie outside the true ones, so that a proof covers more
than was declared. A condition with a logarithm then says which points belong to the domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.balls import enclosure, sign
from ldp_verified.language.expressions import Generator
from ldp_verified.language.parameters import Condition, Domain

MOST_ROOT = 12
"""The highest power of u, or of a parameter, that a bound is written in: log(3)/12 is u^12 <= 3."""

WIDTH = Fraction(1, 1 << 40)
"""How far from the true bound, at most, a rational one may lie: this share of it."""


def image(generator: Generator, domains: Mapping[Any, Domain]) -> Domain:
    """The domain of the generator's symbol.

    Args:
        generator: e^(eps/q).
        domains: of every parameter, eps among them.

    Raises:
        SpecError: eps may be 0 or less, or a bound has no form in which the checkers can use it.
    """
    eps, domain = generator.eps, domains[generator.eps]
    if domain.integer or domain.lower is None:
        raise _refused(eps, domain, "must be declared above 0: real({!r}, above=0)")
    low, is_open = _extreme(domain.lower, domains, upper=False)
    least = None if low is None else sign(low)
    if least is None or least < 0:
        rule = "must be declared above 0: real({!r}, above=0); that its lower bound is not below 0 "
        raise _refused(eps, domain, rule + "is not seen")
    if least == 0 and not (domain.lower_open or is_open):
        raise _refused(eps, domain, "must exclude 0: above=0")
    found = Domain(lower=sympy.Integer(1), lower_open=True)
    for bound, upper in ((domain.lower, False), (domain.upper, True)):
        if bound is not None:
            found = _bounded(found, generator, domains, sympy.sympify(bound), upper=upper)
    return found


def enclosed(symbol: Any, domain: Domain) -> Domain:
    """The domain with rational bounds outside of those that are irrational numbers."""
    for bound, upper in ((domain.lower, False), (domain.upper, True)):
        if bound is None or bound.is_Rational or bound.free_symbols:
            continue
        is_open = domain.upper_open if upper else domain.lower_open
        end = enclosure(bound, WIDTH)[upper]
        margin = _polynomial_margin(symbol, domain, bound, end, upper=upper)
        if margin is None:
            margin = bound - symbol if upper else symbol - bound
        also = (*domain.also, Condition(symbol, margin, is_open))
        if upper:
            domain = replace(domain, upper=end, upper_open=not domain.integer, also=also)
        else:
            domain = replace(domain, lower=end, lower_open=not domain.integer, also=also)
    return domain


def _polynomial_margin(symbol: Any, domain: Domain, bound: Any, end: Any, *, upper: bool) -> Any:
    """A polynomial that is 0 at the bound, and above 0 inside of it up to the other bound.

    None where there is no such polynomial of a low degree, or the other bound is no number.
    """
    other = domain.lower if upper else domain.upper
    if not bound.is_algebraic or other is None or not sympy.sympify(other).is_Rational:
        return None
    least = sympy.minimal_polynomial(bound, symbol, polys=True)
    inside = least.eval(other)
    # Irreducible, so that it changes its sign at a root.
    if least.degree() > MOST_ROOT or inside == 0 or least.count_roots(*sorted([other, end])) != 1:
        return None
    return least.as_expr() if inside > 0 else -least.as_expr()


def _refused(eps: Any, domain: Domain, rule: str) -> SpecError:
    return SpecError(eps.name, rule.format(eps.name), domain.describe(eps.name))


def _bounded(
    found: Domain, generator: Generator, domains: Mapping[Any, Domain], bound: Any, *, upper: bool
) -> Domain:
    own = domains[generator.eps]
    is_open = own.upper_open if upper else own.lower_open
    known = {s for s in bound.free_symbols if s in domains}
    power, value = _rational_power(bound / generator.root)
    also = found.also
    if power == 1:
        return _with(found, value, is_open, also, upper=upper)
    margin = generator.root * sympy.log(generator.symbol) - bound
    if power is not None:
        margin = generator.symbol**power - value
    also = (*also, Condition(generator.symbol, -margin if upper else margin, is_open))
    if power is not None and known:
        return _with(found, None, False, also, upper=upper)
    end, _ = _extreme(bound, domains, upper=upper)
    if end is None:
        return _with(found, None, False, also, upper=upper)
    power, value = _rational_power(end / generator.root)
    if power == 1:  # The bound is below log(3), say: a closed end covers it.
        return _with(found, value, False, also, upper=upper)
    value = sympy.exp(end / generator.root)
    below, above = enclosure(value, _width(value))
    return _with(found, above if upper else below, True, also, upper=upper)


def _with(
    found: Domain, bound: Any, is_open: bool, also: tuple[Condition, ...], *, upper: bool
) -> Domain:
    low, low_open = (found.lower, found.lower_open)
    if upper:
        return Domain(low, bound, low_open, bound is not None and is_open, also=also)
    if bound is not None and bound != 1:
        low, low_open = bound, is_open
    return Domain(low, None, low_open, also=also)


def _width(value: Any) -> Fraction:
    """How wide an enclosure may be: small against the distance of the value from 1."""
    rough = enclosure(value, WIDTH)[0] - 1
    return WIDTH * Fraction(int(rough.p), int(rough.q)) if rough > 0 else WIDTH**4


def _rational_power(exponent: Any) -> tuple[int | None, Any]:
    """(m, r) with e^(m exponent) = r, a rational function with rational coefficients."""
    for power in range(1, MOST_ROOT + 1):
        value = sympy.expand_power_exp(sympy.exp(sympy.expand(power * exponent)))
        if Condition(None, value, False).rational:
            return power, value
    return None, None


def _extreme(bound: Any, domains: Mapping[Any, Domain], *, upper: bool) -> tuple[Any, bool]:
    """The supremum (infimum) of a bound over the box of its parameters; None where it has none.

    And whether it is known not to be attained.

    Raises:
        SpecError: the bound is neither linear in its parameters nor the logarithm of such a one.
    """
    value, is_open = sympy.expand(bound), False
    if isinstance(value, sympy.log):
        inner, is_open = _extreme(value.args[0], domains, upper=upper)
        if inner is not None and sign(inner) != 1:
            raise SpecError("domain", "a bound must be the logarithm of what is above 0", bound)
        return None if inner is None else sympy.log(inner), is_open
    while value.free_symbols:
        # Bounds mention earlier parameters only, so that the last one goes first.
        last = [symbol for symbol in domains if symbol in value.free_symbols][-1:]
        slope = value.coeff(last[0], 1) if last else value
        rest = sympy.expand(value - slope * last[0]) if last else value
        if not last or rest.has(last[0]) or slope.free_symbols:
            rule = "must be linear in other parameters, or the logarithm of what is"
            raise SpecError("bound of epsilon", rule, bound)
        rising = sign(slope) == 1
        domain = domains[last[0]]
        end = domain.upper if rising == upper else domain.lower
        if end is None:
            return None, False
        is_open = is_open or (domain.upper_open if rising == upper else domain.lower_open)
        value = sympy.expand(slope * sympy.sympify(end) + rest)
    return value, is_open
