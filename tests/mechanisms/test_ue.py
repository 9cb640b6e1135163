"""General unary encoding against its written-out table, and SUE and OUE as two of its points."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import OUE, SUE, UE
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_realized

(SPEC,) = load("ue")
POINTS = [(0.25, 0.5), (1e-6, 0.999999), (0.5, 0.75), (Fraction(1, 3), Fraction(2, 3))]


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize(("zero", "one"), POINTS)
def test_the_realized_table(zero: float, one: float, k: int) -> None:
    check_realized(UE(zero, one, k), SPEC, {"k": k})


@pytest.mark.parametrize("made", [SUE(1.0, 5), OUE(1.0, 5)], ids=["sue", "oue"])
def test_the_unary_encodings_are_points_of_it(made: SUE | OUE) -> None:
    same = UE(made.q, made.p, 5)
    assert same.thresholds == made.thresholds
    assert same.realized_epsilon == made.realized_epsilon
    assert (same.p_star, same.q_star) == (made.p_star, made.q_star)


@pytest.mark.parametrize(("zero", "one"), [(0, 0.5), (0.5, 0.5), (0.5, 1), (0.6, 0.5), (-0.1, 0.5)])
def test_other_probabilities_are_refused(zero: float, one: float) -> None:
    with pytest.raises(ParameterError, match=r"zero|one"):
        UE(zero, one, 5)
