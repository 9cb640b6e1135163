"""Find by differentiating where the variance at a given share is smallest.

Over a parameter, or over the cells of a one-hot table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy

from ldp_verified.derive.estimator import NoEstimator, estimator, variance
from ldp_verified.derive.rational import sample_points, simple
from ldp_verified.language import Bits, Domain, Form, Mechanism, OneHot, f, n


def _variance_at(form: Form, at_f: Any) -> Any:
    found = estimator(form)
    if isinstance(found, NoEstimator):
        return None
    total = variance(found, form)
    return None if total is None else simple((total / n).subs(f, at_f))


def _critical(value: Any, symbol: Any) -> list[Any]:
    numerator = sympy.fraction(simple(sympy.diff(value, symbol)))[0]
    found: list[Any] = []
    for factor, _ in sympy.factor_list(numerator)[1]:
        if factor.has(symbol) and sympy.degree(factor, symbol) <= 2:
            found += sympy.solve(factor, symbol)
    return found


def _inside(domain: Domain, candidate: Any, point: Mapping[Any, Any]) -> bool:
    """Return if the candidate lies in the domain's real interval, given the other parameters."""
    interval = replace(domain, integer=False)
    return interval.contains(candidate.subs(point), dict(point))


def optimal_parameters(mechanism: Mechanism, at_f: Any = 0) -> dict[Any, Any]:
    """Parameter -> the real value at which the variance at share `at_f` is smallest.

    The value lies inside the parameter's domain; a parameter without one such point is left out.
    The parameter through which epsilon enters is not varied.
    """
    best: dict[Any, Any] = {}
    if not mechanism.variables.keys() - {mechanism.generator.symbol}:
        return best
    value = _variance_at(mechanism.algebraic_table, sympy.sympify(at_f))
    if value is None:
        return best
    points = sample_points(mechanism.variables)
    for symbol, domain in mechanism.variables.items():
        if symbol == mechanism.generator.symbol or not value.has(symbol):
            continue
        for candidate in _critical(value, symbol):
            real = [p for p in points if candidate.subs(p).is_real]
            if real and all(
                _inside(domain, candidate, p)
                and (value.subs(symbol, candidate) - value).subs(p) <= 0
                for p in real
            ):
                best[symbol] = simple(candidate)
    return best


def optimal_cells(mechanism: Mechanism, at_f: Any = 0) -> dict[str, Any] | None:
    """Cells one and zero of smallest variance at share `at_f` at the tight ratio of this table.

    Among all one-hot tables with that ratio. Tightness fixes `one` as a function of `zero`; the
    critical points in `zero` are solved for. None for other forms, or where no point is found.
    """
    form = mechanism.algebraic_table
    if not isinstance(form, Bits) or not isinstance(form.encoder, OneHot):
        return None
    if simple(form.zero * (1 - form.one)) == 0:
        return None
    ratio = simple(form.one * (1 - form.zero) / (form.zero * (1 - form.one)))
    one, zero, level = sympy.Symbol("one"), sympy.Symbol("zero"), sympy.Symbol("level")
    tight = one * (1 - zero) - level * zero * (1 - one)
    (as_function,) = sympy.solve(tight, one)
    value = _variance_at(Bits(as_function, zero, form.encoder), sympy.sympify(at_f))
    for candidate in _critical(value, zero):
        point = {level: sympy.Rational(7, 2)}
        position = candidate.subs(point)
        if not (position.is_real and 0 < position < 1):
            continue
        here = value.subs(zero, candidate).subs(point)
        others = (value.subs(point).subs(zero, sympy.Rational(i, 16)) for i in range(1, 16))
        if all(here <= other for other in others):
            return {
                "one": simple(as_function.subs(zero, candidate).subs(level, ratio)),
                "zero": simple(candidate.subs(level, ratio)),
            }
    return None
