"""Group privacy and the dominating pair, against written-out tables."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.analysis.account import PrivacyLoss, dominating_pair, group_privacy
from ldp_verified.errors import ParameterError
from tests.strategies import channels


@given(channels(), st.integers(1, 3), st.fractions(min_value=1, max_value=6, max_denominator=8))
def test_a_group_costs_no_more_than_the_rule_says(
    rows: list[list[Fraction]], size: int, level: Fraction
) -> None:
    loss = PrivacyLoss(zip(rows[0], rows[1], strict=True))
    delta = loss.delta(level)
    epsilon, share = group_privacy(math.log(level), float(delta), size)
    # All of the group change at once, each with a report of their own.
    exact = loss.repeated(size).delta(level**size)
    assert float(exact) <= share * (1 + 1e-12) + 1e-15
    assert epsilon == pytest.approx(size * math.log(level))


def test_the_geometric_sum_is_smaller_than_the_printed_rule() -> None:
    """Course notes give K e^(K eps) delta; the sum of e^(i eps), i < K, is below it."""
    epsilon, delta = group_privacy(1.0, 1e-9, 4)
    assert epsilon == 4.0
    assert 4e-9 < delta < 4 * math.exp(4) * 1e-9
    assert group_privacy(0.0, 1e-3, 4)[1] == pytest.approx(4e-3)
    assert group_privacy(1.0, 0.0, 4) == (4.0, 0.0)


@pytest.mark.parametrize("epsilon", [0.0, 5e-324, 1e-20, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_the_closed_form_is_the_sum_rounded_up(epsilon: float, size: int) -> None:
    with ctx.workprec(4000):
        level = arb(epsilon).exp()
        whole = sum((level**i for i in range(size)), arb(0)) * arb(1e-30)
        found = group_privacy(epsilon, 1e-30, size)[1]
        assert arb(found) >= whole.min(1)
        assert arb(math.nextafter(math.nextafter(found, 0), 0)) < whole


def test_a_group_of_any_size_is_answered() -> None:
    """Term by term, these would not end within a lifetime."""
    assert group_privacy(0.0, 1e-200, 10**190)[1] == pytest.approx(1e-10)
    assert group_privacy(1e-200, 1e-200, 10**190)[1] == pytest.approx(1e-10)
    assert group_privacy(1.0, 1e-30, 10**100) == (1e100, 1.0)


@given(channels(), channels(), st.fractions(min_value=1, max_value=9, max_denominator=9))
def test_nothing_of_the_same_epsilon_has_a_larger_delta(
    rows: list[list[Fraction]], more: list[list[Fraction]], level: Fraction
) -> None:
    parts = [PrivacyLoss(zip(each[0], each[1], strict=True)) for each in (rows, more)]
    both = [part.together(part.reversed) for part in parts]
    ratio = max(
        max(part.ratio or Fraction(0), part.reversed.ratio or Fraction(0)) for part in parts
    )
    worst = dominating_pair(ratio)
    assert all(part.delta(level) <= worst.delta(level) for part in parts)
    assert parts[0].together(parts[1]).delta(level) <= worst.repeated(2).delta(level)
    assert all(part.delta(level) <= worst.repeated(2).delta(level) for part in both)


def binary_delta(u: Fraction, a: Fraction, b: Fraction, k: int) -> Fraction:
    """The recursion of that name in proofs/lib/Domination.v."""
    if k == 0:
        return max(Fraction(0), a - b)
    w = u / (u + 1)
    return binary_delta(u, w * a, (1 - w) * b, k - 1) + binary_delta(u, (1 - w) * a, w * b, k - 1)


@pytest.mark.parametrize("u", [Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("k", [0, 1, 2, 5])
def test_the_pair_is_that_of_the_theorem(u: Fraction, k: int) -> None:
    for level in (Fraction(1), Fraction(5, 4), Fraction(7)):
        claimed = binary_delta(u, Fraction(1), level, k)
        found = dominating_pair(u).repeated(k).delta(level) if k else max(Fraction(0), 1 - level)
        assert found == claimed


def test_arguments_are_checked() -> None:
    with pytest.raises(ParameterError, match="size"):
        group_privacy(1.0, 0.0, 0)
    with pytest.raises(ParameterError, match="level"):
        dominating_pair(Fraction(1, 2))
