"""Local hashing in cohorts against its written-out table, and against OLH at the same prime."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import OLH, HashCohorts
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("hash_cohorts")
SIZES = [(2, 2), (5, 2), (3, 3), (7, 3), (3, 5), (6, 5)]


@pytest.mark.parametrize(("k", "g"), SIZES)
@pytest.mark.parametrize("u", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(u: Fraction, k: int, g: int) -> None:
    check_ideal(HashCohorts, SPEC, 1 / u, {"k": k, "g": g}, {"u": u})


@pytest.mark.parametrize(("k", "g"), SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int, g: int) -> None:
    check_realized(HashCohorts(epsilon, k, g), SPEC, {"k": k, "g": g})


@pytest.mark.parametrize("g", [2, 3, 5, 23])
def test_thresholds_are_those_of_local_hashing(g: int) -> None:
    cohorts, olh = HashCohorts(1.5, 20, g), OLH(1.5, 20, g)
    assert cohorts.thresholds == olh.thresholds
    assert cohorts.ideal == olh.ideal


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 3.0])
def test_no_other_prime_has_a_smaller_variance(epsilon: float) -> None:
    best = HashCohorts(epsilon, 100)
    primes = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
    found = [HashCohorts(epsilon, 100, g).ideal.variance(10**6) for g in primes]
    assert best.ideal.variance(10**6) == min(found)


@pytest.mark.parametrize(("k", "g"), [(5, 4), (5, 1), (5, 2.0), (10**6, 101)])
def test_other_sizes_are_refused(k: int, g: int) -> None:
    with pytest.raises(ParameterError, match="k" if k > 5 else "g"):
        HashCohorts(1.0, k, g)
