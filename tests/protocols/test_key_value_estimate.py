"""Variances of counts and sums against the laws of reports, and intervals of means that cover."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.signal import convolve2d
from scipy.stats import binom

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import KeyMeans, KeyValueBits, KeyValueEstimate, KeyValueResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

RESPONSE = KeyValueResponse(1.3, 2, 2)
BITS = KeyValueBits(1.3, 2, 2)


def supports(made: Any, item: int) -> Iterator[tuple[float, int, int]]:
    """(chance, supports (key 0, -), supports (key 0, +)) of a report on an item, case by case."""
    p, q = float(made.inner.p_star), float(made.inner.q_star)
    if made is RESPONSE:
        for report in range(6):
            yield (p if report == item else q), report == 0, report == 1
        return
    for minus, plus in product((0, 1), repeat=2):
        chances = [(p if item == own else q) for own in (0, 1)]
        both = zip(chances, (minus, plus), strict=True)
        yield float(np.prod([c if bit else 1 - c for c, bit in both])), minus, plus


@pytest.mark.parametrize("made", [RESPONSE, BITS])
@pytest.mark.parametrize("number", [-1.0, 0.25, 1.0, None])
def test_variances_are_those_of_the_law_of_one_report(made: Any, number: float | None) -> None:
    """Of a user with the number at key 0 and one place more, or with two other places."""
    own = {} if number is None else {0: (1 - number) / 4, 1: (1 + number) / 4}
    sampled = {4: 0.5, 5: 0.5} if number is None else {**own, 4: 0.5}
    moments = np.zeros(6)
    for item, share in sampled.items():
        for chance, minus, plus in supports(made, item):
            both, difference = minus + plus, plus - minus
            moments += (
                share
                * chance
                * np.array([1, both, both**2, difference, difference**2, both * difference])
            )
    one, mean_both, square, mean_difference, spread, cross = moments.tolist()
    assert one == pytest.approx(1)
    held = number is not None
    counted = made.estimate_of(1)
    variance, second, mean = counted._of_one(held / 2)
    assert mean == pytest.approx(mean_both)
    assert variance == pytest.approx(square - mean_both**2)
    assert second == pytest.approx(spread)
    assert made.variance(3, int(held)) == pytest.approx(3 * variance * counted._scale**2)
    # The estimates are unbiased for the user, and the covariance is that of the formula.
    assert counted._scale * (mean_both - 2 * counted.q) == pytest.approx(float(held))
    assert counted._scale * mean_difference == pytest.approx(number or 0)
    covariance = counted._scale**2 * (cross - mean_both * mean_difference)
    assert covariance == pytest.approx(counted._scale * (number or 0) * (1 - mean))


def test_estimates_of_many_users_have_these_variances() -> None:
    n, users, total = 1000, 300.0, -60.0
    found = KeyValueEstimate(
        n, np.array([(users + total) / 2]), np.array([(users - total) / 2]), 2,
        float(RESPONSE.inner.p_star), float(RESPONSE.inner.q_star), False, (-1.0, 1.0),
    )  # fmt: skip
    assert (found.counts[0], found.sums[0]) == (300, -60)
    assert found.std_error[0] ** 2 == pytest.approx(RESPONSE.variance(n, 0.3))
    held, absent = found._of_one(0.5)[1], found._of_one(0.0)[1]
    square = (300 * held + 700 * absent) * found._scale**2
    assert found._variances[1][0] == pytest.approx(square - 60**2 / 300)
    assert found.means.values[0] == pytest.approx(-0.2)


USERS = [{0: 0.5}] * 300 + [{1: -1.0, 0: 1.0}] * 200 + [{}] * 1500
TRUE = (0.5 * 300 + 200) / 500
RUNS = 300
MOST = int(binom.isf(1e-10, RUNS, 0.01))
"""Misses of an interval of level 0.99 in 300 runs: more have a chance below 1e-10."""


class TooSure(KeyMeans):
    """Planted: the count is taken for known, and its error for a third."""

    def columns(self, level: float = 0.95, simultaneous: bool = False) -> Any:
        """Mean and a third of its error."""
        mean, error, *_ = super().columns(level, simultaneous)
        return mean, error, mean - error, mean + error


def misses(seed: int, kind: type[KeyMeans]) -> int:
    """How often the interval of key 0 misses its mean."""
    made = KeyValueResponse(3.0, 2, 2)
    wrong = 0
    for run in range(RUNS):
        state = made.empty(simulated=True).update(made.privatize(USERS, rng=seed + run))
        low, high = (ends[0] for ends in kind(made.estimate(state)).columns(0.99)[2:])
        wrong += not low <= TRUE <= high
    return wrong


def test_intervals_of_means_cover_them(seed: int) -> None:
    """Null: an interval misses with a chance of at most 0.01; n = 300 runs, at level 1e-10.

    Intervals that miss with a chance of 0.2 are found with a power above 0.99.
    """
    assert misses(seed, KeyMeans) <= MOST


def test_intervals_that_are_too_short_are_seen(seed: int) -> None:
    assert misses(seed, TooSure) > MOST


@pytest.mark.parametrize(
    ("epsilon", "held", "n", "mean"),
    [(1.0, 15, 30, 0.8), (5.0, 15, 30, 0.8), (8.0, 10, 60, 0.8), (8.0, 10, 60, 0.0)],
)
def test_intervals_cover_where_few_signs_are_seen(
    epsilon: float, held: int, n: int, mean: float
) -> None:
    """By enumeration of how many reports support each sign: 0.95 is asked for."""
    made = KeyValueResponse(epsilon, 5, 2)
    p, q = float(made.inner.p_star), float(made.inner.q_star)
    chances = np.ones((1, 1))
    for gain in [(p - q) / 4] * held + [0.0] * (n - held):
        plus, minus = q + gain * (1 + mean), q + gain * (1 - mean)
        chances = convolve2d(chances, [[1 - plus - minus, minus], [plus, 0]])
    up, down = (np.indices(chances.shape).reshape(2, -1) - n * q) * 2 / (p - q)
    found = KeyValueEstimate(n, up, down, 2, p, q, False, (-1.0, 1.0))
    *_, low, high = found.means.columns()
    covered = (low <= mean) & (mean <= high)
    assert chances.ravel()[covered].sum() >= 0.93


def test_a_key_that_nobody_may_have_has_any_mean() -> None:
    made = KeyValueResponse(1.0, 3, 1, bounds=(0.0, 10.0))
    state = made.empty(simulated=True).update(made.privatize([{0: 5.0}] * 20, rng=1))
    found = made.estimate(state)
    assert [row.low for row in found.means.rows(0.999)][1:] == [0, 0]
    assert [row.high for row in found.means.rows(0.999)][1:] == [10, 10]
    assert np.isnan(found.means.values[found.counts <= 0]).all()
    assert found.heading == found.means.heading == "20 reports"
    assert (found.quantity, found.means.quantity) == ("count", "average")
    assert list(found.means.names) == [0, 1, 2]


@pytest.mark.parametrize("made", [RESPONSE, BITS])
def test_other_numbers_of_users_have_no_variance(made: Any) -> None:
    assert made.variance(0) == 0.0
    for wrong in (-1, 1.5, "3", None):
        with pytest.raises(ParameterError, match="n: must be an integer"):
            made.variance(wrong)
        with pytest.raises(ParameterError, match="n: must be an integer"):
            made.estimate_of(10).variance_of_count(wrong)
