"""Reconstructed distributions by hand, and bounds: their coverage, and the programs they solve."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import SquareWave
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.distribution import Distribution, DistributionBounds, counted_within
from tests.broken.distributions import of_middles, too_short

if TYPE_CHECKING:
    from collections.abc import Callable


def missed(within: Callable[..., tuple[np.ndarray, np.ndarray]], level: float) -> float:
    """The largest chance that the interval of one cut misses, over means and numbers of reports."""
    worst = 0.0
    for n in (1, 2, 7, 40, 300):
        seen = np.arange(n + 1)
        ends = [within(np.array([count]), n, level) for count in seen]
        low, high = (np.array([end[side][0] for end in ends]) for side in (0, 1))
        for mean in np.linspace(0, 1, 101):
            chances = binom.pmf(seen, n, mean)
            worst = max(worst, float(chances[(mean < low) | (mean > high)].sum()))
    return worst


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_a_count_is_within_its_interval_with_the_level(level: float) -> None:
    """Exactly, by the binomial law, for coins of one chance."""
    assert missed(counted_within, level) <= 1 - level


def test_intervals_that_are_too_short_are_seen() -> None:
    assert missed(too_short, 0.9) > 0.1


def test_more_cuts_and_a_higher_level_make_intervals_longer() -> None:
    one, many = counted_within(np.array([30]), 100, 0.9), counted_within(np.full(9, 30), 100, 0.9)
    higher = counted_within(np.array([30]), 100, 0.99)
    assert many[0][0] < one[0][0] < 0.3 < one[1][0] < many[1][0]
    assert higher[0][0] < one[0][0] < one[1][0] < higher[1][0]
    for n, level, name in ((0, 0.9, "n"), (10, 1, "level"), (10, 0, "level")):
        with pytest.raises(ParameterError, match=f"{name}: must"):
            counted_within(np.array([0]), n, level)


def test_a_distribution_is_read_by_hand() -> None:
    edges = np.array([0.0, 1.0, 2.0, 4.0])
    found = Distribution(np.array([0.25, 0.5, 0.25]), 1, 0.0, True, False, edges=edges, n=8)
    assert found.cdf.tolist() == [0, 0.25, 0.75, 1]
    assert found.mean == pytest.approx(0.125 + 0.75 + 0.75)
    spread = 0.25 / 3 + 0.5 * (7 / 3) + 0.25 * (56 / 3 / 2)  # mean squares over the bins
    assert found.variance == pytest.approx(spread - found.mean**2)
    assert found.quantile(0.5) == pytest.approx(1.5)
    assert found.quantile(0.875) == pytest.approx(3)
    for share in (0, 1, True, "a"):
        with pytest.raises(ParameterError, match="share"):
            found.quantile(share)  # type: ignore[arg-type]  # what is refused


def bounds() -> DistributionBounds:
    """Three bins of 0..3, two cuts."""
    least = np.array([[0.7, 0.9], [0.2, 0.6], [0.1, 0.2]])
    low, high = np.array([0.3, 0.55]), np.array([0.4, 0.7])
    return DistributionBounds(np.arange(4.0), 0.9, least, least + 0.05, low, high)


def test_bounds_are_the_ends_over_all_shares_that_fit() -> None:
    """Against a grid of shares in steps of 1/400, all of which lie inside and some near the end."""
    found, grid = bounds(), []
    for a, b in product(range(401), range(401)):
        if a + b <= 400:
            shares = np.array([a, b, 400 - a - b]) / 400
            if (shares @ found.least <= found.high).all() and (
                shares @ found.most >= found.low
            ).all():
                grid.append(shares)
    every = np.array(grid)
    assert len(every) > 100
    for weights in ([1.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 0], [0.5, 1.5, 2.5]):
        values = every @ np.array(weights)
        low, high = found.ends(np.array(weights))
        assert low <= values.min() <= low + 0.02
        assert high - 0.02 <= values.max() <= high
    lowest, highest = found.cdf
    assert lowest[[0, 3]] == pytest.approx([0, 1])
    assert highest[[0, 3]] == pytest.approx([0, 1])
    least, most = found.shares
    assert (least <= every.min(axis=0)).all()
    assert (every.max(axis=0) <= most).all()
    assert (most - least < 1).any()
    # Numbers may be anywhere in their bins: at the ends that make mean and variance extreme.
    assert found.mean[0] <= (every @ [0, 1, 2]).min()
    assert found.mean[1] >= (every @ [1, 2, 3]).max()
    first, last = found.variance
    # Evenly spread numbers are among those that are allowed.
    means = every @ [0.5, 1.5, 2.5]
    even = every @ [1 / 3, 7 / 3, 19 / 3] - means**2
    assert first <= even.min() < even.max() <= last <= 2.25 + 1e-6


def test_reports_that_fit_nothing_are_an_error() -> None:
    found = bounds()
    ends = np.array([0.9, 0.9]), np.array([0.95, 0.91])
    with pytest.raises(ReportError, match="state: must fit some distribution at the level"):
        DistributionBounds(found.edges, 0.9, found.least, found.most, *ends)


def test_what_fits_nothing_is_refused_at_once_and_in_plain_words() -> None:
    """The error showed the text of a solver, and came with the first figure that was read."""
    made = SquareWave(1.0)
    data = np.full(5000, made.outputs // 3, dtype=np.uint64)
    crowd = made.privatize(np.zeros(5000), rng=1)
    state = made.counted(simulated=True).update(replace(crowd, data=data.astype(crowd.data.dtype)))
    with pytest.raises(ReportError) as caught:
        made.bounded(state, level=0.99)
    assert "with a chance of at most 0.01: ask for a higher level" in str(caught.value)
    assert "HiGHS" not in str(caught.value)


VALUES = {
    "two points": np.repeat([0.125, 0.875], [700, 19_300]),
    "edges of bins": np.repeat(np.arange(9) / 8, 2_222),
    "even": np.linspace(0, 1, 20_000),
    "one end": np.zeros(20_000),
}


def covers_all(found: DistributionBounds, values: np.ndarray) -> bool:
    """Whether all intervals hold what is true of these numbers."""
    low, high = found.cdf
    shares = np.array([(values < edge).mean() for edge in found.edges])
    shares[-1] = 1
    quantiles = [
        found.quantile(s)[0]
        <= np.quantile(values, s, method="inverted_cdf")
        <= found.quantile(s)[1]
        for s in (0.05, 0.5, 0.95)
    ]
    inside = (low <= shares + 1e-9).all() and (shares <= high + 1e-9).all()
    mean, variance = values.mean(), values.var()
    least, most = found.shares
    bars = np.diff(shares)
    return bool(
        inside
        and (least <= bars + 1e-9).all()
        and (bars <= most + 1e-9).all()
        and all(quantiles)
        and found.mean[0] <= mean <= found.mean[1]
        and found.variance[0] - 1e-9 <= variance <= found.variance[1] + 1e-9
    )


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("epsilon", [1.0, 6.0])
def test_bounds_cover_what_is_true_of_the_users(name: str, epsilon: float, seed: int) -> None:
    """Null: all intervals cover together with a chance of 1 - 1e-10; n = 20000, 8 runs: 1e-9."""
    made = SquareWave(epsilon)
    state = made.counted(simulated=True).update(made.privatize(VALUES[name], rng=seed))
    assert covers_all(made.bounded(state, bins=8, level=1 - 1e-10), VALUES[name])


def test_bounds_that_take_numbers_for_middles_of_bins_are_seen(seed: int) -> None:
    """At epsilon = 6 the window is short beside a bin, so that its place in the bin shows."""
    made = SquareWave(6.0)
    values = VALUES["edges of bins"]
    state = made.counted(simulated=True).update(made.privatize(values, rng=seed))
    found = made.bounded(state, bins=8, level=1 - 1e-10)
    with suppress(ReportError):  # nothing fits
        assert not covers_all(of_middles(found), values)


def test_reports_of_other_numbers_are_not_covered(seed: int) -> None:
    made = SquareWave(6.0)
    state = made.counted(simulated=True).update(made.privatize(VALUES["even"] / 2, rng=seed))
    assert not covers_all(made.bounded(state, bins=8, level=1 - 1e-10), VALUES["even"])


def test_other_weights_are_refused() -> None:
    found = bounds()
    assert found.ends(np.array([1, 0, 0])) == found.ends(np.array([1.0, 0.0, 0.0]))
    for wrong in (None, "x", [1.0, 2.0], np.ones((3, 1)), np.array([1.0, np.nan, 0.0])):
        with pytest.raises(ParameterError, match="weights: must be"):
            found.ends(wrong)  # type: ignore[arg-type]  # what is wrong


def test_quantiles_are_those_of_the_bounds_of_all_edges() -> None:
    found = bounds()
    low, high = found.cdf
    for share in (0.05, 0.2, 0.5, 0.8, 0.95):
        first = max((edge for edge in range(4) if high[edge] < share), default=0)
        last = min((edge for edge in range(4) if low[edge] >= share), default=3)
        assert found.quantile(share) == (found.edges[first], found.edges[last])
