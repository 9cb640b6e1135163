"""Assumptions between parameters: which become bounds, and which stay conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.balls import sign
from ldp_verified.language.expressions import check_digits
from ldp_verified.language.parameters import Condition, Domain, Parameter


def mentioned(domain: Domain) -> set[Any]:
    """The symbols in bounds and conditions."""
    parts = [domain.lower, domain.upper, *(c.margin for c in domain.also)]
    return {s for part in parts if part is not None for s in sympy.sympify(part).free_symbols}


def parts(relation: Any) -> tuple[Any, ...]:
    """The relations that an assumption consists of."""
    return relation.args if isinstance(relation, sympy.And) else (relation,)


def _is_tighter(old: Any, new: Any, is_open: bool, *, upper: bool) -> bool:
    """Return whether a bound that is a number replaces another one."""
    gap = sign(old - new if upper else new - old)
    return gap == 1 or (gap == 0 and is_open)


def _implied(own: Domain, other: Domain, is_open: bool, upper: bool) -> bool:
    """Return whether the own bound follows from a bound by another parameter.

    It does not where it is excluded and the other parameter reaches it.
    """
    ends = [(d.upper, d.upper_open) if upper else (d.lower, d.lower_open) for d in (own, other)]
    (old, excluded), (end, never) = ends
    return bool(old == end and (never or is_open or not excluded))


def narrowed(parameters: tuple[Parameter, ...], assuming: Sequence[Any]) -> dict[Parameter, Domain]:
    """The domain of every parameter after the assumptions.

    An assumption that bounds one parameter by an expression in earlier ones, where it has no bound
    of its own, becomes its bound; any other one a condition on the last of its parameters.
    """
    domains = {parameter: parameter.domain for parameter in parameters}
    order = {parameter: position for position, parameter in enumerate(parameters)}
    for position, relation in enumerate(assuming):
        where = f"assuming[{position}]"
        if isinstance(relation, bool) or relation in (sympy.true, sympy.false):
            raise SpecError(
                where,
                "collapsed before it got here, because the symbol's own domain decides it (or "
                "because of ==): state the bound where the parameter is declared, such as "
                'integer("k", at_least=1)',
                bool(relation),
            )
        if isinstance(relation, sympy.Basic):
            check_digits(where, relation)
        if not isinstance(relation, sympy.Lt | sympy.Le | sympy.Gt | sympy.Ge):
            raise SpecError(
                where,
                "must be <, <=, > or >= in the parameters; for a union of regions, declare one "
                "mechanism for each",
                relation,
            )
        is_open = isinstance(relation, sympy.Lt | sympy.Gt)
        small, large = relation.lts, relation.gts
        for symbol, bound, upper in ((large, small, False), (small, large, True)):
            if symbol in order and all(
                order.get(s, len(order)) < order[symbol] for s in bound.free_symbols
            ):
                old = domains[symbol].upper if upper else domains[symbol].lower
                other = domains.get(bound)
                implied = other is not None and _implied(domains[symbol], other, is_open, upper)
                numbers = old is not None and old.is_number and bound.is_number
                if numbers and not _is_tighter(old, bound, is_open, upper=upper):
                    break  # It says no more than the bound that is there.
                if old is None or implied or numbers:
                    change = (
                        {"upper": bound, "upper_open": is_open}
                        if upper
                        else {"lower": bound, "lower_open": is_open}
                    )
                    domains[symbol] = replace(domains[symbol], **change)
                    break
        else:
            among = [p for p in parameters if p in relation.free_symbols]
            if not among:
                raise SpecError(where, "must mention a declared parameter", relation)
            domain, margin = domains[among[-1]], large - small
            condition = Condition(among[-1], margin, is_open)
            domains[among[-1]] = replace(domain, also=(*domain.also, condition))
    return domains
