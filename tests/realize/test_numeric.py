"""Numbers in, means out: bounds, refusals that keep the value to themselves, variances."""

from __future__ import annotations

import math
import os
import pickle
import zlib
from typing import Any

import numpy as np
import pytest

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
from ldp_verified.check.conformance.numeric import bernstein
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

CLASSES = [
    Duchi,
    Piecewise,
    Hybrid,
    SquareWave,
    Geometric,
    TruncatedGeometric,
    Laplace,
    Staircase,
]
SECRET = 12.345678901234567


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "bad",
    [
        SECRET,
        [0.5, SECRET],
        [0.5, math.nan],
        math.inf,
        -math.inf,
        "0.5",
        [True],
        None,
        [[0.5]],
        [0.5 + 1j],
        np.ma.masked_array([0.5], [True]),
        [[0.5], [0.1, 0.2]],
    ],
)
def test_bad_values_are_refused_and_not_echoed(cls: Any, bad: Any) -> None:
    with pytest.raises(DomainError) as caught:
        cls(1.0, bounds=(0, 1)).privatize(bad, rng=1)
    assert "12.34" not in str(caught.value)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "bounds",
    [(1, 0), (0, 0), (0, math.inf), (math.nan, 1), (0,), "01", (False, True), (-1e308, 1e308)],
)
def test_bad_bounds_are_refused(cls: Any, bounds: Any) -> None:
    with pytest.raises(ParameterError):
        cls(1.0, bounds=bounds)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("low", [1.0, -1.0, 2.0**52, 1e100])
def test_bounds_that_doubles_resolve_badly_are_refused(cls: Any, low: float) -> None:
    """Intervals of means had no width between 1 and the next double."""
    for high in (math.nextafter(low, math.inf), low + abs(low) * 2.0**-33):
        with pytest.raises(ParameterError, match=r"^bounds: must have a difference of at least"):
            cls(1.0, bounds=(low, high))
    high = low + abs(low) * 2.0**-31
    made: NumericRandomizer = cls(1.0, bounds=(low, high))
    found = made.aggregate(made.privatize([low] * 1000, rng=1), simulated=True).estimate()
    first, last = found.interval()
    assert low <= first < last <= high


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, True, "1", None])
def test_bad_epsilons_are_refused(cls: Any, epsilon: Any) -> None:
    with pytest.raises(ParameterError):
        cls(epsilon)


@pytest.mark.parametrize("cls", [Piecewise, Duchi])
def test_an_epsilon_below_the_grid_is_refused(cls: Any) -> None:
    with pytest.raises(ParameterError):
        cls(1e-300)


@pytest.mark.parametrize("cls", CLASSES)
def test_ends_and_empty_batches_are_fine(cls: Any) -> None:
    made = cls(1.0, bounds=(-3, 1e9))
    assert len(made.privatize([], rng=1)) == 0
    assert len(made.privatize([-3, 1e9, 0], rng=1)) == 3
    assert len(made.privatize(np.float32(2.5))) == 1
    nothing = made.empty().estimate()
    assert nothing.n == 0
    assert math.isnan(nothing.mean)


@pytest.mark.parametrize("cls", CLASSES)
def test_simulated_reports_say_so(cls: Any) -> None:
    made = cls(1.0)
    assert made.privatize([0.5], rng=1).simulated
    assert not made.privatize([0.5]).simulated
    assert made.aggregate(made.privatize([0.5], rng=1), simulated=True).simulated


@pytest.mark.parametrize("cls", CLASSES)
def test_bounds_scale_means_and_variances(cls: Any) -> None:
    """The same reports, read with other bounds: an affine map of the estimate."""
    low, high = -7.0, 25.0
    plain = cls(1.0, bounds=(0, 1))
    wide = cls(1.0, bounds=(low, high))
    values = np.linspace(0, 1, 501)
    one = plain.mean_estimate(plain.privatize(values, word_source(5, "test")), simulated=True)
    stretched = low + values * (high - low)
    two = wide.mean_estimate(wide.privatize(stretched, word_source(5, "test")), simulated=True)
    assert two.mean == pytest.approx(low + one.mean * (high - low), rel=1e-6)
    assert two.std_error == pytest.approx(one.std_error * (high - low), rel=1e-6)
    assert wide.variance(9.0) == pytest.approx(plain.variance(0.5) * (high - low) ** 2, rel=1e-9)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_no_variance_is_above_the_worst(cls: Any, epsilon: float) -> None:
    made: NumericRandomizer = cls(epsilon, bounds=(0, 1))
    found = [made.variance(x) for x in np.linspace(0, 1, 41)]
    assert max(found) <= made.worst_variance * (1 + 1e-12)
    assert max(found) >= made.worst_variance * 0.99


@pytest.mark.parametrize("cls", CLASSES)
def test_estimates_of_many_users_fall_where_the_proof_says(cls: Any) -> None:
    """Null: unbiased, variance as proved. Level 1e-10 by Bernstein's inequality, n = 40,000.

    A bias of 0.15 standard deviations of one report, 30 of the mean, is missed with probability
    below 1e-10 too.
    """
    made = cls(1.0)
    seed = zlib.crc32(f"{os.environ['LDP_VERIFIED_SEED']} {cls.__name__}".encode())
    n, value = 40_000, 0.3
    found = made.mean_estimate(made.privatize(np.full(n, value), rng=seed), simulated=True)
    d = made.decoding
    units = float(made._scale / d.slope)
    size = float(d.value(d.outputs - 1) - min(d.value(0), *d.atoms, d.value(0))) * units
    assert bernstein(abs(found.mean - value), made.variance(value), size, n) > 1e-10
    low, high = found.interval(1 - 1e-10)
    assert low < found.mean < high


@pytest.mark.parametrize("cls", CLASSES)
def test_raw_reports_are_checked(cls: Any) -> None:
    made = cls(1.0)
    good = made.privatize([0.1, 0.2], rng=1)
    assert made.reports(np.array(good.data), simulated=True) == good
    for bad in (good.data.astype(np.float64), good.data.reshape(1, 2), [0, 1]):
        with pytest.raises(ReportError):
            made.reports(bad, simulated=False)
    with pytest.raises(ReportError):
        made.reports(np.array([made.outputs], dtype=np.uint64), simulated=False)


@pytest.mark.parametrize("cls", CLASSES)
def test_a_pickle_holds_arguments_only(cls: Any) -> None:
    made = cls(1.5, bounds=(2, 3))
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.thresholds == made.thresholds
    rebuilt, arguments = made.__reduce__()
    assert (rebuilt, arguments[:2]) == (cls, (1.5, (2.0, 3.0)))
    assert all(argument is None for argument in arguments[2:])  # a grid that was not given


def test_a_stream_is_drawn_from_one_source() -> None:
    made = Piecewise(1.0)
    first, second = made.privatize_stream([[0.5] * 9, [0.5] * 9], rng=1)
    assert len(first) == len(second) == 9
    assert first != second


def test_a_variance_is_of_one_value() -> None:
    with pytest.raises(DomainError, match="one number"):
        Piecewise(1.0).variance([0.1, 0.2])  # type: ignore[arg-type]  # what is refused


def test_another_epsilon_or_other_bounds_are_another_mechanism() -> None:
    reports = Piecewise(1.0).privatize([0.5], rng=1)
    for other in (Piecewise(2.0), Piecewise(1.0, bounds=(0, 1)), Hybrid(1.0), Duchi(1.0)):
        with pytest.raises(ReportError):
            other.aggregate(reports, simulated=True)
