"""Keeping the value or drawing a uniform one: the thresholds and reports of GRR."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import GRR, KeepOrUniform
from ldp_verified.language import load
from ldp_verified.run.kernels.seeds import word_source
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("keep_or_uniform")


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int) -> None:
    check_ideal(KeepOrUniform, SPEC, 1 / u, {"k": k}, {"u": u})


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table_is_that_of_k_ary_response(epsilon: float, k: int) -> None:
    made, grr = KeepOrUniform(epsilon, k), GRR(epsilon, k)
    check_realized(made, SPEC, {"k": k})
    assert made.thresholds == grr.thresholds
    one, other = (word_source(3, "test") for _ in range(2))
    assert (
        made.privatize(range(k), one).data.tolist() == grr.privatize(range(k), other).data.tolist()
    )
