"""The realized tables of subsets, columns, signs, points and cohorts, in the plainest way.

Nothing here comes from `ldp_verified`: Hadamard matrices are doubled, points are listed.
"""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Report = tuple[int, ...]
Table = dict[Report, Fraction]


def coin(holding: Sequence[Report], others: Sequence[Report], deny: int, width: int) -> Table:
    """Uniform over `others` with probability deny / 2^width, else over `holding`."""
    denied = Fraction(deny, 2**width)
    table = {report: (1 - denied) / len(holding) for report in holding}
    return table | {report: denied / len(others) for report in others}


def subsets(x: int, k: int, omega: int, deny: int, width: int) -> Table:
    """Sets of omega values as one number."""
    sets = list(itertools.combinations(range(k), omega))
    code = {chosen: (sum(2**v for v in chosen),) for chosen in sets}
    holding = [code[chosen] for chosen in sets if x in chosen]
    return coin(holding, [code[chosen] for chosen in sets if x not in chosen], deny, width)


@functools.cache
def sylvester(least: int) -> tuple[tuple[int, ...], ...]:
    """The first Hadamard matrix of at least so many rows, by doubling."""
    rows: tuple[tuple[int, ...], ...] = ((1,),)
    while len(rows) < least:
        rows = (*(r + r for r in rows), *(r + tuple(-s for s in r) for r in rows))
    return rows


def columns(x: int, k: int, deny: int, width: int) -> Table:
    """Columns in which row x + 1 is +1, or -1."""
    row = sylvester(k + 1)[x + 1]
    holding = [(y,) for y, sign in enumerate(row) if sign == 1]
    return coin(holding, [(y,) for y, sign in enumerate(row) if sign == -1], deny, width)


def signs(x: int, k: int, deny: int, width: int) -> Table:
    """A uniform column, and its sign in row x or the other one."""
    row = sylvester(k)[x]
    holding = [(2 * j + (sign == -1),) for j, sign in enumerate(row)]
    return coin(holding, [(2 * j + (sign == 1),) for j, sign in enumerate(row)], deny, width)


@functools.cache
def points(prime: int, least: int) -> tuple[tuple[int, ...], ...]:
    """The points of the first space with at least so many, in ascending order."""
    for length in itertools.count(2):
        vectors = itertools.product(range(prime), repeat=length)
        found = tuple(v for v in vectors if any(v) and next(filter(None, v)) == 1)
        if len(found) >= least:
            return found
    raise AssertionError


def hyperplane(x: int, k: int, prime: int, deny: int, width: int) -> Table:
    """Points orthogonal to point x, or not."""
    everything = points(prime, k)
    own = everything[x]
    products = [sum(a * b for a, b in zip(own, y, strict=True)) % prime for y in everything]
    holding = [(i,) for i, product in enumerate(products) if product == 0]
    return coin(holding, [(i,) for i, product in enumerate(products) if product], deny, width)


def blocks(x: int, k: int, prime: int, t: int, blocks: int, deny: int, width: int) -> Table:
    """Points of several spaces, orthogonal to that of x and in its block, or not."""
    every = points(prime, (prime**t - 1) // (prime - 1))
    size = -(-k // blocks)
    own = every[x % size]
    holding: list[Report] = []
    others: list[Report] = []
    for block, (number, y) in itertools.product(range(blocks), enumerate(every)):
        met = sum(a * b for a, b in zip(own, y, strict=True)) % prime == 0
        group = holding if met and block == x // size else others
        group.append((block * len(every) + number,))
    return coin(holding, others, deny, width)


def cohorts(x: int, k: int, g: int, lie: int, width: int) -> Table:
    """A uniform function, then the bucket of x or another one."""
    m = next(m for m in itertools.count(1) if g**m >= k)
    q = Fraction(lie, 2**width)
    table: Table = {}
    for a in range(g**m):
        truth = sum((a // g**i % g) * (x // g**i % g) for i in range(m)) % g
        for b in range(g):
            mass = 1 - (g - 1) * q if b == truth else q
            if mass:
                table[a * g + b,] = mass / g**m
    return table
