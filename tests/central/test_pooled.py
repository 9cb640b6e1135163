"""The best unbiased combination of a curator's answer and local ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified import BinaryRR
from ldp_verified.analysis.central import Count, GeometricNoise, PooledPart, of_all, pooled, release
from ldp_verified.errors import ParameterError


def test_no_other_weights_have_a_smaller_variance() -> None:
    """For two parts an identity of sympy's; for three a grid of weights around the best ones."""
    v, w, t = sympy.symbols("v w t", positive=True)
    left = t**2 * v + (1 - t) ** 2 * w - v * w / (v + w)
    assert sympy.simplify(left - (t * (v + w) - w) ** 2 / (v + w)) == 0
    parts = [PooledPart(0.0, 1.0, 5), PooledPart(0.0, 2.0, 5), PooledPart(0.0, 0.5, 5)]
    best = pooled(parts)
    assert best.weights == pytest.approx([4 / 21, 1 / 21, 16 / 21])
    assert best.std_error**2 == pytest.approx(4 / 21)
    for a in range(-4, 5):
        for b in range(-4, 5):
            other = [best.weights[0] + a / 50, best.weights[1] + b / 50]
            other.append(1 - sum(other))
            variance = sum(x**2 * each.std_error**2 for x, each in zip(other, parts, strict=True))
            assert variance >= best.std_error**2 * (1 - 1e-12)


def test_parts_may_be_pooled_one_after_the_other() -> None:
    parts = [PooledPart(1.0, 1.0, 5), PooledPart(2.0, 2.0, 7), PooledPart(4.0, 0.5, 9)]
    two = pooled(parts[:2])
    again = pooled([PooledPart(two.value, two.std_error, 12), parts[2]])
    assert again.value == pytest.approx(pooled(parts).value)
    assert again.std_error == pytest.approx(pooled(parts).std_error)


def test_the_mean_of_all_users_weights_by_size() -> None:
    found = of_all(
        [PooledPart(np.array([1.0, 0.0]), 1.0, 30), PooledPart(np.array([5.0, 4.0]), 2.0, 10)]
    )
    assert found.value.tolist() == [2.0, 1.0]
    assert found.weights == (0.75, 0.25)
    assert found.std_error == pytest.approx(math.sqrt(0.75**2 + 0.5**2))


def test_drawing_users_counts_where_a_population_is_asked_about() -> None:
    parts = [PooledPart(0.0, 1e-9, 100), PooledPart(0.0, 1e-9, 300)]
    assert pooled(parts, spread=1.0).weights == pytest.approx([0.25, 0.75])
    assert pooled(parts, spread=1.0).std_error == pytest.approx(0.05)


def test_both_kinds_of_users_say_more_than_either(seed: int) -> None:
    """Null: 300 pooled shares have the stated error and no bias, n = 5000.

    Their mean square over the variance is 1 with a standard error below 0.15 (noise of fourth
    moments up to 6); beyond 3 or below 0.3, and a mean beyond 8 errors, with probability < 1e-10.
    """
    n, trusting = 5000, 50
    held = np.arange(n) % 4 == 0
    local = BinaryRR(1.0)
    errors = []
    for s in range(300):
        curator = release(
            held[:trusting], Count(), GeometricNoise(0.25), neighbours="replace", rng=seed + s
        )
        assert curator.std_error is not None
        reports = local.privatize(held[trusting:].astype(int), seed + s)
        rest = n - trusting
        share = local.aggregate(reports, simulated=True).estimate().shares[1]
        # Of every share: the noise of a bit does not depend on the bit.
        spread = math.sqrt(local.variance(rest, Fraction(1, 2))) / rest
        one = PooledPart(curator.value / trusting, curator.std_error / trusting, trusting)
        both = pooled([one, PooledPart(float(share), spread, rest)])
        assert both.std_error < min(one.std_error, spread)
        exact = both.weights[0] * held[:trusting].mean() + both.weights[1] * held[trusting:].mean()
        errors.append((both.value - exact) / both.std_error)
        assert both.disagreement < 80
    assert 0.3 < np.mean(np.square(errors)) < 3
    assert abs(np.mean(errors)) < 8 / 300**0.5


def test_groups_that_differ_disagree() -> None:
    assert pooled(
        [PooledPart(0.0, 1.0, 5), PooledPart(10.0, 1.0, 5)]
    ).disagreement == pytest.approx(50)


@pytest.mark.parametrize("error", [1e-140, 1e140])
@pytest.mark.parametrize("combine", [pooled, of_all])
def test_the_least_and_the_largest_error_keep_their_squares(combine: Any, error: float) -> None:
    found = combine([PooledPart(error, error, 3), PooledPart(-error, error, 3)])
    assert found.std_error == pytest.approx(error / 2**0.5)
    assert found.disagreement == pytest.approx(2)


@pytest.mark.filterwarnings("error")
def test_what_is_worlds_apart_disagrees_without_bounds() -> None:
    parts = [PooledPart(1e300, 1e-140, 3), PooledPart(-1e300, 1e-140, 3)]
    assert of_all(parts).disagreement == math.inf
    assert pooled(parts, spread=1 / 3).value == 0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PooledPart(0.0, 0.0, 1),
        lambda: PooledPart(0.0, -1.0, 1),
        lambda: PooledPart(0.0, float("inf"), 1),
        lambda: PooledPart(0.0, 1.0, 0),
        lambda: PooledPart(float("nan"), 1.0, 1),
        lambda: pooled([]),
        lambda: of_all([]),
        lambda: pooled([PooledPart(0.0, 1.0, 1), PooledPart(np.zeros(2), 1.0, 1)]),
        lambda: pooled([PooledPart(0.0, 1.0, 1)], spread=-1.0),
        lambda: pooled([PooledPart(0.0, 1.0, 1)], spread=float("nan")),
        lambda: pooled([PooledPart(0.0, 1.0, 1)], spread="1"),  # type: ignore[arg-type]  # wrong on purpose
        lambda: pooled(PooledPart(0.0, 1.0, 1)),  # type: ignore[arg-type]  # wrong on purpose
        lambda: PooledPart("x", 1.0, 1),
        lambda: PooledPart(0.0, 1e-200, 1),
        lambda: PooledPart(0.0, 1e200, 1),
        lambda: PooledPart(0.0, 10**400, 1),
        lambda: PooledPart(0.0, True, 1),
        lambda: pooled([PooledPart(0.0, 1.0, 1)], spread=1e200),
        lambda: pooled([PooledPart(0.0, 1.0, 1)], spread=10**400),
    ],
)
def test_what_is_wrong_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError):
        wrong()
