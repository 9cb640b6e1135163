"""Bounds: their level and power computed exactly, by code that shares nothing with them."""

from __future__ import annotations

from itertools import product
from math import comb, exp, log

import pytest

from ldp_verified.check.audit.bounds.bounds import (
    METHODS,
    Stake,
    Tally,
    best_method,
    ceiling,
    check_claim,
    guaranteed,
    lower_bound,
    power,
    samples_needed,
)
from ldp_verified.errors import ParameterError

LEVEL = 0.05
N = 24


def law(n: int, plus: float, minus: float) -> dict[tuple[int, int], float]:
    """The trinomial law of (plus, minus), by its formula."""
    rest = max(0.0, 1 - plus - minus)
    return {
        (a, b): comb(n, a) * comb(n - a, b) * plus**a * minus**b * rest ** (n - a - b)
        for a in range(n + 1)
        for b in range(n + 1 - a)
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("stake", [Stake(), Stake(3.0), Stake(1.0, 0.5)], ids=str)
def test_the_bound_is_above_the_truth_with_probability_at_most_its_level(
    method: str, delta: float, stake: Stake
) -> None:
    """Exact: all counts are enumerated, at randomizers that keep the claim with equality."""
    if delta and method == "conditional":
        with pytest.raises(ParameterError, match="split"):
            lower_bound(Tally(1, 1, 2), stake, LEVEL, delta, method)
        return
    for epsilon, minus in product((0.0, 0.5, 1.5), (0.02, 0.1, 0.25, 0.4)):
        plus = exp(epsilon) * minus / stake.odds + stake.share * delta
        if plus + minus > 1:
            continue
        wrong = sum(
            chance
            for (a, b), chance in law(N, plus, minus).items()
            if lower_bound(Tally(a, b, N), stake, LEVEL, delta, method) > epsilon + 1e-12
        )
        assert wrong <= LEVEL, (epsilon, minus, wrong)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("plus,minus", [(0.5, 0.1), (0.9, 0.1), (0.05, 0.01), (0.3, 0.0)])
def test_power_is_what_enumeration_says(method: str, plus: float, minus: float) -> None:
    for target in (0.0, 0.3, 1.0):
        expected = sum(
            chance
            for (a, b), chance in law(N, plus, minus).items()
            if lower_bound(Tally(a, b, N), Stake(), LEVEL, 0.0, method) > target
        )
        found = power(plus, minus, N, Stake(), LEVEL, target=target, method=method)
        assert found == pytest.approx(expected, abs=1e-9)


def pooled_k_rr(k: int, epsilon: float) -> tuple[float, float, Stake]:
    p = exp(epsilon) / (exp(epsilon) + k - 1)
    return p, 1 - p, Stake(k - 1.0)


def pooled_bits(epsilon: float, one: float, zero: float) -> tuple[float, float, Stake]:
    del epsilon
    return one * (1 - zero), zero * (1 - one), Stake()


def pooled_hash(epsilon: float, g: int) -> tuple[float, float, Stake]:
    p = exp(epsilon) / (exp(epsilon) + g - 1)
    return p * (1 - 1 / g), p * (1 - 1 / g) / exp(epsilon), Stake()


def pooled_subset(epsilon: float, k: int, w: int) -> tuple[float, float, Stake]:
    u = exp(epsilon)
    whole = u * comb(k - 1, w - 1) + comb(k - 1, w)
    return u * comb(k - 2, w - 1) / whole, comb(k - 2, w - 1) / whole, Stake()


def targets() -> list[tuple[str, float, float, tuple[float, float, Stake]]]:
    found = [("k-RR, k = 200", 1.0, 0.90, pooled_k_rr(200, 1.0))]
    for eps in (1.0, 2.0):
        u = exp(eps)
        half = exp(eps / 2) / (exp(eps / 2) + 1)
        found += [
            ("binary RR", eps, 0.95, pooled_k_rr(2, eps)),
            ("OUE", eps, 0.95, pooled_bits(eps, 0.5, 1 / (u + 1))),
            ("SUE", eps, 0.95, pooled_bits(eps, half, 1 - half)),
            ("OLH", eps, 0.95, pooled_hash(eps, round(u) + 1)),
            ("Hadamard response", eps, 0.95, (u / (u + 1) / 2, 1 / (u + 1) / 2, Stake())),
            ("subset selection", eps, 0.95, pooled_subset(eps, 64, round(64 / (u + 1)))),
        ]
    return found


@pytest.mark.parametrize("name,epsilon,share,sides", targets(), ids=lambda v: str(v)[:20])
def test_a_million_samples_reach_most_of_a_true_claim(
    name: str, epsilon: float, share: float, sides: tuple[float, float, Stake]
) -> None:
    """Level 0.01, n = 1e6 in all: P(bound >= share * eps) >= 0.95, by the exact law."""
    plus, minus, stake = sides
    assert plus * stake.odds / minus == pytest.approx(exp(epsilon)), name
    method = best_method(plus, minus, 10**6, stake, 0.01)
    reached = power(plus, minus, 10**6, stake, 0.01, target=share * epsilon, method=method)
    assert reached >= 0.95


def test_what_is_promised_before_is_reached_with_the_stated_probability() -> None:
    plus, minus, stake = pooled_k_rr(5, 1.0)
    promised = guaranteed(plus, minus, 5000, stake, 0.01)
    assert power(plus, minus, 5000, stake, 0.01, target=promised) >= 0.95
    assert power(plus, minus, 5000, stake, 0.01, target=promised + 0.01) < 0.95


def test_the_ceiling_is_the_bound_of_a_perfect_sample() -> None:
    found = ceiling(1000, 0.01)
    theta = 0.01 ** (1 / 1000)  # all plus: theta^n = level
    assert found == pytest.approx(log(theta / (1 - theta)))
    assert lower_bound(Tally(1000, 0, 1000), Stake(), 0.01) == pytest.approx(found)
    assert ceiling(0, 0.01) == 0.0


def test_a_zero_count_gives_a_finite_bound() -> None:
    assert 2 < lower_bound(Tally(50, 0, 100), Stake(), 0.01) < 4
    assert lower_bound(Tally(0, 50, 100), Stake(), 0.01) == 0.0


def test_samples_needed_are_enough_and_not_far_from_necessary() -> None:
    plus, minus = 0.6, 0.2
    n = samples_needed(plus, minus, Stake(), 0.01, target=0.9)
    assert n is not None
    assert power(plus, minus, n, Stake(), 0.01, target=0.9) >= 0.95
    assert power(plus, minus, round(0.85 * n), Stake(), 0.01, target=0.9) < 0.95
    assert samples_needed(plus, minus, Stake(), 0.01, target=1.2, most=10**6) is None


@pytest.mark.parametrize("epsilon,delta", [(-1, 0), (float("nan"), 0), (True, 0), (1, 1), (1, -1)])
def test_a_claim_that_is_none_is_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(ParameterError):
        check_claim(epsilon, delta)


def test_a_tally_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="plus"):
        Tally(3, 3, 5)
