"""SUE against its written-out table."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import SUE
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("sue")


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("s", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(s: Fraction, k: int) -> None:
    check_ideal(SUE, SPEC, 1 / s, {"k": k}, {"s": s})


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 44.0, 700.0])
def test_the_realized_table(epsilon: float, k: int) -> None:
    check_realized(SUE(epsilon, k), SPEC, {"k": k})
