"""Warner against its written-out table."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import Warner
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("warner")


@pytest.mark.parametrize("gamma", [Fraction(1, 1000), Fraction(1, 4), Fraction(499, 1000)])
def test_the_formulas_are_the_table(gamma: Fraction) -> None:
    check_ideal(Warner, SPEC, gamma, {"k": 2}, {"gamma": gamma})


@pytest.mark.parametrize("gamma", [1e-6, 0.1, 0.25, Fraction(1, 3), 0.4999999])
def test_the_realized_table(gamma: float | Fraction) -> None:
    check_realized(Warner(gamma), SPEC, {"k": 2})


def test_a_dyadic_gamma_is_realized_exactly() -> None:
    mechanism = Warner(0.25)
    assert (mechanism.p, mechanism.q) == (Fraction(3, 4), Fraction(1, 4))
    assert mechanism.realized_epsilon == mechanism.epsilon
