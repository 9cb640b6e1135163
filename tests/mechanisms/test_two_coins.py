"""Two coins against the table on paper, and the fair ones against Warner's response."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ldp_verified import FairCoins, TwoCoins, Warner
from ldp_verified.errors import ParameterError


@pytest.mark.parametrize("heads", [Fraction(1, 8), Fraction(1, 2), Fraction(7, 8)])
@pytest.mark.parametrize("yes", [Fraction(1, 16), Fraction(1, 4), Fraction(1, 2)])
def test_the_table(heads: Fraction, yes: Fraction) -> None:
    """Powers of two, so that no probability is rounded."""
    made = TwoCoins(heads, yes)
    tails = 1 - heads
    assert made.rows == (
        (heads + tails * (1 - yes), tails * yes),
        (tails * (1 - yes), heads + tails * yes),
    )
    assert made.epsilon == pytest.approx(math.log((heads + tails * yes) / (tails * yes)))


def test_fair_coins_are_warners_response_at_a_quarter() -> None:
    fair, warner = FairCoins(), Warner(0.25)
    assert fair.thresholds == warner.thresholds
    assert fair.epsilon == warner.epsilon
    assert fair.epsilon == pytest.approx(math.log(3))
    assert TwoCoins(0.5, 0.5).rows == ((fair.p, fair.q), (fair.q, fair.p))


@pytest.mark.parametrize(("heads", "yes"), [(0, 0.5), (1, 0.5), (0.5, 0), (0.5, 0.75), (0.5, 1)])
def test_other_coins_are_refused(heads: float, yes: float) -> None:
    with pytest.raises(ParameterError, match=r"heads|yes"):
        TwoCoins(heads, yes)
