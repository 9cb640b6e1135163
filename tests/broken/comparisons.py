"""Comparisons with tables that are none, or that are alike in every pair and differ as a whole."""

from __future__ import annotations

from itertools import product
from typing import Any

from ldp_verified.language import (
    BetterThan,
    Blocks,
    Density,
    Design,
    HashBlocks,
    Matrix,
    Mechanism,
    Piece,
    Rational,
    SameTable,
    Singletons,
    SmallerWorst,
    exp,
    integer,
    real,
)
from tests.broken.counts import late

eps = real("eps", above=0)
k = integer("k", at_least=2)
g = integer("g", at_least=2)
M = integer("M", at_least=1)
x = real("x", at_least=-1, at_most=1)
u = exp(eps)


def _grr(**changes: Any) -> Design:
    fields: dict[str, Any] = {
        "blocks": k,
        "containing": 1,
        "together": 0,
        "inside": u / (u + k - 1),
        "outside": 1 / (u + k - 1),
        "structure": Singletons(k),
    }
    return Design(**(fields | changes))


def _beside(table: Any, other: Any, claim: Any, *parameters: Any) -> Mechanism:
    declared = [*parameters] or [eps]
    compared = Mechanism("other", parameters=declared, table=other)
    return Mechanism("this", parameters=declared, table=table, claims=[claim(compared)])


FANO = [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}]
TURNED = [{(0, 1, 2, 3, 4, 6, 5)[point] for point in line} for line in FANO]


def _lines(other: Any) -> Design:
    return Design(14, 6, 2, u / (6 * u + 8), 1 / (6 * u + 8), Blocks(7, [*FANO, *other]))


WORDS = [*product((0, 1), repeat=3)]
EVEN = [word for word in WORDS if sum(word) % 2 == 0] * 2


def _letters(words: Any) -> Matrix:
    rows = [[(u if word[i] else 1) / (4 * (u + 1)) for word in words] for i in range(3)]
    return Matrix(rows, outputs=[f"y{i}" for i in range(8)])


NOT_THE_SAME = {
    # Every two lines meet as often; which three do is another matter.
    "two Fano planes": _beside(_lines(FANO), _lines(TURNED), SameTable),
    "even words": _beside(_letters(WORDS), _letters(EVEN), SameTable),
    "counts of another structure": _beside(
        _grr(), _grr(structure=HashBlocks(k, g, M)), SameTable, eps, k, g, M
    ),
}
"""Equal pair tables of tables that differ."""

RESTS_ON = {
    "a count that is wrong from k = 7 on": (
        _beside(_grr(), _grr(together=late(k, 2, 6)), BetterThan, eps, k),
        "class_counts of other",
    ),
    "probabilities that sum to 100": (
        _beside(
            Density(x, [Piece(-1, 1, Rational(1, 2))]),
            Density(x, [Piece(-1, 1, 50)]),
            lambda other: SmallerWorst(other, u > 1, at=0, other_at=0),
        ),
        "sums_to_one of other",
    ),
    "no structure": (
        _beside(_grr(), _grr(structure=None, values=k), BetterThan, eps, k),
        "",
    ),
}
"""(mechanism, what of the other table its comparison must not be stronger than)."""
