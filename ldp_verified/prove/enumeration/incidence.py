"""The blocks of subsets, matrices over finite fields and Hadamard matrices, listed one by one.

Written from what the structures say of themselves, with none of the class counts and none of the
kernels' arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, count, product
from math import comb
from operator import mul
from typing import Any

from ldp_verified.language.structures import (
    HadamardBlocks,
    HadamardSigns,
    HashedOneHot,
    HashedSigns,
    Hyperplanes,
    LinearBlocks,
    Subsets,
)
from ldp_verified.prove.enumeration.exact_values import NoStructureError

Listed = tuple[frozenset[int], int, Any]
"""(block, how many outputs give it, the first of them)."""

Sizes = Mapping[str, int]
"""Values of a structure's `sizes`, by the names that they have there."""

Incidence = Subsets | HadamardBlocks | HadamardSigns | HashedSigns | Hyperplanes | LinearBlocks


def counted(structure: Incidence | HashedOneHot, sizes: Sizes) -> int:
    """The number that the sizes determine: of subsets, rows of the matrix, vectors, functions."""
    if isinstance(structure, HashedOneHot | HashedSigns):
        return int(sizes["buckets"] ** _digits(sizes))
    if isinstance(structure, LinearBlocks):
        g = sizes["g"]
        return int(next(g**m for m in count(1) if g**m >= sizes["k"]))
    if isinstance(structure, Subsets):
        return comb(sizes["k"], sizes["omega"])
    if isinstance(structure, Hyperplanes):
        q = sizes["prime"]
        return int(next(q**t for t in count(2) if sum(q**m for m in range(t)) >= sizes["k"]))
    order = 1
    while order < sizes["k"] + isinstance(structure, HadamardBlocks):
        order *= 2
    return order


def outputs(structure: Incidence, sizes: Sizes) -> int:
    """Return how many outputs there are."""
    number = counted(structure, sizes)
    if isinstance(structure, Hyperplanes):
        return (number - 1) // (sizes["prime"] - 1)
    if isinstance(structure, LinearBlocks):
        return number * sizes["g"]
    if isinstance(structure, HashedSigns):
        return 2 * number * sizes["buckets"]
    return 2 * number if isinstance(structure, HadamardSigns) else number


def listed(structure: Incidence, sizes: Sizes) -> Iterator[Listed]:
    """Every output's block.

    An output is a tuple of values, a column, a column and a sign, (q, coordinates of a point),
    (coordinates of a function, its bucket and g), or (buckets of the values, row, sign).
    """
    k = sizes["k"]
    if isinstance(structure, HashedSigns):
        matrix = _sylvester(sizes["buckets"])
        for hashes in functions(sizes):
            for row, sign in product(range(len(matrix)), (1, -1)):
                held = frozenset(x for x in range(k) if matrix[row][hashes[x]] == sign)
                yield held, 1, (hashes, row, sign)
        return
    if isinstance(structure, LinearBlocks):
        g = sizes["g"]
        length = next(m for m in count(1) if g**m >= k)
        vectors = list(product(range(g), repeat=length))
        for a in vectors:
            products = [sum(map(mul, a, x)) % g for x in vectors[:k]]
            for b in range(g):
                yield frozenset(x for x in range(k) if products[x] == b), 1, (a, b, g)
        return
    if isinstance(structure, Hyperplanes):
        points = _points(sizes["prime"], outputs(structure, sizes))
        for y in points:
            block = (x for x in range(k) if sum(map(mul, points[x], y)) % sizes["prime"] == 0)
            yield frozenset(block), 1, (sizes["prime"], y)
        return
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


def functions(sizes: Sizes) -> Iterator[tuple[int, ...]]:
    """The buckets of all values, for every function of the digit family, as often as it occurs."""
    k, g = sizes["k"], sizes["buckets"]
    base = next(d for d in range(2, g + 1) if g % d == 0)
    digits = _digits(sizes)
    written = [[x // base**i % base for i in range(digits)] for x in range(k)]
    for a in product(range(g), repeat=digits):
        yield tuple(sum(map(mul, a, digit)) % g for digit in written)


def _digits(sizes: Sizes) -> int:
    """Return how many digits write a value, in base the smallest prime factor of the buckets."""
    k, g = sizes["k"], sizes["buckets"]
    if g < 2:
        raise NoStructureError("buckets", "must be at least 2", g)
    base = next(d for d in range(2, g + 1) if g % d == 0)
    return next(m for m in count(1) if base**m >= k)


def _points(q: int, number: int) -> list[tuple[int, ...]]:
    """The points in their order, coordinates of all vectors being of one length."""
    length = next(t for t in count(1) if q**t > number * (q - 1))
    return [v for v in product(range(q), repeat=length) if [*filter(None, v)][:1] == [1]]


def _sylvester(order: int) -> list[list[int]]:
    """The matrix by doubling: [[H, H], [H, -H]]."""
    rows = [[1]]
    while len(rows) < order:
        rows = [row + row for row in rows] + [row + [-sign for sign in row] for row in rows]
    return rows


def contains(structure: Incidence, y: Any, x: int) -> bool:
    """Return whether the block of output y holds x, without any list: a second opinion."""
    if isinstance(structure, Subsets):
        return bool(x in y)
    if isinstance(structure, HadamardBlocks):
        return bool(((x + 1) & y).bit_count() % 2 == 0)
    if isinstance(structure, HashedSigns):
        hashes, row, wanted = y
        return bool((-1) ** (row & hashes[x]).bit_count() == wanted)
    if isinstance(structure, LinearBlocks):
        a, b, g = y
        return bool(sum(c * (x // g**i % g) for i, c in enumerate(reversed(a))) % g == b)
    if isinstance(structure, Hyperplanes):
        q, point = y
        digits = 0
        while (q ** (digits + 1) - 1) // (q - 1) <= x:
            digits += 1
        rest = x - (q**digits - 1) // (q - 1) + q**digits  # its base-q digits are x's coordinates
        return bool(sum(c * (rest // q**i % q) for i, c in enumerate(reversed(point))) % q == 0)
    column, sign = y
    return bool((-1) ** (x & column).bit_count() == sign)
