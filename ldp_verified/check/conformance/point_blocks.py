"""HPGR against `spec/hpgr.py`: whole reports of users of a few values, and what is estimated.

Points are written out here as tuples of digits, and what is orthogonal is asked of each pair.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)

if TYPE_CHECKING:
    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.protocols import HPGR

Point = tuple[int, tuple[int, ...]]
"""A block, and digits of which the first that is not 0 is 1."""


def hpgr_subject(made: HPGR) -> ProtocolSubject:
    """Whole reports of users who hold the first, a neighbouring and the last value; estimates."""
    return ProtocolSubject(repr(made), (_reports(made),))


def points_of(made: HPGR) -> list[Point]:
    """All points of all blocks by their numbers: few digits first, then in the digits' order."""
    q, t, h = made.layout.prime, made.layout.dimension, made.layout.blocks
    return [
        (block, ((0,) * (t - 1 - after) + (1, *rest)))
        for block in range(h)
        for after in range(t)
        for rest in product(range(q), repeat=after)
    ]


def is_orthogonal(one: Point, two: Point, prime: int) -> bool:
    """Return whether both are of one block, and their vectors orthogonal."""
    dot = sum(a * b for a, b in zip(one[1], two[1], strict=True))
    return one[0] == two[0] and dot % prime == 0


def point_of(made: HPGR, value: int) -> Point:
    """The point of a value."""
    size = -(-made.k // made.layout.blocks)
    every = points_of(made)
    return every[value // size * (len(every) // made.layout.blocks) + value % size]


def report_chances(made: HPGR, value: int) -> list[Fraction]:
    """P(report | value) of each point, at the integer that the code compares words with."""
    denied = Fraction(made.thresholds[0], 1 << 64)
    own = point_of(made, value)
    held = [is_orthogonal(own, y, made.layout.prime) for y in points_of(made)]
    on = sum(held)
    return [(1 - denied) / on if each else denied / (len(held) - on) for each in held]


def spec_weights(made: HPGR, value: int, u: float) -> list[float]:
    """Return what a report of each point adds to the estimated count of a value."""
    q, t, h = made.layout.prime, made.layout.dimension, made.layout.blocks
    b, r, both = ((q ** (t - less) - 1) // (q - 1) for less in (0, 1, 2))
    p = 1 / (r * u + h * b - r)
    alpha = 1 / (p * (r - both) * (u - 1))
    beta = -alpha * both / r
    gamma = -p * (alpha * r + beta * b)
    own = point_of(made, value)
    return [
        alpha * is_orthogonal(own, y, q) + beta * (own[0] == y[0]) + gamma for y in points_of(made)
    ]


def _reports(made: HPGR) -> Scene:
    held = sorted({0, min(1, made.layout.size - 1), made.k - 1})
    looks = []
    for value in held:
        chances = report_chances(made, value)
        looks.append(law(f"reports of {value}", {str(y): c for y, c in enumerate(chances)}))
    estimates = estimates_look([f"count of {value}" for value in range(made.k)])
    weights = [spec_weights(made, value, math.exp(made.epsilon)) for value in range(made.k)]

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found: list[Codes] = []
        state = made.empty(simulated=True)
        seen = np.zeros(made.layout.counters)
        for look, value in zip(looks, held, strict=True):
            reports = made.privatize(np.full(users, value), rng)
            codes = reports.data.astype(np.int64)
            found.append(tallied(codes, look))
            state.update(reports)
            seen += np.bincount(codes, minlength=len(seen))
        right = [float(seen @ np.array(row)) for row in weights]
        return [*found, differing([*state.estimate().counts], right, users)]

    return Scene("points", (*looks, estimates), run, BULK_SHARE, BULK_LIMIT)
