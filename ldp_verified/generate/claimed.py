"""The epsilons that a spec claims besides that of its table, for objects to compare theirs with.

What is proved holds for every object. What somebody accepted unproved may fail at some parameters,
and an object there must not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.derive import simple
from ldp_verified.generate.arguments import refusal
from ldp_verified.generate.formulas import Function, function
from ldp_verified.language import LDP
from ldp_verified.language.exponents import beside

if TYPE_CHECKING:
    from ldp_verified.generate.arguments import Arguments
    from ldp_verified.language import Mechanism


@dataclass(frozen=True)
class Claimed:
    """Bounds factor * e^exponent on the largest ratio, as functions of the class.

    Attributes:
        sizes: the sizes that both take after t and the parameters.
        factors, exponents: the functions; no exponents where all are 0.
    """

    sizes: tuple[str, ...]
    factors: Function
    exponents: Function | None


def claimed(mechanism: Mechanism, given: Arguments, ratio: Any) -> Claimed | None:
    """Return the bounds that claims put on the ratio; None where each is plainly kept.

    Args:
        mechanism: the declaration. given: the arguments of its class.
        ratio: e^epsilon of the table; None where it has no closed form.

    Raises:
        SpecError: a bound mentions what the class does not know.
    """
    bounds = [
        _bound(mechanism, position, claim)
        for position, claim in enumerate(mechanism.claims)
        if isinstance(claim, LDP)
        and claim.delta == 0
        and (ratio is None or not _is(mechanism, claim, ratio))
    ]
    if not bounds:
        return None
    printed = [tuple(given.printed(value) for value in bound) for bound in bounds]
    used = {symbol for pair in printed for value in pair for symbol in value.free_symbols}
    known = {**given.sizes, **given.derived}
    sizes = tuple(name for name, size in known.items() if size in used)
    taken = [*given.points, *(known[name] for name in sizes)]
    unknown = used - {*taken}
    if unknown:
        rule = "it claims an epsilon in parameters that its table is not made of"
        raise refusal(mechanism, rule, sorted(map(str, unknown)))

    def made(name: str, place: int) -> Function:
        values = [pair[place] for pair in printed]
        return function(name, taken, values, given.points, given.domains)

    exponents = made("claimed_exponents", 1) if any(pair[1] != 0 for pair in printed) else None
    return Claimed(sizes, made("claimed_ratios", 0), exponents)


def _is(mechanism: Mechanism, claim: LDP, ratio: Any) -> bool:
    """Return whether a claim is plainly kept: the ratio by its formula, times a power of e^eps."""
    if beside(mechanism.table, claim) is not None:
        return False
    room = simple(mechanism.algebraic("claim", claim.ratio) / ratio)
    symbol = mechanism.generator.symbol
    if symbol is None or room == 1:
        return bool(room == 1)
    lower = mechanism.variables[symbol].lower
    base, power = room.as_base_exp()
    plain = base == symbol and power.is_Integer and power > 0
    return bool(plain and lower is not None and lower.is_number and lower >= 1)


def _bound(mechanism: Mechanism, position: int, claim: LDP) -> tuple[Any, Any]:
    """The factor and the exponent, in the variables of the algebraic table."""
    where = f"claims[{position}]"
    apart = beside(mechanism.table, claim)
    if apart is None:
        return mechanism.algebraic(where, claim.ratio), sympy.S.Zero
    return mechanism.algebraic(where, apart.factor), mechanism.algebraic(where, apart.exponent)
