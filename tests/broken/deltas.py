"""Claims with delta about tables in which the outputs that count change, or that have zero cells.

True ones that one pattern of signs would narrow or refute, and false ones that it would let pass.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, exp

from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Matrix,
    Mechanism,
    OneHot,
    Singletons,
    integer,
    real,
)

half = Rational(1, 2)
a = real("a", at_least=0, at_most=half)
b = real("b", above=0, below=1)
eps = real("eps", above=0)
k = integer("k", at_least=2)
u, root = exp(eps), exp(eps / 2)

TURNING = Matrix([[a, half, half - a], [half - a, half, a]])
"""The first output counts for a > 1/4, the last for a < 1/4."""

GIVING_AWAY = Matrix([[1 - b, b, 0], [0, b, 1 - b]])
ONE_WAY = Matrix([[1, 0], [b, 1 - b]])
COIN = Matrix([[b, 1 - b], [1 - b, b]])
CONSTANT = Matrix([[half, half], [half, half]])
GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
OUE = Bits(half, 1 / (u + 1), OneHot(3))
TURNING_BITS = Bits(b, 1 - b, OneHot(2))
CYCLE = Matrix([[[a, half - a, half, 0, 0][(y - x) % 5] for y in range(5)] for x in range(5)])
"""Too large for pair tables: what counts is asked of pairs of cells."""


def _made(table: Any, *claims: LDP) -> Mechanism:
    symbols = {s for _, cell in table.expressions() for s in cell.free_symbols}
    symbols |= {s for claim in claims for _, v in claim.expressions() for s in v.free_symbols}
    used = [p for p in (a, b, eps, k) if p in symbols]
    return Mechanism("planted", parameters=used, table=table, claims=claims)


TRUE: dict[str, Mechanism] = {
    "the pattern changes at a = 1/4": _made(TURNING, LDP(0, delta=half)),
    "no one event is the worst": _made(COIN, LDP(eps, delta=b**2 + (1 - b) ** 2)),
    "everything is given away": _made(
        Matrix([[Integer(1), 0], [0, 1]]), LDP(0, delta=Integer(1), tight=True)
    ),
    "zero cells": _made(GIVING_AWAY, LDP(eps, delta=1 - b, tight=True)),
    "zero cells at any epsilon": _made(GIVING_AWAY, LDP(0, delta=1 - b, tight=True)),
    "x and x' swapped differ": _made(ONE_WAY, LDP(eps, delta=1 - b, tight=True)),
    "delta depends on eps": _made(GRR, LDP(eps / 2, delta=(u - root) / (u + k - 1), tight=True)),
    "bits": _made(OUE, LDP(0, delta=(u - 1) / (2 * (u + 1)), tight=True)),
    "bits whose order changes": _made(TURNING_BITS, LDP(0, delta=b**2 + (1 - b) ** 2)),
    "by column": _made(CYCLE, LDP(0, delta=Integer(1))),
}

FALSE: dict[str, Mechanism] = {
    "right on one side of a = 1/4 only": _made(TURNING, LDP(0, delta=a)),
    "right at the middle of the domain": _made(TURNING, LDP(0, delta=Rational(1, 10))),
    "zero cells, half the delta": _made(GIVING_AWAY, LDP(eps, delta=(1 - b) / 2)),
    "only x and x' swapped need it": _made(ONE_WAY, LDP(eps, delta=1 - u * b / (u * b + 1))),
    "a row reaches e^eps, no event reaches delta": _made(
        GRR, LDP(eps, delta=Rational(1, 10), tight=True)
    ),
    "below 0 in part, and nothing is needed": _made(CONSTANT, LDP(0, delta=a - Rational(1, 4))),
    "bits, half the delta": _made(OUE, LDP(0, delta=(u - 1) / (4 * (u + 1)))),
    "bits, one order only": _made(TURNING_BITS, LDP(0, delta=2 * b)),
    "by column, half the delta": _made(CYCLE, LDP(0, delta=half)),
}

BESIDE = _made(GIVING_AWAY, LDP(eps), LDP(eps, delta=1 - b))
"""The zero cells refute the first claim and not the second."""
