"""Designs whose stated counts are right at every size that is enumerated, and wrong beyond.

A count that is off by a product that vanishes up to a size passes certificate, solver and
enumeration; what rests on it must not be proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.language import (
    LDP,
    Claim,
    Design,
    HashBlocks,
    Mechanism,
    Singletons,
    Subsets,
    Unbiased,
    exp,
    integer,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
g = integer("g", at_least=2)
M = integer("M", at_least=1)
u = exp(eps)


def late(symbol: Any, first: int, last: int) -> Any:
    """0 at first, ..., last, and close to 1 soon beyond."""
    product = sympy.prod([symbol - i for i in range(first, last + 1)])
    return product / (product + 1) if (last - first) % 2 == 0 else product**2 / (product**2 + 1)


@dataclass(frozen=True)
class Late:
    """A mechanism with a wrong count.

    Attributes:
        mechanism: the declaration. largest: up to which size it is right. symbol: the size.
        sees: whether a size at which it is wrong can be written out.
    """

    mechanism: Mechanism
    largest: int
    symbol: str
    sees: bool = True


def _singletons(name: str, **changes: Any) -> Mechanism:
    fields: dict[str, Any] = {
        "blocks": k,
        "containing": 1,
        "together": 0,
        "inside": u / (u + k - 1),
        "outside": 1 / (u + k - 1),
        "structure": Singletons(k),
    }
    table = Design(**(fields | changes))
    claims: list[Claim] = [LDP(eps, tight=True), Unbiased()]
    return Mechanism(name, parameters=[eps, k], table=table, claims=claims)


def _hashing(name: str, together: Any) -> Mechanism:
    p, q = u / (u + g - 1) / M, 1 / (u + g - 1) / M
    table = Design(M * g, M, together, p, q, HashBlocks(k, g, M))
    claims: list[Claim] = [LDP(eps, tight=True), Unbiased()]
    return Mechanism(name, parameters=[eps, k, g, M], table=table, claims=claims)


def _subsets(name: str) -> Mechanism:
    omega = integer("omega", at_least=1, at_most=k - 1)
    total = omega * u + k - omega
    together = M * omega * (omega - 1) / (k * (k - 1)) * (1 - late(k, 2, 8))
    p, q = k * u / total / M, k / total / M
    table = Design(M, M * omega / k, together, p, q, Subsets(values=k, size=omega, subsets=M))
    claims: list[Claim] = [LDP(eps, tight=True), Unbiased()]
    return Mechanism(name, parameters=[eps, k, omega, M], table=table, claims=claims)


LATE = (
    # The one of the report: lambda is 0 for k <= 8 and about 1 from k = 9 on.
    Late(_singletons("late_lambda", together=late(k, 2, 8)), 8, "k"),
    # Relatives: more blocks than there are, from k = 9 on; and functions that collide too seldom.
    Late(_singletons("late_blocks", blocks=k + late(k, 2, 8)), 8, "k"),
    Late(_hashing("late_collisions", M / g * (1 - late(g, 2, 4))), 4, "g"),
    # Rational functions of degree 50 in four variables.
    Late(_subsets("late_pairs"), 8, "k"),
)
