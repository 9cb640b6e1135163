"""Staircase noise against its spec."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ldp_verified import Laplace, Staircase
from ldp_verified.language import load
from ldp_verified.run.kernels.staircase import staircase_sampler
from tests.mechanisms.against_noise import (
    at,
    check_bounded,
    check_moments,
    check_sampler,
    small,
    spread,
)
from tests.registry import SAMPLER, covers

(SPEC,) = load("staircase")
SIZES = [(2, 1, 1, 2), (3, 1, 2, 3), (3, 2, 1, 1), (4, 1, 1, 3)]


def of_size(m: int, w: int, periods: int, quarters: int) -> Any:
    return small(Staircase(1.0), m=m, w=w, periods=periods, share=quarters << 61)


@pytest.mark.parametrize(("m", "w", "periods", "quarters"), SIZES)
def test_cells_have_the_law_of_the_spec(m: int, w: int, periods: int, quarters: int) -> None:
    made = of_size(m, w, periods, quarters)
    place, d = at(made, SPEC), made.decoding
    for i, row in enumerate(check_moments(made)):
        x = Fraction(2 * i, m) - 1
        for y in range(d.cells):
            assert row[y] == place.density(d.value(y) - x) * d.step


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_folding_leaves_the_variance_alone(epsilon: float) -> None:
    """At the sizes of the class the ends weigh nothing; here at 60 periods little."""
    plain = Staircase(epsilon)
    made = small(plain, m=4, w=2, periods=60, share=plain._share)
    row = [made.pmf(y, 1) for y in range(made.outputs)]
    found = made._variance_at(Fraction(-1, 2))
    assert abs(spread(made, row) / found - 1) < 1e-6


# Words of 2 bits, so a decay of 1/2.
SAMPLED = [(1, 1, 0, 7), (2, 1, 0, 7), (1, 1, 1, 7)]


@covers(SAMPLER, "Staircase")
@pytest.mark.parametrize(("m", "w", "levels", "horizon"), SAMPLED)
def test_the_sampler_is_the_table(m: int, w: int, levels: int, horizon: int) -> None:
    made = small(Staircase(1.0), m=m, w=w, periods=1, share=1 << 62)
    check_sampler(made, staircase_sampler(m, w, 1, 1, 2, levels), horizon)


def test_the_sampler_is_the_table_up_to_what_has_not_finished() -> None:
    """Where cells or ends are rejected one after the other, which the tree does not recognise."""
    made = small(Staircase(1.0), m=3, w=1, periods=1, share=1 << 62)
    check_bounded(made, staircase_sampler(3, 1, 1, 1, 2, 0), 8, 0.05)
    made = small(Staircase(1.0), m=2, w=1, periods=1, share=1 << 61)
    check_bounded(made, staircase_sampler(2, 1, 1, 1, 3, 0), 5, 0.25)


def test_a_high_step_too_wide_is_seen() -> None:
    made = small(Staircase(1.0), m=3, w=1, periods=1, share=1 << 62)
    with pytest.raises(AssertionError):
        check_bounded(made, staircase_sampler(3, 2, 1, 1, 2, 0), 8, 0.05)


def test_another_decay_is_seen() -> None:
    made = small(Staircase(1.0), m=2, w=1, periods=1, share=3 << 61)
    with pytest.raises(AssertionError):
        check_bounded(made, staircase_sampler(2, 1, 1, 1, 3, 0), 5, 0.25)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 20.0])
def test_the_realized_epsilon_is_just_below_the_claim(epsilon: float) -> None:
    made = Staircase(epsilon)
    assert 0 <= made.gap <= 1e-11 * epsilon
    assert not made.saturated


def test_a_huge_epsilon_saturates() -> None:
    made = Staircase(700.0)
    assert made.saturated
    assert 43 < made.realized_epsilon < 44


@pytest.mark.parametrize(("epsilon", "ratio"), [(0.1, 1.0), (1.0, 0.97), (5.0, 0.38), (20.0, 3e-4)])
def test_the_variance_is_below_that_of_laplace_noise(epsilon: float, ratio: float) -> None:
    """Geng et al. (2015), in the order of e^(-2 eps/3) against eps^-2."""
    assert Staircase(epsilon).variance(0.3) < ratio * Laplace(epsilon).variance(0.3)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 8.0])
def test_no_other_step_has_less_variance(epsilon: float) -> None:
    """Among all multiples of 1/m; the neighbours of the chosen one are the closest rivals."""
    made = Staircase(epsilon)
    least = made._variance_at(Fraction(0))
    for w in {1, made._w - 1, made._w + 1, made._m - 1} - {0, made._w}:
        other = small(made, m=made._m, w=w, periods=made._periods, share=made._share)
        assert other._variance_at(Fraction(0)) >= least
