"""Cubic expander graphs, made of public text, and the clusters that they hold together.

A graph here is three perfect matchings of an even number of places: edge i of a place leads to its
partner in matching i. A random one has a second eigenvalue near 2 sqrt(2), the least that large
cubic graphs have (Friedman 2003, A Proof of Alon's Second Eigenvalue Conjecture). Of graphs with a
few dozen places that gap alone says little: two places may still cut off six. So what hangs
together without a few places is looked at for all choices of these.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

DEGREE: Final = 3
FEWEST: Final = 4
"""Places, at least: three partners and the place itself."""

LARGEST_EIGENVALUE: Final = 2.9
"""The most that the second largest eigenvalue of the adjacency matrix may be.

It is 2 sqrt(2) = 2.83 and some room; a graph in two parts has 3.
"""


@lru_cache(maxsize=64)
def cubic_expander(places: int, text: bytes, wrong: int = 0) -> Ints:
    """The graph that a public text makes: the first random one that expands, and holds together.

    Args:
        places: an even number, 4 or more. text: public, fixed before anybody reports.
        wrong: so many places may be taken away: see `holds_without`.

    Returns:
        int64 (3, places), the partner of each place in each matching; not to be written to.

    Raises:
        ParameterError: none of 1,000 random graphs is one.
    """
    for attempt in range(1000):
        partners = np.empty((DEGREE, places), dtype=np.int64)
        for edge in range(DEGREE):
            name = b"ldp_verified expander %d %d %d " % (places, attempt, edge) + text
            drawn = np.frombuffer(hashlib.shake_128(name).digest(8 * places), dtype="<u8")
            pairs = np.argsort(drawn, kind="stable").reshape(-1, 2)
            partners[edge, pairs] = pairs[:, ::-1]
        if expands(partners) and holds_without(partners, wrong):
            partners.setflags(write=False)
            return partners
    raise ParameterError("places", "must have a cubic expander among 1,000 random graphs", places)


def expands(partners: Ints) -> bool:
    """Return whether a graph is of perfect matchings without a common pair, with a spectral gap.

    Args:
        partners: int64 (3, places).
    """
    places = np.arange(partners.shape[1])
    for edge, partner in enumerate(partners):
        if np.any(partner == places) or np.any(partner[partner] != places):
            return False
        if any(np.any(partner == other) for other in partners[:edge]):
            return False
    matrix = np.zeros((len(places), len(places)))
    for partner in partners:
        matrix[places, partner] = 1
    # Also the least eigenvalue counts in the theory; for what hangs together the largest does.
    return bool(np.linalg.eigvalsh(matrix)[-2] <= LARGEST_EIGENVALUE)


def holds_without(partners: Ints, wrong: int) -> bool:
    """Return whether up to so many places, whichever they are, cut off no more others.

    What is cut off is all but the largest part of what is left.

    Args:
        partners: int64 (3, places). wrong: places that are taken away, fewer than a quarter.
    """
    places = partners.shape[1]
    for number in range(1, min(wrong, places // 4) + 1):
        taken = np.array(list(combinations(range(places), number)), dtype=np.int64)
        left = np.ones((places, len(taken)), dtype=np.bool_)
        left[taken, np.arange(len(taken))[:, None]] = False
        cut_off = np.zeros(len(taken), dtype=np.int64)
        while left.size:
            reached = _reached(left, partners)
            size = reached.sum(axis=0)
            rest = left.sum(axis=0) - size
            small = size < rest
            if np.any(cut_off + np.minimum(size, rest) > number):
                return False
            left, cut_off = (left & ~reached)[:, small], (cut_off + size)[small]
    return True


def _reached(left: NDArray[np.bool_], partners: Ints) -> NDArray[np.bool_]:
    """Mark what hangs together with the first place that is left, by column; places are rows."""
    first = np.zeros_like(left)
    first[left.argmax(axis=0), np.arange(left.shape[1])] = True
    found, inside = np.packbits(first, axis=1), np.packbits(left, axis=1)
    before = None
    while before is None or not np.array_equal(found, before):
        before = found.copy()
        for place, own in enumerate(partners.T):
            found[place] |= (found[own[0]] | found[own[1]] | found[own[2]]) & inside[place]
    unpacked = np.unpackbits(found, axis=1, count=left.shape[1])
    return unpacked.astype(np.bool_)


def clusters(vertices: Ints, edges: Ints, places: Ints, fewest: int) -> Iterator[Ints]:
    """Sets of vertices that hang together and have at most one vertex at each place.

    Of two vertices at one place, one that hangs by a single edge goes. If three quarters of the
    places have one vertex, those with more are left out: they are wrong ones. Else what hangs
    together by a few edges only is cut by the eigenvector of the smallest eigenvalue of its
    Laplacian but 0, at the threshold of least conductance, until each place has one vertex.

    Args:
        vertices: int64 (n,), numbers of vertices. edges: int64 (m, 2), pairs of these.
        places: int64, the place of each number. fewest: vertices of a cluster, at least.

    Yields:
        int64 (size,), the vertices of a cluster.
    """
    waiting = list(_parts(vertices, edges))
    while waiting:
        own, inner = waiting.pop()
        if len(own) < fewest:
            continue
        if len(np.unique(places[own])) == len(own):
            yield own
            continue
        degrees = np.bincount(inner.reshape(-1), minlength=len(places))[own]
        alone = np.bincount(places[own])[places[own]] == 1
        side = alone | (degrees > 1)
        halves = [own[side]]
        if side.all() and 2 * np.count_nonzero(alone) >= 3 * fewest:
            halves = [own[alone]]
        elif side.all():
            side = _cut(own, inner)
            halves = [own[side], own[~side]]
        for half in halves:
            kept = inner[np.isin(inner, half).all(axis=1)]
            waiting.extend(_parts(half, kept))


def _parts(vertices: Ints, edges: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The connected components, each with its edges."""
    neighbours: dict[int, list[int]] = {int(vertex): [] for vertex in vertices}
    for one, other in edges.tolist():
        neighbours[one].append(other)
        neighbours[other].append(one)
    seen: set[int] = set()
    for vertex in neighbours:
        if vertex in seen:
            continue
        reached, waiting = {vertex}, [vertex]
        while waiting:
            more = [each for each in neighbours[waiting.pop()] if each not in reached]
            reached.update(more)
            waiting.extend(more)
        seen |= reached
        own = np.array(sorted(reached), dtype=np.int64)
        yield own, edges[np.isin(edges[:, 0], own)] if len(edges) else edges


def _cut(own: Ints, edges: Ints) -> NDArray[np.bool_]:
    """One side of the sweep cut of least conductance; neither side is empty."""
    ends = np.searchsorted(own, edges)
    matrix = np.zeros((len(own), len(own)))
    matrix[ends[:, 0], ends[:, 1]] = matrix[ends[:, 1], ends[:, 0]] = 1
    degrees = matrix.sum(axis=1)
    vector = np.linalg.eigh(np.diag(degrees) - matrix)[1][:, 1]
    order = np.argsort(vector, kind="stable")
    inside = np.cumsum(degrees[order])[:-1]
    sorted_matrix = matrix[np.ix_(order, order)]
    # Edges from the first places to the rest: their degrees less twice the edges among them.
    among = np.cumsum(np.tril(sorted_matrix, -1).sum(axis=1))[:-1]
    crossing = inside - 2 * among
    conductance = crossing / np.minimum(inside, degrees.sum() - inside).clip(1)
    side = np.zeros(len(own), dtype=np.bool_)
    side[order[: int(np.argmin(conductance)) + 1]] = True
    return side
