"""Every numeric mechanism over its whole range of epsilon, bounds and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import PURE_WORDS
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from tests.strategies import EPSILONS

CLASSES = [
    Duchi,
    Geometric,
    Hybrid,
    Laplace,
    Piecewise,
    SquareWave,
    Staircase,
    TruncatedGeometric,
]

BOUNDS = st.one_of(
    st.sampled_from([(-1.0, 1.0), (0.0, 1.0), (0.0, 1e-140), (-4e139, 4e139), (1e9, 1e9 + 1)]),
    st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)).map(lambda b: (b[0], b[0] + b[1])),
)
"""(low, high); some so narrow or wide that doubles are coarse."""

SHARES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0**-52, 1e-300]), st.floats(0, 1))
"""How far a value is from the lower bound to the upper one."""


@pytest.mark.parametrize("cls", CLASSES)
@settings(max_examples=40)
@given(epsilon=EPSILONS, bounds=BOUNDS, share=SHARES)
def test_every_epsilon_bound_and_value_is_served(
    cls: Any, epsilon: float, bounds: tuple[float, float], share: float
) -> None:
    made: NumericRandomizer = cls(epsilon, bounds=bounds)
    assert 0 < made.realized_epsilon <= epsilon
    assert made.saturated or made.gap <= epsilon * 2.0**-20
    low, high = bounds
    value = min(high, max(low, low + share * (high - low)))
    reports = made.privatize([low, value, high], rng=1)
    assert len(reports) == 3
    bulk = made.privatize(np.full(PURE_WORDS + 1, value), rng=1)
    assert (bulk.data < made.outputs).all()
    assert (reports.data < made.outputs).all()
    assert 0 <= made.variance(value) <= made.worst_variance * (1 + 1e-9)
    assert np.isfinite(made.mean_estimate(reports, simulated=True).mean)


@pytest.mark.parametrize("cls", CLASSES)
@given(epsilon=st.floats(min_value=1e-6, max_value=700.0))
@settings(max_examples=25)
def test_more_epsilon_is_never_realized_as_less(cls: Any, epsilon: float) -> None:
    """Up to the gap: so a claim of twice as much is no less useful."""
    assert cls(2 * epsilon).realized_epsilon >= cls(epsilon).realized_epsilon


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("bounds", [(0, 0), (1, 1 - 1e-9), (0, 1e-141), (-1e140, 1e140)])
def test_degenerate_bounds_are_errors(cls: Any, bounds: Any) -> None:
    with pytest.raises(ParameterError, match="bounds"):
        cls(1.0, bounds=bounds)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("epsilon", [1e-6, 700.0])
def test_one_report_at_the_corners_of_epsilon(cls: Any, epsilon: float) -> None:
    """The pure-Python path, from the secure source."""
    made = cls(epsilon, bounds=(0, 1))
    assert len(made.privatize(0.25)) == 1


@given(st.integers(1, 300), st.floats(1e-3, 50))
@settings(max_examples=30)
def test_any_grid_keeps_the_claim(grid: int, epsilon: float) -> None:
    for cls in (Geometric, TruncatedGeometric):
        made = cls(epsilon, bounds=(0, grid), grid=grid)
        assert made.realized_epsilon <= epsilon
        reports = made.privatize(np.arange(grid + 1), rng=2)
        assert int(reports.data.max()) < made.outputs


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("epsilon", [1e300, 1e308, 1.7976931348623157e308])
def test_the_largest_epsilons_are_answered(cls: Any, epsilon: float) -> None:
    made = cls(epsilon, bounds=(0, 1))
    assert 0 < made.realized_epsilon <= epsilon
    assert made.variance(0.25) < 1
    assert len(made.privatize(0.25)) == 1


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 2.0**-64, 2.0**-60, 2.0**-58])
def test_the_least_epsilons_are_answered_or_named(cls: Any, epsilon: float) -> None:
    """Reports that do not depend on the number are nothing to estimate a mean from."""
    made, refused = None, "epsilon"
    try:
        made = cls(epsilon)
    except ParameterError as error:
        refused = error.argument
    assert refused == "epsilon"
    if made is None:
        return
    assert 0 < made.realized_epsilon <= epsilon
    assert made.variance(0.25) > 0
