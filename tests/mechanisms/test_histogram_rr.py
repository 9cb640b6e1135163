"""Histogram response: each bit has half of epsilon, and it is SUE."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import SUE, BinaryRR, HistogramRR
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("histogram_rr")


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int) -> None:
    check_ideal(HistogramRR, SPEC, 1 / u, {"k": k}, {"u": u})


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int) -> None:
    check_realized(HistogramRR(epsilon, k), SPEC, {"k": k})


def test_a_bit_is_binary_response_at_half_of_epsilon() -> None:
    histogram, bit = HistogramRR(2.0, 10), BinaryRR(1.0)
    assert histogram.ideal.p == bit.ideal.p
    assert histogram.thresholds == SUE(2.0, 10).thresholds
