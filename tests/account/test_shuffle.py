"""The shuffling bound against the exact delta of a few shuffled reports."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from ldp_verified.account import (
    clone_probability,
    shuffle_closed_form,
    shuffled_delta,
    shuffled_epsilon,
)
from ldp_verified.errors import ParameterError

Rows = list[list[Fraction]]


def grr(u: Fraction, k: int) -> Rows:
    cell = 1 / (u + k - 1)
    return [[u * cell if y == x else cell for y in range(k)] for x in range(k)]


def shuffled(rows: Rows, values: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """The distribution of the sorted reports of users with these values."""
    found: dict[tuple[int, ...], Fraction] = {}
    for reports in product(range(len(rows[0])), repeat=len(values)):
        chance = Fraction(1)
        for x, y in zip(values, reports, strict=True):
            chance *= rows[x][y]
        key = tuple(sorted(reports))
        found[key] = found.get(key, Fraction(0)) + chance
    return found


def exact_delta(rows: Rows, others: tuple[int, ...], level: Fraction) -> Fraction:
    """The largest over pairs of values of the one user whose data changes."""
    pairs = [(a, b) for a, b in product(range(len(rows)), repeat=2) if a != b]
    found = []
    for x, x2 in pairs:
        p, q = shuffled(rows, (x, *others)), shuffled(rows, (x2, *others))
        found.append(sum((max(Fraction(0), p[s] - level * q[s]) for s in p), Fraction(0)))
    return max(found)


@pytest.mark.parametrize("u", [Fraction(3, 2), Fraction(3), Fraction(8)])
@pytest.mark.parametrize("k,users", [(2, 2), (2, 5), (3, 4)])
@pytest.mark.parametrize("level", [Fraction(1), Fraction(5, 4), Fraction(2)])
def test_no_shuffled_reports_are_worse(u: Fraction, k: int, users: int, level: Fraction) -> None:
    rows = grr(u, k)
    clone = min(clone_probability(rows, a, b) for a in range(k) for b in range(k) if a != b)
    others = range(k)
    worst = max(
        exact_delta(rows, tuple(values), level) for values in product(others, repeat=users - 1)
    )
    epsilon = math.log(level)
    found = shuffled_delta(epsilon, u, users, clone)
    assert found >= float(worst) - 1e-12
    assert found <= shuffled_delta(epsilon, u, users) + 1e-15


@pytest.mark.parametrize("u", [Fraction(3), Fraction(10)])
def test_the_table_gives_more_clones_than_epsilon_alone(u: Fraction) -> None:
    rows = grr(u, 4)
    assert clone_probability(rows, 0, 1) == 2 / (u + 1) > 1 / u


def test_more_users_hide_more() -> None:
    deltas = [shuffled_delta(0.1, Fraction(3), n) for n in (1, 2, 10, 100, 1000)]
    assert deltas == sorted(deltas, reverse=True)
    # One user alone is not hidden: the delta of binary randomized response.
    assert deltas[0] == pytest.approx(3 / 4 - math.exp(0.1) / 4)


def test_the_closed_form_is_weaker() -> None:
    for users, epsilon0 in ((10_000, 1.0), (10_000, 2.0)):
        level = Fraction(math.exp(epsilon0)) * (1 + Fraction(1, 10**12))
        found = shuffled_epsilon(1e-6, level, users)
        assert found <= shuffle_closed_form(epsilon0, users, 1e-6)
        assert shuffled_delta(found, level, users) <= 1e-6


def test_too_many_clones_are_seen() -> None:
    """A planted error: clones counted as if every user were one."""
    rows = grr(Fraction(8), 2)
    worst = max(exact_delta(rows, values, Fraction(5, 4)) for values in product((0, 1), repeat=4))
    assert shuffled_delta(math.log(1.25), Fraction(8), 5, Fraction(1)) < float(worst)


def test_arguments_are_checked() -> None:
    with pytest.raises(ParameterError, match="level"):
        shuffled_delta(0.1, 0.5, 10)
    with pytest.raises(ParameterError, match="users"):
        shuffled_delta(0.1, 2, 0)
    with pytest.raises(ParameterError, match="epsilon0"):
        shuffle_closed_form(5.0, 100, 1e-6)
    with pytest.raises(ParameterError, match="delta"):
        shuffled_epsilon(1.0, 2, 10)
