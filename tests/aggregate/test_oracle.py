"""The estimator's divisors and radicands are checked first."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from ldp_verified.errors import ParameterError
from tests.aggregate.oracles import oracle


def test_k_is_that_of_the_layout() -> None:
    assert oracle(k=7).k == 7


@pytest.mark.parametrize("q_star", [Fraction(3, 4), Fraction(7, 8)])
def test_p_star_has_to_exceed_q_star(q_star: Fraction) -> None:
    with pytest.raises(ParameterError, match="p_star: must exceed q_star"):
        replace(oracle(), q_star=q_star)


@pytest.mark.parametrize("name", ["variance_absent", "variance_held"])
def test_a_variance_is_not_negative(name: str) -> None:
    replace(oracle(), variance_absent=Fraction(0), variance_held=Fraction(0))
    with pytest.raises(ParameterError, match="variance: must not be negative"):
        replace(
            oracle(),
            variance_absent=Fraction(-1 if name == "variance_absent" else 0),
            variance_held=Fraction(-1 if name == "variance_held" else 0),
        )
