"""Levels of a tree over ordered values: how many children its nodes have, and which are best.

Nodes of one level have equally many children. The leaves are the values, and a few more where the
number of values is no product of such numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ldp_verified.protocols.best_response import spread
from ldp_verified.run.aggregate.tree_fit import TreeFit, squares_of_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ldp_verified.run.realize.tables.table import RoundedTable

    Made = Callable[[int], RoundedTable]
    """The number of nodes -> the mechanism that counts them."""


def node_counts(fanouts: tuple[int, ...]) -> tuple[int, ...]:
    """The number of nodes of each level below the root."""
    return tuple(math.prod(fanouts[: level + 1]) for level in range(len(fanouts)))


def held_counts(k: int, nodes: tuple[int, ...]) -> tuple[int, ...]:
    """Count the nodes of each level that have a value below them: the first ones."""
    return tuple(-(-k // (nodes[-1] // count)) for count in nodes)


def spread_of_level(nodes: int, made: Made) -> float:
    """The variance that one user of a level adds to a node, less the covariance of two nodes.

    Users are evenly spread over the nodes. The noise of the report is counted, and that the users
    of a level are a sample of all.

    Args:
        nodes: of the level, with values below them. made: the mechanism of a level.
    """
    return spread(made(nodes)) + 1 / nodes


def mean_cost(k: int, fanouts: tuple[int, ...], made: Made) -> Fraction:
    """The mean variance over all ranges of values, of one user who is spread over the levels.

    Args:
        k: the number of values. fanouts: from the root down. made: the mechanism of a level.
    """
    nodes, count = node_counts(fanouts), len(fanouts)
    each = (Fraction(spread_of_level(held, made)) for held in held_counts(k, nodes))
    return TreeFit(nodes, tuple(count * variance for variance in each)).mean_variance_among(k)


class _Way(NamedTuple):
    """Levels from the leaves up to some size.

    Attributes:
        cost: the variance summed over all ranges, if there was no level above.
        row: the sum of a row of the covariance of the leaves below a node of the last level.
        sizes: the number of leaves of a node of each level, from the leaves' own 1 up.
    """

    cost: float
    row: float
    sizes: tuple[int, ...]


def best_fanouts(k: int, made: Made) -> tuple[int, ...]:
    """Return the fan-outs at which the mean variance over all ranges of values is least.

    Below the first level they are powers of two. All such trees are compared, by what `mean_cost`
    says of them. A level of variance v whose nodes have m leaves takes e^2/(v + m e) from the
    covariances of these (`TreeFit.steps`), which is more the larger e is. So of two ways to reach a
    level with as many levels below, one that costs no less and leaves no larger e is never best.

    Args:
        k: the number of values, 2 or more. made: the mechanism of a level.
    """
    sizes = [1 << b for b in range((k - 1).bit_length())]
    variance = {size: spread_of_level(-(-k // size), made) for size in sizes}
    squares = {size: float(squares_of_ranges(size, k)) for size in sizes}
    pairs = float(squares_of_ranges(1, k))
    ways = {1: [_Way(variance[1] * pairs, variance[1], (1,))]}
    best = math.inf
    found: tuple[int, ...] = (1,)
    for size in sizes:
        whole = -(-k // size) * size
        for way in ways.get(size, []):
            total = way.cost - way.row / whole * float(squares_of_ranges(whole, k))
            if len(way.sizes) * total < best:
                best, found = len(way.sizes) * total, way.sizes
            for larger in sizes[sizes.index(size) + 1 :]:
                v = variance[larger]
                below = v + larger * way.row
                more = _Way(
                    way.cost - way.row**2 / below * squares[larger],
                    way.row * v / below,
                    (*way.sizes, larger),
                )
                ways.setdefault(larger, []).append(more)
        for larger in sizes[sizes.index(size) + 1 :]:
            ways[larger] = _undominated(ways.get(larger, []))
    steps = [above // below for below, above in pairwise(found)]
    return (-(-k // found[-1]), *reversed(steps))


def _undominated(ways: Iterable[_Way]) -> list[_Way]:
    """Drop each way if another with as many levels has no larger cost and no smaller `row`.

    Of ways that are equal in both, one is kept.
    """
    kept: list[_Way] = []
    largest: dict[int, float] = {}
    for way in sorted(ways, key=lambda way: (way.cost, -way.row)):
        if way.row > largest.get(len(way.sizes), -1.0):
            largest[len(way.sizes)] = way.row
            kept.append(way)
    return kept
