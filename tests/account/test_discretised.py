"""Bounds on a grid against exact composition, and against another library."""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldp_verified.analysis.account import (
    PrivacyLoss,
    composed,
    dominating_pair,
    losses,
    realized_losses,
)
from ldp_verified.analysis.account.discretised import Composition, LossGrid
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.run.mechanisms import GRR
from tests.strategies import channels

# It has no types.
privacy_loss_distribution: Any = importlib.import_module(
    "dp_accounting.pld.privacy_loss_distribution"
)


@settings(max_examples=25, deadline=None)
@example([[Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]], 6, 0.0)
@given(channels(3, 3), st.integers(1, 6), st.floats(0, 4))
def test_the_bounds_bracket_the_exact_delta(
    rows: list[list[Fraction]], times: int, epsilon: float
) -> None:
    """Each loss is moved by a step at most, and a sum h larger adds at most 1 - e^-h to delta."""
    loss = PrivacyLoss(zip(rows[0], rows[1], strict=True))
    exact = loss.repeated(times).delta_at(epsilon)
    found = composed(loss, times)
    assert found.delta_below(epsilon) <= exact
    assert math.nextafter(found.delta(epsilon), 1) >= exact
    assert found.delta(epsilon) - exact <= -math.expm1(-times * float(found.step)) + 2**-40


@settings(max_examples=20, deadline=None)
@given(channels(2, 3), channels(2, 3), st.floats(0, 3))
def test_different_reports(
    rows: list[list[Fraction]], more: list[list[Fraction]], epsilon: float
) -> None:
    parts = [PrivacyLoss(zip(each[0], each[1], strict=True)) for each in (rows, more)]
    exact = parts[0].together(parts[1]).delta_at(epsilon)
    found = composed(parts)
    assert found.delta_below(epsilon) <= exact <= math.nextafter(found.delta(epsilon), 1)


@pytest.mark.parametrize("largest", [50, 400])
def test_a_short_grid_stays_on_the_safe_side(largest: int) -> None:
    loss = dominating_pair(Fraction(3))
    exact = loss.repeated(20).delta_at(2.0)
    found = composed(loss, 20, step=Fraction(1, 64), largest=largest)
    assert found.delta_below(2.0) <= exact <= found.delta(2.0)


def test_the_epsilon_that_is_found_has_its_delta() -> None:
    loss = dominating_pair(Fraction(3, 2))
    found = composed(loss, 50)
    epsilon = found.epsilon(1e-6)
    assert found.delta(epsilon) <= 1e-6
    exact = loss.repeated(50).epsilon(1e-6)
    assert exact <= epsilon <= exact + 1e-3


def test_mass_at_infinity_is_never_lost() -> None:
    most = Fraction(999, 1000)
    loss = PrivacyLoss([(1 - most, Fraction(0)), (most, Fraction(1))])
    found = composed(loss, 10)
    assert found.delta(30.0) >= float(1 - most**10)
    assert found.epsilon(1e-3) == math.inf


@pytest.mark.parametrize("times,interval", [(1, 1e-5), (30, 2e-5), (200, 5e-5)])
def test_the_other_library_agrees(times: int, interval: float) -> None:
    # k-ary randomized response: theirs is stated by the probability of a uniform report.
    (loss,) = losses(load("grr")[0], {"u": Fraction(2), "k": 5})
    theirs = privacy_loss_distribution.from_randomized_response(
        5 / 6, 5, value_discretization_interval=interval
    ).self_compose(times)
    ours = composed(loss, times)
    for epsilon in (0.1, 0.5, 2.0):
        # Theirs is pessimistic too, by at most times * interval in epsilon.
        assert ours.delta_below(epsilon) <= theirs.get_delta_for_epsilon(epsilon) + 1e-9
        shifted = theirs.get_delta_for_epsilon(epsilon + interval * times)
        assert shifted <= ours.delta(epsilon) + 1e-9


def test_losses_of_an_object_are_below_its_claim() -> None:
    mechanism = GRR(1.0, 10)
    (loss,) = realized_losses(mechanism)
    assert loss.epsilon() == mechanism.realized_epsilon
    assert loss.ratio == mechanism.p / mechanism.q


def test_a_grid_that_forgets_infinity_is_seen() -> None:
    """A planted error: the mass that leaves the top of the grid is dropped."""
    loss = dominating_pair(Fraction(3))
    found = composed(loss, 20, step=Fraction(1, 64), largest=200)
    upper = found.upper
    assert upper.infinite > 0
    broken = Composition(LossGrid(upper.first, upper.masses, 0), found.lower, found.step)
    exact = loss.repeated(20).delta_at(5.0)
    assert broken.delta(5.0) < exact <= found.delta(5.0)


def test_arguments_are_checked() -> None:
    loss = dominating_pair(Fraction(3))
    with pytest.raises(ParameterError, match="losses"):
        composed([])
    with pytest.raises(ParameterError, match="times"):
        composed(loss, 0)
    with pytest.raises(ParameterError, match="step"):
        composed(loss, step=0)
    for step in (1e-10, 1e-300, Fraction(1, 10**400)):
        with pytest.raises(ParameterError, match="step: must leave at most"):
            composed(loss, step=step)


@pytest.mark.parametrize("losses", [[1], None, 3, [None], [(1, 1)]])
def test_what_are_no_losses_is_named(losses: Any) -> None:
    with pytest.raises(ParameterError, match="losses"):
        composed(losses)
