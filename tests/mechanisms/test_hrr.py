"""One-bit Hadamard response against its written-out table."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import HRR
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("hrr")
SIZES = [2, 3, 4, 7, 8]


@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int) -> None:
    check_ideal(HRR, SPEC, 1 / u, {"k": k}, {"u": u})


@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int) -> None:
    check_realized(HRR(epsilon, k), SPEC, {"k": k})


@pytest.mark.parametrize("k", [1, 0, 2**31, 2.0])
def test_other_sizes_are_refused(k: int) -> None:
    with pytest.raises(ParameterError, match="k"):
        HRR(1.0, k)
