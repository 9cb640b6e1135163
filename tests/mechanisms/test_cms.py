"""The count mean sketch against its written-out table, and its corners."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import CMS, SUE
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("cms")
SIZES = [(2, 2), (4, 2), (3, 3), (3, 4), (2, 5)]


@pytest.mark.parametrize(("k", "buckets"), SIZES)
@pytest.mark.parametrize("s", [Fraction(1001, 1000), Fraction(3), Fraction(10**9)])
def test_the_formulas_are_the_table(s: Fraction, k: int, buckets: int) -> None:
    check_ideal(CMS, SPEC, 1 / s, {"k": k, "buckets": buckets}, {"s": s})


@pytest.mark.parametrize(("k", "buckets"), SIZES)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 700.0])
def test_the_realized_table(epsilon: float, k: int, buckets: int) -> None:
    made = CMS(epsilon, k, buckets)
    check_realized(made, SPEC, {"k": k, "buckets": buckets})
    assert made.realized_epsilon <= epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_bits_are_those_of_symmetric_unary_encoding(epsilon: float) -> None:
    sketch, plain = CMS(epsilon, 10**6, 1024, 64, 1), SUE(epsilon, 1024)
    assert sketch.thresholds == plain.thresholds
    # The noise is that of the bits, times (m/(m - 1))^2; the rest are collisions, none at f = 1.
    noise = plain.variance(1000, 1.0) * (1024 / 1023) ** 2
    assert sketch.variance(1000, 1.0) == pytest.approx(noise, rel=1e-12)


def test_what_a_report_takes() -> None:
    assert CMS(1.0, 10**6, 1024, 65536).bits_per_report == 1024 + 16
    assert CMS(1.0, 4, 2).bits_per_report == 2 + 2


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((1.0, 1, 4), "k"),
        ((1.0, 4, 1), "buckets"),
        ((1.0, 4, 2**16 + 1), "buckets"),
        ((1.0, 4, 4.0), "buckets"),
        ((1.0, 4, 3, 10), "buckets"),
        ((1.0, 4, 4, 0), "rows"),
        ((1.0, 4, 4, True), "rows"),
        ((1.0, 4, 4, None, 3), "seed"),
        ((1.0, 4, 4, 8, -1), "seed"),
        ((1.0, 10**6, 1024), "rows"),
        ((0.0, 4, 4), "epsilon"),
    ],
)
def test_other_arguments_are_refused(arguments: tuple[float, ...], name: str) -> None:
    with pytest.raises(ParameterError) as error:
        CMS(*arguments)  # type: ignore[arg-type]  # some are of a wrong type, which is the point
    assert error.value.argument == name
