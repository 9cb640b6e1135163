"""The shuffling bound against the exact delta of a few shuffled reports."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified.analysis.account import (
    clone_probability,
    shuffle,
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
    for users, epsilon0 in ((10_000, 1.0), (10_000, 2.0), (2_000, 2.1)):
        level = Fraction(math.exp(epsilon0)) * (1 + Fraction(1, 10**12))
        assert shuffled_delta(shuffle_closed_form(epsilon0, users, 1e-6), level, users) <= 1e-6


def test_the_epsilon_that_is_found_has_its_delta() -> None:
    found = shuffled_epsilon(1e-6, Fraction(3), 2000)
    assert shuffled_delta(found, Fraction(3), 2000) <= 1e-6
    assert shuffled_delta(found * (1 - 1e-3), Fraction(3), 2000) > 1e-6


def the_two(
    level: Fraction, others: int, clone: Fraction
) -> tuple[dict[tuple[int, int], Fraction], dict[tuple[int, int], Fraction]]:
    """(A + D, C - A + 1 - D) for both laws of D, outcome by outcome."""
    found: tuple[dict[tuple[int, int], Fraction], dict[tuple[int, int], Fraction]] = ({}, {})
    for c in range(others + 1):
        for a in range(c + 1):
            chance = math.comb(others, c) * clone**c * (1 - clone) ** (others - c)
            chance *= Fraction(math.comb(c, a), 2**c)
            for d, odds in ((1, level), (0, Fraction(1))):
                place = (a + d, c - a + 1 - d)
                for law, share in zip(found, (odds, level + 1 - odds), strict=True):
                    law[place] = law.get(place, Fraction(0)) + chance * share / (level + 1)
    return found


@pytest.mark.parametrize("level", [Fraction(3, 2), Fraction(4), Fraction(50)])
@pytest.mark.parametrize("others", [0, 1, 7, 16])
@pytest.mark.parametrize("clone", [None, Fraction(1, 3), Fraction(0), Fraction(1)])
def test_the_delta_of_the_two_distributions_is_met(
    level: Fraction, others: int, clone: Fraction | None
) -> None:
    """Every outcome summed in fractions: the bound is never below, and above by rounding only."""
    first, second = the_two(level, others, 1 / level if clone is None else clone)
    for epsilon in (0.0, 0.2, 1.0):
        bound = Fraction(math.exp(epsilon))
        exact = float(sum(max(Fraction(0), first[s] - bound * second[s]) for s in first))
        found = shuffled_delta(epsilon, level, others + 1, clone)
        assert exact - 1e-14 <= found <= exact + 1e-12


@pytest.mark.parametrize("users,level", [(1000, 3), (5000, 20), (20_000, 150)])
def test_many_users_are_bounded_from_above_and_not_by_much(users: int, level: int) -> None:
    """The same distributions in floating point, for numbers of clones that are grouped."""
    others, share = users - 1, 1 / level
    spread = 9 * math.sqrt(others * share) + 30
    counts = np.arange(max(0, int(others * share - spread)), int(others * share + spread))
    weights = binom.pmf(counts, others, share)
    w, rest = level / (level + 1), 1 / (level + 1)
    for epsilon in (0.05, 0.3):
        target, exact = math.exp(epsilon), 0.0
        for c, weight in zip(counts.tolist(), weights.tolist(), strict=True):
            coins = np.concatenate([[0.0], binom.pmf(np.arange(c + 1), c, 0.5), [0.0]])
            up, down = coins[:-1], coins[1:]  # A + 1 = j and A = j, for j = 0..c + 1
            gain = (w * up + rest * down) - target * (rest * up + w * down)
            exact += weight * float(np.maximum(gain, 0).sum())
        found = shuffled_delta(epsilon, level, users)
        assert exact * (1 - 1e-6) - 1e-15 <= found <= exact * 1.3 + 1e-12


@pytest.mark.parametrize("users", [1000, 10_000, 10**6])
@pytest.mark.parametrize("delta", [1e-4, 1e-8])
@pytest.mark.parametrize("part", [0.2, 0.6, 0.999])
def test_the_closed_form_is_enough_for_binary_response(
    users: int, delta: float, part: float
) -> None:
    """Against what shuffled binary response really costs, from tails of binomials (scipy).

    One user changes, all others hold 0: the analyzer sees the number of ones. Up to the largest
    epsilon that the theorem is for.
    """
    limit = users / (16 * math.log(2 / delta))
    if limit <= 1:
        return
    epsilon0 = part * math.log(limit)
    u = math.exp(epsilon0)
    lie = 1 / (u + 1)
    ones = np.arange(users + 1)[: int(users * lie + 40 * math.sqrt(users * lie) + 100)]
    rest = binom.pmf(ones, users - 1, lie)
    before = np.concatenate([[0.0], rest[:-1]])
    truth = (1 - lie) * before + lie * rest
    other = lie * before + (1 - lie) * rest
    target = math.exp(shuffle_closed_form(epsilon0, users, delta))
    for p, q in ((truth, other), (other, truth)):
        assert float(np.maximum(p - target * q, 0).sum()) <= delta


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


@pytest.mark.parametrize("users", [10**400, (1 << 40) + 1, 1.5, True])
def test_users_without_end_are_refused(users: Any) -> None:
    with pytest.raises(ParameterError, match="users"):
        shuffled_delta(0.1, 3, users)
    with pytest.raises(ParameterError, match="users"):
        shuffled_epsilon(0.1, 3, users)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [((0, 3), "x2"), ((0, -1), "x2"), ((-1, 0), "x:"), ((3, 0), "x:"), ((0.0, 1), "x:")],
)
def test_a_row_that_is_none_has_no_clones(arguments: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        clone_probability(grr(Fraction(8), 3), *arguments)
    with pytest.raises(ParameterError, match="rows"):
        clone_probability([], *arguments)


@pytest.mark.parametrize("users", [2, 50, 3000, 200_000])
@pytest.mark.parametrize("clone", [None, Fraction(1, 2), Fraction(1, 10**6)])
@pytest.mark.parametrize("fine", [1, 16, 128])
def test_numbers_of_clones_that_are_told_apart_less_finely_bound_delta_too(
    users: int, clone: Fraction | None, fine: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = [shuffled_delta(epsilon, 3, users, clone) for epsilon in (0.0, 0.02, 0.5)]
    monkeypatch.setattr(shuffle, "FINE", fine)
    coarse = [shuffled_delta(epsilon, 3, users, clone) for epsilon in (0.0, 0.02, 0.5)]
    # The finer sum counts what lies 13 standard deviations above as delta.
    assert all(rough + 1e-36 >= one for rough, one in zip(coarse, exact, strict=True))


def test_as_many_users_as_are_allowed_have_an_answer() -> None:
    """In seconds, where every number of clones was gone through; delta falls as 1/sqrt(n)."""
    few, most = (shuffled_delta(1e-4 * 2.0**-at, 3, 1 << 20 + 2 * at) for at in (0, 10))
    assert most == pytest.approx(few / 2**10, rel=0.01)
