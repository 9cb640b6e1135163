"""The exponential mechanism draws exactly, and scores what it says."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import chisquare

from ldp_verified.analysis.central import ExponentialMechanism, MostFrequent, Neighbours, Quantile
from ldp_verified.analysis.central.selection import drawn, located
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source

FAR, TIMES = [0, 1, 2, 5, 40, 1000], [1, 3, 2, 7, 1, 9]
RATES = [Fraction(1, 2), Fraction(1, 100), Fraction(7)]


def cells(rate: Fraction, bits: int) -> list[int]:
    """The cells of length 2^-bits of [0, 1) in which one group ends and the next begins."""
    with ctx.workprec(30_000):
        x = arb(rate.numerator) / rate.denominator
        weights = [n * (-x * d).exp() for n, d in zip(TIMES, FAR, strict=True)]
        whole = sum(weights, arb(0))
        ends = [total / whole * arb(2) ** bits for total in accumulate(weights[:-1])]
        return [int(str(end.floor().unique_fmpz())) for end in ends]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("bits", [64, 128, 1024])
def test_the_group_changes_where_the_sum_of_the_weights_does(rate: Fraction, bits: int) -> None:
    """Beside the cells of the ends every number is decided, and rightly; in them none is."""
    ends = cells(rate, bits)
    near = {end + step for end in ends for step in (-1, 0, 1)} | {0, (1 << bits) - 1}
    for uniform in sorted(each for each in near if 0 <= each < 1 << bits):
        group = sum(end < uniform for end in ends)
        expected = None if uniform in ends else group
        assert located(FAR, TIMES, rate, uniform, bits) == expected


@pytest.mark.parametrize("rate", RATES)
def test_words_are_drawn_until_they_decide(rate: Fraction) -> None:
    cell = cells(rate, 256)[0]
    words = [cell >> (192 - 64 * i) & ((1 << 64) - 1) for i in range(4)]
    assert drawn(FAR, TIMES, rate, ReplayWords([*words, 0, 0, 0, 0])) == 0
    assert drawn(FAR, TIMES, rate, ReplayWords([*words[:2], 0, 0])) == 0


@pytest.mark.parametrize("rate", RATES)
def test_groups_have_their_shares(rate: Fraction, seed: int) -> None:
    """Null: shares proportional to times e^(-rate far); level 1e-10, n = 20,000.

    A share that is off by 0.04 is missed with probability < 1e-9.
    """
    source, n = word_source(seed, "test", str(rate)), 20_000
    found = np.bincount([drawn(FAR, TIMES, rate, source) for _ in range(n)], minlength=len(FAR))
    weights = np.array(TIMES) * np.exp(-float(rate) * np.array(FAR))
    expected = weights / weights.sum() * n
    some = expected > 50
    expected[some] *= found[some].sum() / expected[some].sum()
    assert found[~some].sum() <= 400
    if some.sum() > 1:
        assert chisquare(found[some], expected[some]).pvalue > 1e-10


def test_members_of_a_group_are_alike(seed: int) -> None:
    """Null: all 8 candidates of one score are alike; level 1e-10, n = 20,000."""
    by, source = ExponentialMechanism(1.0), word_source(seed, "test")
    scores = np.zeros(8, dtype=np.int64)
    found = np.bincount([by.draw(scores, 1, source) for _ in range(20_000)], minlength=8)
    assert chisquare(found).pvalue > 1e-10


def test_scores_of_a_quantile_are_distances_in_rank() -> None:
    made = Quantile(0.5, 0, 4, 5)
    assert made.scores([0.5, 1.0, 1.0, 3.5]).tolist() == [-4, 0, -2, -2, -4]
    assert made.scores([2.0] * 4).tolist() == [-4, -4, 0, -4, -4]
    low = Quantile(Fraction(1, 4), 0, 4, 5)
    assert low.scores([0.5, 1.0, 1.0, 3.5]).tolist() == [-4, 0, -8, -8, -12]
    assert [low.sensitivity(each) for each in Neighbours] == [3, 4]


def test_a_decimal_is_meant() -> None:
    assert Quantile(0.1, 0, 1).sensitivity(Neighbours.REPLACE) == 10


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 0, 1),
        (1.0, 0, 1),
        (0.123456789, 0, 1),
        (True, 0, 1),
        (0.5, 1, 0),
        (0.5, 0, 1, 1),
        (0.5, 0, 1, 1 << 21),
        (0.5, 0, float("inf")),
        (0.5, -1e308, 1e308, 11),
        (0.5, 0, 1e141),
        (0.5, 0, 5e-324),
        (0.5, 0, Fraction(10**400)),
        (0.5, Fraction(10**400), Fraction(10**400) + 1),
    ],
)
def test_a_quantile_that_is_none_is_refused(arguments: Any) -> None:
    with pytest.raises(ParameterError):
        Quantile(*arguments)


def test_values_that_are_none_are_refused() -> None:
    with pytest.raises(DomainError):
        Quantile(0.5, 0, 1).scores([0.5, float("nan")])
    with pytest.raises(DomainError):
        MostFrequent(3).scores([3])
    for beta in (0.0, 1.0):
        with pytest.raises(ParameterError):
            ExponentialMechanism(1.0).shortfall(10, 1, beta)


def test_the_score_falls_short_as_seldom_as_promised() -> None:
    """Exactly, for all scores of 4 candidates up to 6: weights in doubles, errors far below."""
    by = ExponentialMechanism(1.0)
    for beta in (0.01, 0.2, 0.9):
        far = by.shortfall(4, 1, beta)
        for d in np.ndindex(7, 7, 7):
            weights = np.exp(-np.array([0, *d]) / 2)
            assert weights[np.array([0, *d]) > far].sum() / weights.sum() <= beta
