"""Basic RAPPOR against its two steps, written out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.language import load
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.run.mechanisms import BasicRappor
from tests.mechanisms.against_table import check_realized

(SPEC, _, _) = load("rappor")
POINTS = [
    (Fraction(1, 2), Fraction(1, 2), Fraction(3, 4)),
    (Fraction(1, 100), Fraction(1, 10), Fraction(9, 10)),
    (Fraction(99, 100), Fraction(2, 5), Fraction(3, 5)),
]


@pytest.mark.parametrize("noise,low,high", POINTS)
def test_the_table_is_the_two_steps(noise: Fraction, low: Fraction, high: Fraction) -> None:
    table = expand(SPEC, {"noise": noise, "low": low, "high": high, "k": 3})
    for column in table.columns:
        for x in range(3):
            chance = Fraction(1)
            for bit, reported in enumerate(column.output):
                kept = 1 - noise / 2 if bit == x else noise / 2
                one = kept * high + (1 - kept) * low
                chance *= one if reported else 1 - one
            assert table.probability(column, x) == chance


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("noise,low,high", POINTS)
def test_the_realized_table(noise: Fraction, low: Fraction, high: Fraction, k: int) -> None:
    check_realized(BasicRappor(noise, low, high, k), SPEC, {"k": k})


def test_epsilon_is_half_of_that_of_two_hashes() -> None:
    """One hash: half of the published 1.07429 for two."""
    mechanism = BasicRappor(0.5, 0.5, 0.75, 64)
    assert mechanism.epsilon == pytest.approx(1.07429 / 2, abs=5e-6)
