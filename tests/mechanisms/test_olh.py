"""OLH and BLH against their written-out tables: every function of the family, every bucket."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import BLH, OLH
from ldp_verified.language import load
from ldp_verified.run.kernels.seeds import word_source
from tests.mechanisms.against_table import check_ideal, check_realized

(OLH_SPEC,) = [spec for spec in load("olh") if spec.name == "olh"]
(BLH_SPEC,) = load("blh")

SIZES = [(2, 2), (5, 2), (3, 3), (4, 4), (3, 5), (6, 6), (8, 4)]
POINTS = [Fraction(1001, 1000), Fraction(3), Fraction(10**9)]


@pytest.mark.parametrize(("k", "g"), SIZES)
@pytest.mark.parametrize("u", POINTS)
def test_the_formulas_are_the_table(u: Fraction, k: int, g: int) -> None:
    check_ideal(OLH, OLH_SPEC, 1 / u, {"k": k, "g": g}, {"u": u})


@pytest.mark.parametrize(("k", "g"), SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int, g: int) -> None:
    check_realized(OLH(epsilon, k, g), OLH_SPEC, {"k": k, "g": g})


@pytest.mark.parametrize("k", [2, 5, 8])
@pytest.mark.parametrize("u", POINTS)
def test_the_formulas_of_two_buckets(u: Fraction, k: int) -> None:
    check_ideal(BLH, BLH_SPEC, 1 / u, {"k": k, "g": 2}, {"u": u})


@pytest.mark.parametrize("k", [2, 5, 8])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table_of_two_buckets(epsilon: float, k: int) -> None:
    check_realized(BLH(epsilon, k), BLH_SPEC, {"k": k, "g": 2})


def test_binary_local_hashing_is_local_hashing_with_two_buckets() -> None:
    two, binary = OLH(1.0, 10, 2), BLH(1.0, 10)
    assert (two.p, two.q, two.thresholds) == (binary.p, binary.q, binary.thresholds)
    assert two.ideal == binary.ideal
    one, other = (word_source(1, "test") for _ in range(2))
    reports = two.privatize(range(10), one).data
    assert reports.tolist() == binary.privatize(range(10), other).data.tolist()
    assert two.law_sha256 != binary.law_sha256, "one table is the other at g = 2"
