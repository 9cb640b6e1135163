"""BinaryRR against its written-out table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ldp_verified import BinaryRR
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("binary_rr")


@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction) -> None:
    check_ideal(BinaryRR, SPEC, 1 / u, {"k": 2}, {"u": u})


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 44.0, 700.0])
def test_the_realized_table(epsilon: float) -> None:
    check_realized(BinaryRR(epsilon), SPEC, {"k": 2})


def test_signs_can_be_the_labels() -> None:
    mechanism = BinaryRR(1.0, categories=(-1, 1))
    assert mechanism.labels == (-1, 1)
    assert mechanism.aggregate(mechanism.privatize(np.array([-1, 1, 1]), 1), simulated=True).n == 3
