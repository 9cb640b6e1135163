"""Bounds on what collisions under public functions do to a count, whatever users hold.

Users who share public functions also share their collisions, which do not average out over users.
The functions are drawn without a look at the data. So for a fixed value the average over functions
of what other users' values do to it has a law, and its moment generating function is convex in how
these users are spread over values. It is largest where they all hold one value, and there it is
that of a binomial law or of a sum of signs. Chernoff's bound for these holds for every population.

Herman Chernoff (1952), A measure of asymptotic efficiency for tests of a hypothesis based on the
sum of observations.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS = 100
"""Halvings of an interval: its end is then the next double."""


def more_collisions(functions: int, chance: float, miss: float) -> float:
    """How far the collisions of a value are above the expected share, but for the chance `miss`.

    Args:
        functions: independent ones. chance: that two values collide under one, in (0, 1).
        miss: in (0, 1).

    Returns:
        A share of users: the average over functions of the share that collides, less `chance`.
    """
    return _deviation(functions, chance, miss, 1.0) - chance


def fewer_collisions(functions: int, chance: float, miss: float) -> float:
    """How far collisions are below the expected share, but for `miss`: see `more_collisions`."""
    return chance - _deviation(functions, chance, miss, 0.0)


def _deviation(functions: int, chance: float, miss: float, end: float) -> float:
    """Find where Chernoff's bound of a binomial share is `miss`, between its mean and an end."""
    needed = -math.log(miss) / functions
    return first_beyond(lambda share: divergence(share, chance) < needed, chance, end)


def first_beyond(within: Callable[[float], bool], near: float, far: float) -> float:
    """The number nearest to `near` of which something holds no more, by halving; `far` at most.

    Args:
        within: holds near `near`, and from some number on no more. near, far: in either order.
    """
    for _ in range(_STEPS):
        middle = (near + far) / 2
        near, far = (middle, far) if within(middle) else (near, middle)
    return far


def divergence(share: float, chance: float) -> float:
    """The Kullback-Leibler divergence of two coins, in nats.

    Args:
        share: of the first, in 0..1. chance: of the second; it is 0 or 1 only where `share` is.
    """
    found = 0.0
    for own, other in ((share, chance), (1 - share, 1 - chance)):
        if own > 0:
            found += own * math.log(own / other)
    return found


def sign_collisions(rows: int, columns: int, miss: float, values: int = 2) -> float:
    """A share by which collisions lift one value of a count sketch, at most.

    In each row another user's value shares a cell with one of two values with a chance of
    1/columns, and then their signs agree or not with equal chances, independently for both. So each
    of them sums signs with the moment generating function 1 + (cosh t - 1)/columns of a row.

    Args:
        rows: independent ones. columns: of each. miss: the chance that it is more, in (0, 1).
        values: 2 for how far it is lifted above another one, 1 for how far above its own share.

    Returns:
        A share of users, averaged over the rows; `values` at most, which is that of collisions with
        all others in every row.
    """
    signs, needed = values * rows / columns, -math.log(miss)

    def likely(share: float) -> bool:
        # log(1 + y) is at most y; this t is the best one for that.
        turn = math.asinh(rows * share / signs)
        return turn * rows * share - signs * (math.cosh(turn) - 1) < needed

    return first_beyond(likely, 0.0, float(values))


def row_collisions(columns: int, miss: float) -> float:
    """A share by which collisions lift a value in one row of a count sketch, at most.

    The expected part of it above 0 is convex in how others are spread over values, so it is largest
    where they all hold one value: 1/(2 columns). Markov's inequality does the rest.

    Args:
        columns: of the row. miss: the chance that it is more, in (0, 1).

    Returns:
        A share of the row's users, 1 at most; collisions lower a value by no more, either.
    """
    return min(1.0, 1 / (2 * columns * miss))


def wrong_each(rows: int, miss: float) -> float:
    """A chance of a wrong row at which a median over rows is wrong with `miss` at most.

    The median lies where most rows do, so half of them have to be wrong. The chance that some k
    rows are is at most the k-th power, times the number of choices of k rows.

    Args:
        rows: the chance that several are wrong is at most the product, as for independent ones.
        miss: in (0, 1).
    """
    half = (rows + 1) // 2
    choices = math.lgamma(rows + 1) - math.lgamma(half + 1) - math.lgamma(rows - half + 1)
    return math.exp((math.log(miss) - choices) / half)


def bernstein(m: int, variance: float, most: float, chance: float) -> float:
    """Return what a sum of m independent centred terms exceeds with at most this chance.

    Args:
        m: terms. variance: of each, on average at most. most: that a term is. chance: in (0, 1).
    """
    logarithm = -math.log(chance)
    part = most * logarithm / 3
    return part + math.sqrt(part * part + 2 * m * variance * logarithm)


class Chances(TypedDict):
    """Facts about a level's reports that its bounds need.

    Attributes:
        gain: that a holder adds to the expected support.
        even: the chance that a report supports a value that its user does not hold.
        functions: of the public list, drawn independently, to 1/even buckets; None where nothing is
            hashed.
    """

    gain: float
    even: float
    functions: int | None


def others_reach(m: int, chance: float, candidates: int, chances: Chances) -> float:
    """A score that no candidate reaches which nobody holds.

    All is given who is in the group and what was published before: candidates may depend on it, as
    the functions of a level and its reports do not. Scores are pooled over levels: by
    `prefix_search.pooled_shares` a candidate has at most one standard error more than the share
    that the reports of this level say, whatever the prefix has that it extends.

    The chance is split evenly over five events. Two are here: collisions of any candidate, and what
    reports say of any. Three are in `share_above`: the same two of the value, and fewer holders in
    the group than their share.

    Args:
        m: users of the group, at least. chance: of any of the five events, in (0, 1).
        candidates: fixed before these reports and functions are looked at.
        chances: of the level.
    """
    part, even, gain = chance / 5, chances["even"], chances["gain"]
    above = _averaged(more_collisions, chances, part / candidates)
    hit = min(1.0, even + gain * above)
    # The mean square of a report's term: 1 - even where it supports the candidate, else even.
    square = (hit * (1 - 2 * even) + even * even) / gain**2
    said = bernstein(m, square, 1 / gain, part / candidates) / m
    return above + said + math.sqrt(even * (1 - even) / m) / gain


def share_above(score: float, m: int, chance: float, chances: Chances) -> float:
    """A share whose value has a larger score than this; other arguments as `others_reach`.

    A pooled score may lie below what the reports of a level say of the value, but not below the
    least that those of the levels so far say. So the score has to be one that others do not reach
    at any level, and the share one that is above it at every level.
    """
    part, gain = chance / 5, chances["gain"]
    below = _averaged(fewer_collisions, chances, part)
    said = bernstein(m, 0.25 / gain**2, 1 / gain, part) / m
    inside = (score + said + below) / (1 + below)
    return inside + bernstein(m, 0.25, 1.0, part) / m


def _averaged(law: Callable[[int, float, float], float], chances: Chances, miss: float) -> float:
    """Return what collisions move an estimated share by."""
    even, functions = chances["even"], chances["functions"]
    return law(functions, even, miss) / (1 - even) if functions else 0.0
