"""The second of two steps: the least noise, and its client."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from scipy import stats

from ldp_verified.errors import DomainError
from ldp_verified.protocols.second_step import least_noise, response_client


def test_the_least_noise_is_the_least() -> None:
    for target, most in product((0.1, 1.0, 3.0), (50, 1000)):

        def ratio(lie: int, most: int = most) -> Fraction:
            return Fraction(2 * most - lie, lie)

        found = least_noise(ratio, most, target)
        assert ratio(found) <= math.exp(target)
        assert found == 1 or ratio(found - 1) > math.exp(target)


def test_the_second_response_has_its_threshold() -> None:
    """Null: a lie is each of 4 values with probability 1/8; level 1e-9; 20,000 answers."""
    report, n = response_client(4, 1 << 61), 20_000
    said = [report(2) for _ in range(n)]
    expected = [n * p for p in (1 / 8, 1 / 8, 5 / 8, 1 / 8)]
    assert stats.chisquare([said.count(y) for y in range(4)], expected).pvalue > 1e-9


def test_an_answer_out_of_range_is_refused() -> None:
    with pytest.raises(DomainError, match="value"):
        response_client(4, 1 << 61)(4)
