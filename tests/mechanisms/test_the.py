"""Thresholded histogram encoding against its written-out table, and as a point of UE."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import THE, UE
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_realized

SPEC = load("the")[0]
CASES = [(1, Fraction(3, 2)), (1.25, 1.5), (1.5, 4.0), (2.0, 1.0001), (1e150, 1e150)]


@pytest.mark.parametrize(("kept", "raised"), CASES)
@pytest.mark.parametrize("k", [2, 3])
def test_the_realized_table(kept: float, raised: float, k: int) -> None:
    check_realized(THE(kept, raised, k), SPEC, {"k": k})


@pytest.mark.parametrize(("kept", "raised"), CASES[:-1])
def test_it_is_unary_encoding(kept: float, raised: float) -> None:
    made = THE(kept, raised, 7)
    a, c = Fraction(kept), Fraction(raised)
    plain = UE(1 / (2 * c), 1 - 1 / (2 * a), 7)
    assert made.thresholds == plain.thresholds
    assert made.epsilon == plain.epsilon


@pytest.mark.parametrize(("kept", "raised", "name"), [(0.5, 2.0, "kept"), (1.0, 1, "raised")])
def test_other_parameters_are_refused(kept: float, raised: float, name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        THE(kept, raised, 3)
