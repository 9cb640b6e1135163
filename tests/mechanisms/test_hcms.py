"""The Hadamard count mean sketch against its written-out table, and its corners."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import HCMS
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("hcms")
SIZES = [(2, 2), (4, 2), (7, 2), (3, 4), (4, 4)]


@pytest.mark.parametrize(("k", "buckets"), SIZES)
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int, buckets: int) -> None:
    check_ideal(HCMS, SPEC, 1 / u, {"k": k, "buckets": buckets}, {"u": u})


@pytest.mark.parametrize(("k", "buckets"), SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int, buckets: int) -> None:
    made = HCMS(epsilon, k, buckets)
    check_realized(made, SPEC, {"k": k, "buckets": buckets})
    assert made.realized_epsilon <= epsilon


def test_what_a_report_takes() -> None:
    assert HCMS(1.0, 10**6, 1024, 65536).bits_per_report == 1 + 10 + 16


@pytest.mark.parametrize("buckets", [3, 6, 1, 2**17])
def test_only_powers_of_two_have_a_matrix(buckets: int) -> None:
    with pytest.raises(ParameterError, match="buckets"):
        HCMS(1.0, 4, buckets)
