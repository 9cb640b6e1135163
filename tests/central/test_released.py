"""Answers with their prices, in one line, and what is refused before anything is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.analysis.central import (
    ClampedMean,
    ClampedSum,
    Count,
    ExponentialMechanism,
    GaussianNoise,
    GeometricNoise,
    Histogram,
    LaplaceNoise,
    MostFrequent,
    Quantile,
    StaircaseNoise,
    TruncatedGeometricNoise,
    release,
)
from ldp_verified.errors import DomainError, LdpError, ParameterError

PURE: list[Any] = [GeometricNoise(0.5), LaplaceNoise(0.5), StaircaseNoise(0.5)]
NOISES = [*PURE, GaussianNoise(0.5, 1e-5)]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("by", NOISES, ids=lambda by: by.title)
def test_errors_are_those_that_are_stated(by: Any, neighbours: str, seed: int) -> None:
    """Null: the mean of 4000 squared errors in units of the standard error is 1.

    No noise here has a fourth moment above 6 squared variances, so the mean of squares has a
    standard error below sqrt(5/4000) = 0.036; 0.5 is 14 of them.
    """
    data = np.random.default_rng(seed).integers(0, 4000, 20_000)
    told = release(data, Histogram(4000), by, neighbours=neighbours, rng=seed)
    truth = np.bincount(data, minlength=4000)
    assert told.std_error is not None
    squares = ((told.value - truth) / told.std_error) ** 2
    assert abs(squares.mean() - 1) < 0.5
    assert abs((told.value - truth).mean()) < 12 * told.std_error / 4000**0.5


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_sums_and_means_are_within_ten_errors(neighbours: str, seed: int) -> None:
    """Null: errors with the stated deviation; Laplace noise is beyond 30 with probability e^-42."""
    data = np.random.default_rng(seed).normal(20.0, 15.0, 50_000)
    clamped = np.clip(data, 0, 60)
    for by in PURE:
        for what, truth, rounding in (
            (ClampedSum(0, 60), clamped.sum(), 50_000 / 32),
            (ClampedMean(0, 60), clamped.mean(), 1 / 32),
        ):
            told = release(data, what, by, neighbours=neighbours, rng=seed)
            assert told.std_error is not None
            assert abs(told.value - truth) < 30 * told.std_error + rounding
            assert "values outside 0..60 count as the bound" in str(told)


def test_a_line_says_all_there_is_to_know() -> None:
    told = release([True] * 30 + [False] * 70, Count(), GeometricNoise(1.0), neighbours="replace")
    assert str(told) == (
        f"count = {told.value:g} +- 1.357 (geometric noise, epsilon = 1, neighbours: replace, "
        "sensitivity 1)"
    )
    assert told.realized_epsilon <= 1.0
    assert not told.simulated
    again = release([3, 3, 1], Histogram(9), GaussianNoise(1, 1e-3), neighbours="replace", rng=1)
    assert "delta = 0.001" in str(again)
    assert ", ...]" in str(again)
    assert "simulated, protects nobody" in str(again)


def test_answers_are_cut_off_where_n_is_public(seed: int) -> None:
    data = [0] * 5
    by = TruncatedGeometricNoise(0.1)
    for s in range(50):
        told = release(data, Histogram(8), by, neighbours="replace", rng=seed + s)
        assert told.value.min() >= 0
        assert told.value.max() <= 5
    with pytest.raises(ParameterError, match="cut off"):
        release(data, Histogram(8), by, neighbours="add-remove")


def test_a_choice_is_a_candidate(seed: int) -> None:
    data = np.random.default_rng(seed).integers(0, 100, 10_001)
    told = release(
        data, Quantile(0.5, 0, 100, 101), ExponentialMechanism(4.0), neighbours="replace", rng=seed
    )
    assert isinstance(told.value, float)
    assert abs(told.value - np.median(data)) <= 2
    assert told.std_error is None
    assert "1/2 people in rank of the best with probability 0.95" in str(told)
    plain = release([7] * 50, MostFrequent((3, 7)), ExponentialMechanism(2.0), neighbours="replace")
    assert plain.value == 7
    assert type(plain.value) is int
    label = release(
        ["a"] * 100 + ["b"],
        MostFrequent(("a", "b")),
        ExponentialMechanism(2.0),
        neighbours="replace",
    )
    assert label.value == "a"


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(
    "what", [Count(of=3), Histogram(7), ClampedSum(0, 6, 1.0), ClampedMean(0, 6)]
)
@pytest.mark.parametrize("epsilon", [1e-3, 30.0, 700.0])
def test_the_ends_of_epsilon_give_an_answer(epsilon: float, what: Any, neighbours: str) -> None:
    values = np.arange(50) % 7
    for kind in (GeometricNoise, LaplaceNoise, StaircaseNoise):
        told = release(values, what, kind(epsilon), neighbours=neighbours, rng=1)
        assert np.isfinite(told.value).all()
        assert 0 < told.realized_epsilon <= epsilon


BAD: list[tuple[Any, Any, Any, Any, type[LdpError]]] = [
    ([], Count(), GeometricNoise(1.0), "replace", DomainError),
    (7, Count(), GeometricNoise(1.0), "replace", DomainError),
    ([1], Count(), GeometricNoise(1.0), "unbounded", ParameterError),
    ([1], Count(), ExponentialMechanism(1.0), "replace", ParameterError),
    ([1], Quantile(0.5, 0, 1), GeometricNoise(1.0), "replace", ParameterError),
    ([1], "count", GeometricNoise(1.0), "replace", ParameterError),
    ([2], Count(), GeometricNoise(1.0), "replace", DomainError),
    ([1], ClampedSum(0, 1024), GaussianNoise(1e-4, 1e-9), "replace", ParameterError),
]


@pytest.mark.parametrize("values,what,by,neighbours,error", BAD)
def test_what_is_wrong_is_refused_before_a_word_is_drawn(
    values: Any, what: Any, by: Any, neighbours: Any, error: type[LdpError]
) -> None:
    class NoWords:
        simulated = True

        def fill(self, _: Any) -> None:
            raise AssertionError("drawn")

        def words(self, _: int) -> Any:
            raise AssertionError("drawn")

    with pytest.raises(error):
        release(values, what, by, neighbours=neighbours, rng=NoWords())


def test_seeds_give_the_same_again_and_other_noise_for_another_promise(seed: int) -> None:
    def told(by: Any, neighbours: str) -> tuple[float, ...]:
        return tuple(release([0], Histogram(4), by, neighbours=neighbours, rng=seed).value)

    small, smaller = GeometricNoise(1e-6), GeometricNoise(1.1e-6)
    assert told(small, "replace") == told(small, "replace")
    assert (
        len({told(by, each) for by in (small, smaller) for each in ("replace", "add-remove")}) == 4
    )
