"""The best size is the smallest of all, wherever the valley lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from flint import arb

from ldp_verified.realize.best import best_among, best_between, best_near, better

if TYPE_CHECKING:
    from collections.abc import Callable


def valley(at: int) -> Callable[[int], arb]:
    """Smallest at a number between two integers, a little nearer to `at`."""
    return lambda size: (arb(size) - at - arb(1) / 3) ** 2


@pytest.mark.parametrize("at", range(-2, 13))
def test_by_bisection(at: int) -> None:
    assert best_between(valley(at), 1, 10) == min(max(at, 1), 10)


@pytest.mark.parametrize("at", range(-2, 40))
def test_among_some(at: int) -> None:
    primes = [2, 3, 5, 7, 11, 13, 31]
    wanted = min(primes, key=lambda size: abs(size - at - 1 / 3))
    assert best_near(valley(at), primes) == best_among(valley(at), primes) == wanted


def test_one_size_is_the_best() -> None:
    assert best_between(valley(5), 3, 3) == best_near(valley(5), [3]) == 3
    assert better(valley(5), 6, 7)
    assert not better(valley(5), 7, 6)
