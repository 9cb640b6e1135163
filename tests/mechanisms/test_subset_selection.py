"""Subset selection against its written-out table, and the omega that it picks."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import GRR, SubsetSelection
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("subset_selection")
SIZES = [(2, 1), (3, 1), (3, 2), (5, 1), (5, 2), (5, 4), (7, 3)]


@pytest.mark.parametrize(("k", "omega"), SIZES)
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int, omega: int) -> None:
    check_ideal(SubsetSelection, SPEC, 1 / u, {"k": k, "omega": omega}, {"u": u})


@pytest.mark.parametrize(("k", "omega"), SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int, omega: int) -> None:
    check_realized(SubsetSelection(epsilon, k, omega), SPEC, {"k": k, "omega": omega})


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.7, 1.0, 1.5, 3.0, 8.0, 700.0])
@pytest.mark.parametrize("k", [2, 3, 4, 10, 40])
def test_no_other_size_has_a_smaller_variance(epsilon: float, k: int) -> None:
    best = SubsetSelection(epsilon, k)
    smallest = min(SubsetSelection(epsilon, k, w).ideal.variance(10**6) for w in range(1, k))
    assert best.ideal.variance(10**6) == smallest


def test_one_value_is_k_ary_response() -> None:
    one, grr = SubsetSelection(2.0, 9, 1), GRR(2.0, 9)
    assert one.ideal.p == grr.ideal.p
    assert one.ideal.q == grr.ideal.q
    assert one.ideal.variance(1000, 0.25) == pytest.approx(grr.ideal.variance(1000, 0.25))


def test_the_best_size_is_near_the_optimum_at_uniform_shares() -> None:
    assert SubsetSelection(1.0, 1000).omega == 269  # 1000/(e + 1) = 268.9
    assert SubsetSelection(10.0, 1000).omega == 1


@pytest.mark.parametrize(("k", "omega"), [(5, 0), (5, 5), (2, 2), (1, 1), (5, 2.0), (5, True)])
def test_other_sizes_are_refused(k: int, omega: int) -> None:
    with pytest.raises(ParameterError, match="k" if k == 1 else "omega"):
        SubsetSelection(1.0, k, omega)
