"""Coverage of intervals of means, by enumeration of all that a lot of reports can be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import (
    Duchi,
    Geometric,
    Hybrid,
    Laplace,
    Piecewise,
    SquareWave,
    Staircase,
    TruncatedGeometric,
)
from ldp_verified.protocols import DuchiVector, Gaussian, SphereVector
from ldp_verified.protocols.sphere_gain import least_variances, mean_square
from ldp_verified.run.aggregate.means import Variances, score_columns, standard_errors
from ldp_verified.run.aggregate.tabulated import quantile

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


BOUNDS = (-3.0, 117.0)
MADE = [
    *(cls(e, bounds=BOUNDS) for cls in (Duchi, Hybrid, Piecewise) for e in (0.3, 3.0, 9.0)),
    *(cls(e, bounds=BOUNDS) for cls in (SquareWave, Staircase, Laplace) for e in (0.3, 6.0)),
    *(
        cls(e, BOUNDS, g)
        for cls in (Geometric, TruncatedGeometric)
        for e in (0.2, 5.0)
        for g in (1, 7)
    ),
    *(Gaussian(e, 1e-6, BOUNDS) for e in (0.5, 2.0)),
    DuchiVector(3.0, 3, BOUNDS),
]


@pytest.mark.parametrize("made", MADE, ids=str)
def test_variances_of_many_numbers_are_the_exact_ones(made: Any) -> None:
    numbers = np.concatenate([np.linspace(*BOUNDS, 60), [-2.999, 56.9, 57.0, 57.1, 116.999]])
    exact = [made.variance(number) for number in numbers.tolist()]
    assert made._variances.at(numbers) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("made", MADE, ids=str)
def test_intervals_are_those_of_a_search_by_exact_variances(made: Any) -> None:
    """Where no mean inside is rejected between two that are not, else they may be wider."""
    low, high = BOUNDS
    for n, level in ((1, 0.5), (4, 0.95), (300, 0.999)):
        noise = ((1 / n, made._variances),)
        z = quantile(level)
        for mean in (low - 7, low, 20.0, 57.0, high, high + 900):
            nearest = min(max(mean, low), high)
            least = float(standard_errors(np.array([nearest]), noise)[0])
            for error in (least, 3 * least):
                given = np.array([mean]), np.array([error]), BOUNDS, noise, level, False
                *_, first, last = score_columns(*given)
                for found, bound in ((first[0], low), (last[0], high)):
                    inner, outer = nearest, bound
                    for _ in range(44):
                        middle = (inner + outer) / 2
                        reach = max(error, math.sqrt(made.variance(middle) / n))
                        if abs(middle - nearest) <= z * reach:
                            inner = middle
                        else:
                            outer = middle
                    assert found == pytest.approx(outer, abs=1e-9)


def test_means_that_are_rejected_between_others_are_in_the_interval() -> None:
    """Here the variance has its least value in the middle, and the far bound is near enough."""
    noise = ((1.0, Variances(lambda numbers: 0.01 + numbers**2)),)
    *_, low, high = score_columns(np.array([1.0]), np.array([0.1]), (-1.0, 1.0), noise, 0.96, False)
    assert (low[0], high[0]) == (-1.0, 1.0)
    assert 0.1 * quantile(0.96) < 1 < 2 < quantile(0.96) * math.sqrt(1.01)


def test_no_reports_have_no_interval() -> None:
    assert np.isnan(Duchi(1.0).empty().estimate().interval()).all()
    *_, low, high = DuchiVector(1.0, 2).empty().estimate().columns()
    assert np.isnan([low, high]).all()
