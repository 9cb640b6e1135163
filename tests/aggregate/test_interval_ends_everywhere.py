"""Ends of intervals at every support count and size: exact where that can be summed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import GRR, OUE, SUE
from ldp_verified.errors import InternalError
from ldp_verified.run.aggregate import interval_ends
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.interval_ends import score_ends, support_ends
from ldp_verified.run.aggregate.listed import Listed
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.aggregate.tabulated import quantile

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.oracle import Floats

MANY = (
    *[
        (made, n)
        for made in (GRR(1.0, 4), OUE(1.0, 4), OUE(math.log(3), 4))
        for n in (10**3, 10**5)
    ],
    *[(made, n) for made in (OUE(8.0, 16), SUE(12.0, 16), GRR(9.0, 64)) for n in (10**5, 10**8)],
    *[(GRR(epsilon, 16), n) for epsilon in (14.0, 16.0, 18.0) for n in (10**7, 10**9, 10**10)],
    *[(made, 10**10) for made in (GRR(20.0, 2), GRR(22.0, 2), GRR(30.0, 2))],
)
"""Variances of supports go from 0.001 to 34,000, so their law can be summed."""


def near_means(made: Any, n: int) -> Any:
    """Support counts at which nobody or everybody is likely to hold the value, and next to them."""
    means = round(n * made.oracle.q_star), round(n * made.oracle.p_star)
    found = {mean + step for mean in means for step in range(-2, 3)}
    return np.array(sorted(s for s in found if 0 <= s <= n), dtype=np.int64)


def window(n: int, chance: float) -> tuple[int, Floats]:
    """The first of the likely counts of n coins, and the chances of these."""
    reach = 12 * math.sqrt(n * chance * (1 - chance)) + 60
    first, last = max(0, math.floor(n * chance - reach)), min(n, math.ceil(n * chance + reach))
    return first, binom.pmf(np.arange(first, last + 1), n, chance)


def tails(made: Any, n: int, held: int, s: int) -> tuple[float, float]:
    """The chances of s supports or fewer, and of s or more."""
    own = window(held, float(made.oracle.p_star))
    others = window(n - held, float(made.oracle.q_star))
    law = np.convolve(own[1], others[1])
    place = s - own[0] - others[0]
    return float(law[: max(place + 1, 0)].sum()), float(law[max(place, 0) :].sum())


@pytest.mark.parametrize("level", [0.95, 0.999999])
@pytest.mark.parametrize(("made", "n"), MANY, ids=str)
def test_ends_near_the_means_are_those_of_exact_tails(made: Any, n: int, level: float) -> None:
    """The count outside is rejected, and the one inside hardly is not."""
    supports, miss = near_means(made, n), (1 - level) / 2
    low, high = support_ends(made.oracle, n, supports, miss)
    for s, least, most in zip(supports.tolist(), low.tolist(), high.tolist(), strict=True):
        if least > 0:
            assert tails(made, n, math.ceil(least) - 1, s)[1] <= miss * 1.000001
        if most < n:
            assert tails(made, n, math.floor(most) + 1, s)[0] <= miss * 1.000001
        if least < n:
            assert tails(made, n, math.ceil(least + 0.01), s)[1] > miss / 3
        if most > 0:
            assert tails(made, n, math.floor(most - 0.01), s)[0] > miss / 3


@pytest.mark.parametrize("n", [1000, 2048])
@pytest.mark.parametrize("made", [OUE(math.log(3), 4), OUE(1.0, 4), GRR(math.log(3), 6)], ids=str)
def test_ends_rise_with_the_supports(made: Any, n: int) -> None:
    """At n q* supports, which is the likeliest count, an end was 0 or n."""
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)
    low, high = support_ends(made.oracle, n, np.arange(n + 1), 0.025)
    for ends in (low, high):
        assert np.all(np.diff(ends) >= -1e-6)
        assert np.all(np.diff(ends) <= 3 / (p - q) + 5)


@pytest.mark.parametrize("level", [1e-12, 1e-3, 0.1, 0.3])
@pytest.mark.parametrize("n", [7, 100, 1000])
def test_low_levels_are_kept_too(n: int, level: float) -> None:
    """Exact: at these levels ends lie where a tilt is 0."""
    for made in (OUE(math.log(3), 4), GRR(2.0, 3), GRR(0.1, 2)):
        every = Estimate(Listed(made.oracle, n + 1), n, np.arange(n + 1))
        low, high = every.interval(level)
        p, q = float(made.oracle.p_star), float(made.oracle.q_star)
        for held in {0, 1, n // 3, n // 2, n - 1, n}:
            own = binom.pmf(np.arange(held + 1), held, p)
            law = np.convolve(own, binom.pmf(np.arange(n - held + 1), n - held, q))
            assert law[low > held].sum() <= (1 - level) / 2
            assert law[high < held].sum() <= (1 - level) / 2


@pytest.mark.parametrize("n", [64 * 10**6, 10**12, 10**16, 10**18, 2**63 - 1])
@pytest.mark.parametrize("made", [GRR(1.0, 4), OUE(math.log(3), 4), GRR(0.01, 2)], ids=str)
def test_any_number_of_users_has_the_score_interval(made: Any, n: int) -> None:
    """To 1 % of its width, where the supports are nearly normal."""
    supports = near_means(made, n)
    every = Estimate(Listed(made.oracle, len(supports)), n, supports)
    expected = score_ends(made.oracle, n, every.shares, quantile(0.95))
    width = float(np.max(expected[1] - expected[0]))
    for found, other in zip(every.interval(0.95), expected, strict=True):
        assert np.all(np.abs(found - other) <= 0.01 * width)


@pytest.mark.parametrize("epsilon", [20.0, 30.0, 34.0])
def test_doubles_too_coarse_for_the_tails_make_ends_wider(epsilon: float) -> None:
    """Beyond 2^53 users an end is rounded by more than a standard error of so sharp a mechanism."""
    made, n = GRR(epsilon, 2), 2**63 - 1
    half = Estimate(Listed(made.oracle, 1), n, np.array([n // 2]))
    low, high = half.interval(0.95)
    error = 1.95 * float(half.std_error[0])
    assert n // 2 - low[0] >= error
    assert high[0] - n // 2 >= error
    assert high[0] - low[0] <= 4 * error + n / 2**48


def test_an_end_does_not_depend_on_the_others() -> None:
    """The search for each goes on until it alone is found."""
    oracle, supports = OUE(math.log(3), 4).oracle, np.array([0, 3, 240, 250, 251, 400, 999])
    together = support_ends(oracle, 1000, supports, 1e-4)
    for place, s in enumerate(supports.tolist()):
        alone = support_ends(oracle, 1000, np.array([s]), 1e-4)
        assert [ends[place] for ends in together] == [ends[0] for ends in alone]


def test_rows_top_and_consistent_have_those_ends() -> None:
    estimate = State(OUE(math.log(3), 4).oracle, 1000, np.array([250, 251, 249, 500])).estimate()
    assert 100 < estimate[0].high < 120
    assert 136 < {row.label: row.high for row in estimate.top()}[0] < 145
    assert estimate.consistent().high[0] < 145


def test_a_tail_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(tilt: Floats, *_: object) -> tuple[Floats, Floats]:
        return np.full_like(tilt, np.nan), tilt

    monkeypatch.setattr(interval_ends, "_tail", broken)
    with pytest.raises(InternalError, match="must have tails that are numbers"):
        support_ends(GRR(1.0, 4).oracle, 100, np.array([50]), 0.3)
