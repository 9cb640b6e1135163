"""Projective geometry response against its written-out table, and the prime that it picks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from ldp_verified import PGR
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("pgr")
SIZES = [(2, 2, 4), (7, 2, 8), (8, 2, 16), (4, 3, 9), (6, 3, 27), (5, 5, 25)]
"""(k, q, Q)."""


@pytest.mark.parametrize(("k", "prime", "vectors"), SIZES)
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int, prime: int, vectors: int) -> None:
    sizes = {"k": k, "prime": prime, "vectors": vectors}
    check_ideal(PGR, SPEC, 1 / u, sizes, {"u": u})


@pytest.mark.parametrize(("k", "prime", "vectors"), SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int, prime: int, vectors: int) -> None:
    made = PGR(epsilon, k, prime)
    assert made.vectors == vectors
    check_realized(made, SPEC, {"k": k, "prime": prime, "vectors": vectors})


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_other_prime_has_a_smaller_variance(epsilon: float) -> None:
    best = PGR(epsilon, 100).ideal.variance(10**6)
    assert all(best <= PGR(epsilon, 100, q).ideal.variance(10**6) for q in (2, 3, 5, 7, 19, 101))


@pytest.mark.parametrize(
    ("k", "prime"), [(5, 4), (5, 1), (5, 9), (5, 2.0), *product([2**25, 2**40], [2, None])]
)
def test_other_sizes_are_refused(k: int, prime: int | None) -> None:
    with pytest.raises(ParameterError, match="k: must" if k > 5 else "prime"):
        PGR(1.0, k, prime)


def test_many_values_take_the_prime_of_the_paper() -> None:
    """Feldman, Nelson, Nguyen and Talwar (2022) use 149 for 22,000 and 3,307,948 values at 5."""
    u = Fraction(math.exp(5.0))
    for k in (22_000, 3_307_948):
        made = PGR(5.0, k)
        assert made.prime == 149
        q, vectors = made.field, made.vectors
        total = q**2 * ((vectors - q**2) * (u - 1) + vectors * q - q**2) * (u - 1 + q)
        formula = total / (q**2 * (q - 1) * vectors * (u - 1) ** 2)
        assert float(made.ideal.variance(1)) == pytest.approx(float(formula), rel=1e-6)
