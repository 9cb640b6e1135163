"""Bounds factor * e^exponent in parameters that the table itself is made of.

Where epsilon enters a table as e^eps only, e^eps is one variable and nothing else is needed. "The
table of 1/2 + g is g-LDP" is another kind of statement: g stands beside e^g, and no polynomial
decides which is larger. What is known of e^x then is an inequality
(`prove.certificates.obligations`), and at one point a ball (`prove.enumeration.privacy_checks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import sympy

from ldp_verified.language.claims import LDP
from ldp_verified.language.forms import Form, Line, Matrix
from ldp_verified.language.noise import Noise
from ldp_verified.language.points import Points
from ldp_verified.language.privacy import MetricLDP


@dataclass(frozen=True)
class ExponentialNumber:
    """The bound factor * e^exponent.

    Attributes:
        factor, exponent: rational functions of the parameters; the exponent is not 0.
    """

    factor: Any
    exponent: Any


def beside(table: Form, claim: Any) -> ExponentialNumber | None:
    """The bound of a claim whose epsilon is made of parameters that the table is made of, too.

    Args:
        table: as declared. claim: any claim.

    Returns:
        None where e^epsilon is a rational function of the parameters and of the e^eps of the table,
        and for claims with a delta, by distance or within a region.
    """
    if not isinstance(claim, LDP) or claim.delta != 0 or isinstance(table, Line | Points):
        return None
    powers: list[tuple[Any, Any]] = []
    others: list[tuple[Any, Any]] = []
    for part in sympy.Mul.make_args(sympy.powsimp(claim.ratio)):
        base, power = part.as_base_exp()
        (powers if base == sympy.E else others).append((part, power))
    exponent = sympy.expand(sympy.Add(*(power for _, power in powers)))
    factor = sympy.Mul(*(part for part, _ in others))
    if exponent == 0 or factor.has(sympy.exp, sympy.E):
        return None
    inside: set[Any] = set()
    outside: set[Any] = set()
    for _, cell in table.expressions():
        for power in cell.atoms(sympy.exp):
            inside |= power.free_symbols
        outside |= cell.replace(sympy.exp, lambda _: sympy.S.One).free_symbols
    used = exponent.free_symbols
    if used & inside or (used and not used & outside):
        return None
    return ExponentialNumber(factor, exponent)


def stated(table: Form, claim: Any) -> Iterator[tuple[str, Any]]:
    """(where it stands, expression) of a claim about a table.

    Each is a rational function of the parameters and of the table's e^eps, or an error.
    """
    bound = beside(table, claim)
    if bound is not None:
        yield "LDP.epsilon", bound.factor
        yield "LDP.epsilon", bound.exponent
    elif isinstance(table, Noise):
        yield from table.claim_expressions(claim)
    else:
        yield from claim.expressions()
    if isinstance(claim, MetricLDP) and isinstance(table, Matrix):
        # Each distance has a power of e^eps of its own.
        pairs = permutations(table.inputs, 2)
        ratios = dict.fromkeys(claim.ratio_between(*pair) for pair in pairs)
        yield from (("MetricLDP.distance", ratio) for ratio in ratios if ratio is not None)
