"""Renyi divergences against their definition in floats, and as bounds on epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.analysis.account import (
    PrivacyLoss,
    dominating_pair,
    renyi_divergence,
    renyi_epsilon,
)
from ldp_verified.errors import ParameterError
from tests.strategies import channels


@given(channels(), st.sampled_from([1.0, 1.5, 2.0, 7.0, math.inf]))
def test_the_divergence_is_its_definition(rows: list[list[Fraction]], order: float) -> None:
    pairs = [(float(p), float(q)) for p, q in zip(rows[0], rows[1], strict=True)]
    if order == 1.0:
        value = sum(p * math.log(p / q) for p, q in pairs)
    elif order == math.inf:
        value = max(math.log(p / q) for p, q in pairs)
    else:
        value = math.log(sum(p**order * q ** (1 - order) for p, q in pairs)) / (order - 1)
    loss = PrivacyLoss(zip(rows[0], rows[1], strict=True))
    assert renyi_divergence(loss, order) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("times", [1, 10, 100])
def test_the_epsilon_is_an_upper_bound(times: int) -> None:
    loss = dominating_pair(Fraction(3, 2))
    exact = loss.repeated(times).epsilon(1e-5)
    assert exact <= renyi_epsilon(loss, times, 1e-5)


def test_arguments_are_checked() -> None:
    loss = dominating_pair(2)
    with pytest.raises(ParameterError, match="order"):
        renyi_divergence(loss, 0.5)
    with pytest.raises(ParameterError, match="delta"):
        renyi_epsilon(loss, 1, 0.0)
    with pytest.raises(ParameterError, match="orders"):
        renyi_epsilon(loss, 1, 0.1, [Fraction(1)])


@pytest.mark.parametrize("orders", [[math.inf], [math.nan], [2, 1], ["2"], [], (), None, 3])
def test_what_are_no_orders_is_refused(orders: Any) -> None:
    with pytest.raises(ParameterError, match="orders"):
        renyi_epsilon(dominating_pair(3), 3, 1e-5, orders)


@pytest.mark.parametrize(
    "orders", [np.array([2.0, 3.0]), [np.int64(2), 3], (2, Fraction(3)), {2, 3}]
)
def test_orders_may_be_any_numbers(orders: Any) -> None:
    loss = dominating_pair(3)
    assert renyi_epsilon(loss, 3, 1e-5, orders) == renyi_epsilon(loss, 3, 1e-5, [2, 3])
