"""The best size is the smallest of all, wherever the valley lies."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.best_size import best_among, best_between, best_near, better
from ldp_verified.run.realize.tables.formal import Formal

if TYPE_CHECKING:
    from collections.abc import Callable

    from flint import arb

E_TO_THE = Formal.exponential()


def at_one(value: Formal) -> arb:
    """A ball around a function of t at t = e."""
    return value.at(balls.ball(1.0).exp())


def valley(at: int) -> Callable[[int], Formal]:
    """Smallest at a number between two integers, a little nearer to `at`."""
    return lambda size: (E_TO_THE * size - E_TO_THE * (at + Fraction(1, 3))) ** 2


@pytest.mark.parametrize("at", range(-2, 13))
def test_by_bisection(at: int) -> None:
    assert best_between(valley(at), 1, 10, at_one) == min(max(at, 1), 10)


@pytest.mark.parametrize("at", range(-2, 40))
def test_among_some(at: int) -> None:
    primes = [2, 3, 5, 7, 11, 13, 31]
    wanted = min(primes, key=lambda size: abs(size - at - 1 / 3))
    assert best_near(valley(at), primes, at_one) == best_among(valley(at), primes, at_one) == wanted


def test_one_size_is_the_best() -> None:
    assert best_between(valley(5), 3, 3, at_one) == best_near(valley(5), [3], at_one) == 3
    assert better(valley(5), 6, 7, at_one)
    assert not better(valley(5), 7, 6, at_one)


def test_sizes_of_equal_variance_are_told_apart_without_balls() -> None:
    """A ball around the difference of equal variances would never decide."""

    def level(size: int) -> Formal:
        return (E_TO_THE * size + 1) / (E_TO_THE * size + 1) * E_TO_THE

    assert better(level, 2, 3, at_one)
    assert better(level, 3, 2, at_one)
    assert best_between(level, 2, 9, at_one) == 9
