"""Coverage of intervals of means, by enumeration of all that a lot of reports can be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import Duchi, Hybrid, Piecewise
from ldp_verified.protocols import DuchiVector, SphereVector
from ldp_verified.protocols.sphere_gain import least_variances, mean_square

LEAST = 0.91
"""What an interval of level 0.95 covers at least, from 10 reports on."""


def coverage(made: Any, ends: list[tuple[float, float]], means: list[float]) -> list[float]:
    """P(the interval holds the mean) if all users have it; `ends` by the number of +."""
    n, found = len(ends) - 1, []
    b = float(made.decoding.atoms[1] if isinstance(made, Duchi) else made.length)
    low, high = made.bounds
    for mean in means:
        chances = binom.pmf(
            np.arange(n + 1), n, (1 + (2 * mean - low - high) / (high - low) / b) / 2
        )
        held = [first <= mean <= last for first, last in ends]
        found.append(float(chances[held].sum()))
    return found


MEANS = [0.0, 0.5, 1.0, 6.0, 30.0, 47.0, 55.5, 60.0, 90.0, 119.0, 120.0]


@pytest.mark.parametrize(
    ("epsilon", "n"), [(1, 10), (4, 10), (4, 13), (6, 30), (6, 60), (8, 10), (8, 60)]
)
def test_intervals_of_one_mean_cover_it(epsilon: float, n: int) -> None:
    made = Duchi(epsilon, bounds=(0, 120))
    states = [replace(made.empty(), n=n, atoms=(n - plus, plus)) for plus in range(n + 1)]
    ends = [state.estimate().interval() for state in states]
    assert all(0 <= low < high <= 120 for low, high in ends)
    assert min(coverage(made, ends, MEANS)) >= LEAST


@pytest.mark.parametrize(("epsilon", "d"), [(4, 1), (8, 1), (8, 3)])
def test_intervals_of_coordinates_cover_them(epsilon: float, d: int) -> None:
    made, n = DuchiVector(epsilon, d, bounds=(0, 120)), 30
    ends = []
    for plus in range(n + 1):
        found = replace(made.empty(), n=n, ones=(plus,) * d).estimate()
        assert (found.std_errors > 0).all()
        *_, low, high = found.columns()
        ends.append((float(low[0]), float(high[0])))
    assert min(coverage(made, ends, MEANS)) >= LEAST


@pytest.mark.parametrize("cls", [Piecewise, Hybrid])
def test_reports_without_an_outlier_have_an_error(cls: Any) -> None:
    """Ten reports in one cell, and one report: most lots of them hold no lie."""
    made = cls(8.0, bounds=(0, 120))
    cell = int(np.argmax([abs(float(made.pmf(y, 0))) for y in range(200)]))
    for n in (1, 10):
        state = replace(made.empty(), n=n, total=n * cell, squares=n * cell**2)
        found = state.estimate()
        nearest = min(max(found.mean, 0), 120)
        assert found.std_error == pytest.approx(math.sqrt(made.variance(nearest) / n))
        low, high = found.interval()
        assert 0 <= low < high <= 120


@pytest.mark.parametrize("d", [1, 2, 7])
def test_the_spread_of_directions_is_the_one_that_is_computed(d: int, seed: int) -> None:
    """Null: a mean square is as computed. Level 1e-10 by Hoeffding's inequality, n = 20,000.

    A mean square that is off by 0.05 is missed with a chance below 1e-10.
    """
    made, n = SphereVector(3.0, d), 20_000
    value = np.eye(d)[0]
    state = made.aggregate(made.privatize(np.tile(value, (n, 1)), rng=seed), simulated=True)
    square = mean_square(made)
    assert abs(state.squares[0] / 2**30 / n - square) < math.sqrt(math.log(2e10) / (2 * n))
    least = least_variances(value, made, square)
    assert least[0] == pytest.approx((square - made.gain**2) / made.gain**2)
    # The squares of all coordinates add up to 1.
    assert least.sum() == pytest.approx((1 - made.gain**2) / made.gain**2)


def test_vectors_that_are_alike_have_an_error() -> None:
    made = SphereVector(6.0, 2)
    found = made.mean_estimate(made.privatize([[1.0, 0.0]], rng=1), simulated=True)
    assert (found.std_errors > 0.1).all()
    *_, low, high = found.columns()
    assert ((low >= -1) & (low < high) & (high <= 1)).all()


def test_no_reports_have_no_interval() -> None:
    assert np.isnan(Duchi(1.0).empty().estimate().interval()).all()
    *_, low, high = DuchiVector(1.0, 2).empty().estimate().columns()
    assert np.isnan([low, high]).all()
