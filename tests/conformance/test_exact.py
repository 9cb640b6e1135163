"""The tests behind conformance hold their level exactly, and their stated power.

Levels are looked at by adding up the exact law over all outcomes of small toys: under the null, a
p-value must fall at or below any a with probability at most a.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, chi2

from ldp_verified.check.conformance.exact import (
    BinomialSumTest,
    BinomialTests,
    CoverageTest,
    SpreadTest,
    count_law,
)
from ldp_verified.check.conformance.results import ClassComparison

if TYPE_CHECKING:
    from collections.abc import Iterable

# Rounding of p-values in the last places; the levels themselves are exact fractions.
ROUNDING = Fraction(1, 10**9)


def _binomial(n: int, p: Fraction) -> list[Fraction]:
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def _holds_its_level(outcomes: Iterable[tuple[Fraction, float]]) -> None:
    """Given (exact probability, p-value) of every outcome."""
    mass: dict[float, Fraction] = {}
    for probability, p_value in outcomes:
        mass[p_value] = mass.get(p_value, Fraction(0)) + probability
    assert sum(mass.values()) == 1
    below = Fraction(0)
    for p_value, probability in sorted(mass.items()):
        below += probability
        assert below <= Fraction(p_value) * (1 + ROUNDING)


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 50), Fraction(1, 3), Fraction(1)])
def test_level_of_a_binomial_test(n: int, p: Fraction) -> None:
    p_values = BinomialTests(n, np.array([float(p)])).p_values(np.arange(n + 1))
    _holds_its_level(zip(_binomial(n, p), map(float, p_values), strict=True))


def test_level_of_several_classes_joined() -> None:
    """Every outcome of nine draws from three classes, the p-values of all joined by Bonferroni."""
    masses = (Fraction(1, 2), Fraction(3, 8), Fraction(1, 8))
    n = 9
    p = np.array([float(m) for m in masses])
    planned = ClassComparison(subject="s", name="t", n=n, limit=1.0, labels=("a", "b", "c"), p=p)
    outcomes = []
    for counts in product(range(n + 1), repeat=3):
        if sum(counts) == n:
            ways = factorial(n) // prod(map(factorial, counts))
            probability = ways * prod((m**c for m, c in zip(masses, counts, strict=True)))
            found = planned.counted(np.array(counts), 0.1, 0.1)
            outcomes.append((Fraction(probability), found.p_value))
    _holds_its_level(outcomes)


@pytest.mark.parametrize(("holders", "others"), [(5, 9), (0, 12), (12, 0)])
def test_level_of_a_sum(holders: int, others: int) -> None:
    p, q = Fraction(3, 4), Fraction(1, 8)
    law = [Fraction(0)] * (holders + others + 1)
    for a, b in product(range(holders + 1), range(others + 1)):
        law[a + b] += _binomial(holders, p)[a] * _binomial(others, q)[b]
    test = BinomialSumTest(holders, others, float(p), float(q))
    _holds_its_level((law[c], test.p_value(c)) for c in range(len(law)))


@pytest.mark.parametrize("repeats", [1, 2, 4])
def test_level_of_the_spread(repeats: int) -> None:
    """Every outcome of a few small populations; mean and variance are exact in binary."""
    p, q = Fraction(3, 4), Fraction(1, 4)
    law = [Fraction(0)] * 4
    for a, b in product(range(2), range(3)):
        law[a + b] += _binomial(1, p)[a] * _binomial(2, q)[b]
    test = SpreadTest(np.array([float(mass) for mass in law]), repeats)
    outcomes = []
    for counts in product(range(4), repeat=repeats):
        squares = sum((c - test.mean) ** 2 for c in counts)
        outcomes.append((prod((law[c] for c in counts), start=Fraction(1)), test.p_value(squares)))
    _holds_its_level(outcomes)


@pytest.mark.parametrize("coverage", [Fraction(19, 20), Fraction(97, 100), Fraction(1)])
def test_level_of_coverage_holds_at_and_above_the_least(coverage: Fraction) -> None:
    test = CoverageTest(40, 0.95)
    below = Fraction(0)
    for c, probability in enumerate(_binomial(40, coverage)):
        below += probability
        # The law of the null's edge, in floats, rounds 0.95 too.
        assert below <= Fraction(test.p_value(c)) * (1 + ROUNDING)


def test_count_law_is_the_convolution() -> None:
    law = count_law(1, 2, 0.75, 0.25)
    assert law == pytest.approx([9 / 64, 33 / 64, 19 / 64, 3 / 64], rel=1e-12)


@pytest.mark.parametrize("n", [1000, 500_000])
@pytest.mark.parametrize("p", [0.0, 1e-6, 0.01, 0.5, 0.99, 1.0])
def test_detectable_deviations_are_detected_and_no_smaller(n: int, p: float) -> None:
    """The power at the stated deviation, by scipy's binomial law; a little nearer it is less."""
    level, miss = 1e-9, 1e-8
    tests = BinomialTests(n, np.array([p]))
    (deviation,) = tests.detectable(level, miss)
    counts = np.arange(n + 1)
    p_values = BinomialTests(n, np.full(n + 1, p)).p_values(counts)
    rejected = counts[p_values <= level]
    accepted = counts[p_values > level]
    first, last = accepted.min(), accepted.max()
    assert len(rejected) + last - first + 1 == n + 1  # What is accepted is an interval.

    def missed(true: float) -> float:
        return float(binom.cdf(last, n, true) - binom.cdf(first - 1, n, true))

    sides = [true for true in (p - deviation, p + deviation) if 0 <= true <= 1]
    for true in sides:
        assert missed(true) <= miss * 1.001 or true in (0.0, 1.0)
    nearer = [p - 0.98 * deviation, p + 0.98 * deviation]
    assert any(missed(true) > miss for true in nearer if 0 <= true <= 1)


def test_probabilities_next_to_0_and_1_have_a_detectable_deviation() -> None:
    """One report that is too rare to come by chance is rejected, so 1 - miss**(1/n) is detected."""
    n, level, miss = 250, 1e-13, 1e-3
    p = np.array([0.0, 1e-300, 1.7e-18, 1e-12, 1 - 1e-15, 1 - 1e-16, 1.0])
    found = BinomialTests(n, p).detectable(level, miss)
    once, twice = 1 - miss ** (1 / n), brentq(lambda q: binom.cdf(1, n, q) - miss, 0.001, 0.5)
    assert found == pytest.approx([once, once, once, twice, twice, once, once], rel=1e-9)


def test_detectable_shift_of_a_sum_is_detected() -> None:
    level, miss = 1e-6, 1e-6
    holders, others, p, q = 3000, 7000, 0.6, 0.25
    test = BinomialSumTest(holders, others, p, q)
    shift = test.detectable(level, miss)
    accepted = [c for c in range(2500, 5000) if test.p_value(c) > level]
    for direction in (-1, 1):
        counts = np.arange(holders + 1)
        weights = binom.pmf(counts, holders, p + direction * shift)
        low, high = min(accepted), max(accepted)
        chance = q + direction * shift
        missed = weights @ (
            binom.cdf(high - counts, others, chance) - binom.cdf(low - 1 - counts, others, chance)
        )
        assert missed <= miss * 1.001
    # A binomial test alone, with no second kind of user, agrees to 3%.
    single = BinomialSumTest(10_000, 0, 0.3, 0.5).detectable(level, miss)
    (expected,) = BinomialTests(10_000, np.array([0.3])).detectable(level, miss)
    assert single == pytest.approx(expected, rel=0.03)


def test_detectable_spread_is_detected_under_a_normal_law() -> None:
    """The law of the sum of squares is then a multiple of chi-square; its tails are exact."""
    level, miss = 1e-9, 1e-8
    test = SpreadTest(count_law(150, 350, 0.5, 0.25), 4000)
    deviation = test.detectable(level, miss)
    assert 0.2 < deviation < 0.4
    total = test.variance * test.repeats
    low, high = (
        brentq(lambda step: math.log(test.p_value(step * total) / level), *ends, xtol=1e-9)
        for ends in ((0.5, 0.99), (1.01, 1.6))
    )
    for scale in (1 + deviation, 1 - deviation):
        missed = chi2.cdf(high * 4000 / scale, 4000) - chi2.cdf(low * 4000 / scale, 4000)
        assert missed <= miss * 1.01
    assert SpreadTest(count_law(2, 2, 0.5, 0.25), 3).detectable(level, miss) == float("inf")


def test_detectable_coverage_is_detected() -> None:
    level, miss = 1e-9, 1e-8
    test = CoverageTest(4000, 0.94)
    shortfall = test.detectable(level, miss)
    critical = max(c for c in range(4001) if test.p_value(c) <= level)
    assert binom.sf(critical, 4000, 0.94 - shortfall) <= miss * 1.001
    assert binom.sf(critical, 4000, 0.94 - 0.98 * shortfall) > miss
    assert CoverageTest(3, 0.94).detectable(level, miss) == 0.94  # No outcome can be rejected.
