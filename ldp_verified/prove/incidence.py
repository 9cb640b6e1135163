"""The blocks of subset and Hadamard structures, listed one by one at given sizes.

Written from what the structures say of themselves, with none of the class counts and none of the
kernels' arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import comb
from typing import Any

from ldp_verified.language.structures import HadamardBlocks, HadamardSigns, Subsets

Listed = tuple[frozenset[int], int, Any]
"""(block, how many outputs give it, the first of them)."""

Sizes = Mapping[str, int]
"""Values of a structure's `sizes`, by the names that they have there."""

Incidence = Subsets | HadamardBlocks | HadamardSigns


def counted(structure: Incidence, sizes: Sizes) -> int:
    """The number that the sizes determine: how many subsets, the order of the matrix."""
    if isinstance(structure, Subsets):
        return comb(sizes["k"], sizes["omega"])
    order = 1
    while order < sizes["k"] + isinstance(structure, HadamardBlocks):
        order *= 2
    return order


def outputs(structure: Incidence, sizes: Sizes) -> int:
    """How many outputs there are."""
    number = counted(structure, sizes)
    return 2 * number if isinstance(structure, HadamardSigns) else number


def listed(structure: Incidence, sizes: Sizes) -> Iterator[Listed]:
    """Every output's block. An output is a tuple of values, a column, or a column and a sign."""
    k = sizes["k"]
    if isinstance(structure, Subsets):
        for subset in combinations(range(k), sizes["omega"]):
            yield frozenset(subset), 1, subset
        return
    rows = _sylvester(counted(structure, sizes))
    for j in range(len(rows)):
        if isinstance(structure, HadamardBlocks):
            yield frozenset(x for x in range(k) if rows[x + 1][j] == 1), 1, j
        else:
            for sign in (1, -1):
                yield frozenset(x for x in range(k) if rows[x][j] == sign), 1, (j, sign)


def _sylvester(order: int) -> list[list[int]]:
    """The matrix by doubling: [[H, H], [H, -H]]."""
    rows = [[1]]
    while len(rows) < order:
        rows = [row + row for row in rows] + [row + [-sign for sign in row] for row in rows]
    return rows


def contains(structure: Incidence, y: Any, x: int) -> bool:
    """Whether the block of output y holds x, without any list: a second opinion."""
    if isinstance(structure, Subsets):
        return x in y
    if isinstance(structure, HadamardBlocks):
        return ((x + 1) & y).bit_count() % 2 == 0
    column, sign = y
    return bool((-1) ** (x & column).bit_count() == sign)
