"""The test of sums of weights: valid, and as sharp as it says."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from ldp_verified.check.conformance.linear import LinearSumTest


def test_the_bound_on_a_sum_is_above_the_exact_tail() -> None:
    n, p = 400, 0.3
    test = LinearSumTest(np.array([[1 - p, p]]), np.array([0.0, 1.0]), np.array([float(n)]))
    for count in (60, 90, 110, 119, 121, 140, 200):
        exact = 2 * min(binom.cdf(count, n, p), binom.sf(count - 1, n, p))
        bound = test.p_value(float(count))
        assert exact <= bound <= 1
        if abs(count - n * p) > 30:
            assert bound < 100 * exact


def test_the_stated_shift_is_detected() -> None:
    n, level, miss = 10_000, 1e-6, 1e-6
    test = LinearSumTest(np.array([[0.5, 0.5]]), np.array([-1.0, 1.0]), np.array([float(n)]))
    shift = test.detectable(level, miss)
    # A mean of `shift` with the same spread: its sums beyond the critical one are all but certain.
    inside = [c for c in range(n + 1) if test.p_value(2.0 * c - n) > level]
    missed = binom.cdf(max(inside), n, 0.5 + shift / 2)
    assert missed <= miss
    assert shift < 0.2
