"""Means on a sphere: against their closed forms, and against numbers that are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from ldp_verified.protocols.sphere_gain import best_cap, gains, half_mean, largest_sums


@pytest.mark.parametrize("d", [1, 2, 3, 4, 17, 100, 1000, 16384])
def test_one_line_and_all_lines_have_the_mean_of_one(d: int) -> None:
    assert largest_sums(1, d)[0] == pytest.approx(half_mean(d), rel=1e-9)
    assert largest_sums(7, d)[-1] == pytest.approx(7 * half_mean(d), rel=1e-9)


def test_on_a_sphere_in_space_products_are_uniform() -> None:
    """Archimedes: |T| is uniform on 0..1, whose order statistics are (L + 1 - i)/(L + 1)."""
    wanted = np.cumsum([(7 - i) / 8 for i in range(7)])
    assert largest_sums(7, 3) == pytest.approx(wanted, rel=1e-9)
    assert half_mean(2) == pytest.approx(2 / math.pi)
    assert half_mean(3) == pytest.approx(1 / 2)


@pytest.mark.parametrize(("d", "lines"), [(2, 5), (9, 3), (200, 8)])
def test_sums_are_those_of_drawn_vectors(d: int, lines: int, seed: int) -> None:
    """Null: the stated means. |sums| <= L: 6e5 draws, and Hoeffding's inequality at 1e-10."""
    rng, n = np.random.default_rng(seed), 20_000
    drawn = rng.standard_normal((n, lines, d))
    inner = np.abs(drawn[..., 0]) / np.linalg.norm(drawn, axis=2)
    sums = np.cumsum(-np.sort(-inner, axis=1), axis=1)
    far = lines * math.sqrt(math.log(2 * lines / 1e-10) / (2 * n))
    assert np.abs(sums.mean(axis=0) - largest_sums(lines, d)).max() < far


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("d", [2, 3, 50, 1000])
def test_the_best_cap_is_better_than_others_and_has_its_gain(epsilon: float, d: int) -> None:
    """The gain of a cap by scipy's integral; no threshold of a fine grid has a larger one."""
    found, u = best_cap(epsilon, d), math.exp(epsilon)
    square = stats.beta(0.5, (d - 1) / 2)

    def gain(t: float) -> float:
        share = square.sf(t * t) / 2
        inner = quad(lambda s: s * s * square.pdf(s * s), t, 1, epsabs=1e-13)[0]
        return float((u - 1) * inner / (1 + (u - 1) * share))

    assert found.gain == pytest.approx(gain(found.threshold), rel=1e-6)
    assert found.share == pytest.approx(square.sf(found.threshold**2) / 2, rel=1e-6)
    assert found.chance == pytest.approx(u * found.share / (1 + (u - 1) * found.share), rel=1e-6)
    grid = np.linspace(0.0, min(0.999, 6 / math.sqrt(d)), 60)
    assert max(map(gain, grid.tolist())) <= found.gain * (1 + 1e-6)


def test_many_lines_come_close_to_the_best_cap_and_never_above() -> None:
    for epsilon in (0.5, 2.0, 4.0):
        best = best_cap(epsilon, 100).gain
        found = [gains(epsilon, lines, 100).max() for lines in (1, 4, 16, 64, 512)]
        assert (np.diff(found) > -1e-12).all()
        assert 0.99 * best < found[-1] <= best


def test_large_and_small_epsilons_have_gains() -> None:
    assert best_cap(2000.0, 5).gain == pytest.approx(1, abs=0.01)
    assert gains(2000.0, 1, 3)[0] == pytest.approx(0.5)
    assert gains(1e-9, 1, 3)[0] == pytest.approx(2.5e-10, rel=1e-6)
    assert best_cap(3.0, 1).gain == pytest.approx(math.tanh(1.5))
