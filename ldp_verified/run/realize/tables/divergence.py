"""The smallest delta of two distributions at an epsilon, from masses of equal ratio."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from ldp_verified.run.realize.tables import balls

Masses = tuple[tuple[Fraction, Fraction], ...]
"""(P(class | x), P(class | x')) for classes of reports, in each of which the ratio is the same."""


def delta_of(masses: Iterable[tuple[Fraction, Fraction]], epsilon: float) -> float:
    """The smallest double not below the sum of max(0, p - e^epsilon q).

    Args:
        masses: for each class of reports. epsilon: above 0: e^epsilon is irrational, so that every
            sign is decided.
    """
    pairs = list(masses)

    def attempt() -> float | None:
        level = balls.ball(epsilon).exp()
        mass = mass2 = Fraction(0)
        for p, q in pairs:
            gap = balls.ball(p) - level * balls.ball(q)
            if not (gap > 0 or gap <= 0):
                return None
            if gap > 0:
                mass, mass2 = mass + p, mass2 + q
        if mass2 == 0:
            return balls.round_up(mass)  # a rational number may be a double, which no ball decides
        return balls.upper_float(balls.ball(mass) - level * balls.ball(mass2))

    return balls.decide(attempt)


def of_windows(apart: int, window: int, inside: Fraction, outside: Fraction) -> Masses:
    """The masses of two windows of `window` cells that begin `apart` cells from each other.

    Args:
        apart: also the number of cells outside a window.
        inside, outside: the mass of one cell.
    """
    own = min(apart, window)
    rest = (apart + window - 2 * own) * (inside if window > apart else outside)
    return (own * inside, own * outside), (rest, rest), (own * outside, own * inside)


def dominating(rows: Sequence[Sequence[int]]) -> Masses:
    """Masses whose delta is, at every epsilon, the largest over all ordered pairs of rows.

    delta is the largest p - e^epsilon q over the points (q, p) = (Q(S), P(S)) of sets S of reports.
    The largest over all pairs is that over the concave hull of all their points, and the steps of
    the hull are the masses. So it is also not below that of any mixtures of the rows.

    Args:
        rows: positive integers, the same sum in each row.
    """
    points = {(0, 0)}
    for one in rows:
        for other in rows:
            order = sorted(zip(one, other, strict=True), key=lambda e: Fraction(*e), reverse=True)
            points |= set(
                zip(accumulate(q for _, q in order), accumulate(p for p, _ in order), strict=True)
            )
    return steps_of_hull(points, sum(rows[0]))


def steps_of_hull(points: Iterable[tuple[int, int]], total: int) -> Masses:
    """The steps (p, q) of the concave hull of points (q, p), in units of 1/total.

    Args:
        points: from (0, 0) to (total, total).
    """
    hull: list[tuple[int, int]] = []
    for point in sorted(points):
        while len(hull) > 1 and _left_turn(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return tuple(
        (Fraction(p2 - p, total), Fraction(q2 - q, total)) for (q, p), (q2, p2) in pairwise(hull)
    )


def _left_turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """Return whether b is no corner of an upper hull through a and c."""
    return (b[0] - a[0]) * (c[1] - b[1]) >= (b[1] - a[1]) * (c[0] - b[0])
