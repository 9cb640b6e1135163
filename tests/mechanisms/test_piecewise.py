"""The piecewise mechanism against its spec."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import Piecewise
from ldp_verified.language import load
from ldp_verified.run.kernels.window import window_sampler
from tests.mechanisms.against_density import check_law, check_sampler, small
from tests.registry import SAMPLER, covers

(SPEC,) = load("piecewise")
SIZES = [(2, 1), (3, 2), (5, 3), (7, 2), (6, 5)]


def of_size(m: int, w: int) -> Piecewise:
    made: Piecewise = small(Piecewise(1.0), m=m, w=w, inside=m, total=m + w)
    return made


@pytest.mark.parametrize(("m", "w"), SIZES)
def test_cells_are_the_density_at_s_equal_to_m_over_w(m: int, w: int) -> None:
    made = of_size(m, w)
    assert made.s == Fraction(m, w)
    check_law(made, SPEC)


@covers(SAMPLER, "Piecewise")
@pytest.mark.parametrize(("m", "w"), SIZES)
def test_the_sampler_is_the_table(m: int, w: int) -> None:
    check_sampler(of_size(m, w), window_sampler(m, w, m, m + w, width=4), 4)


def test_one_cell_too_many_in_the_window_is_seen() -> None:
    with pytest.raises(AssertionError):
        check_sampler(of_size(5, 3), window_sampler(5, 4, 5, 8, width=4), 4)


def test_a_window_of_the_wrong_weight_is_seen() -> None:
    with pytest.raises(AssertionError):
        check_law(small(Piecewise(1.0), m=5, w=3, inside=6, total=8), SPEC)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 20.0])
def test_the_realized_epsilon_is_just_below_the_claim(epsilon: float) -> None:
    made = Piecewise(epsilon)
    assert 0 <= made.gap <= 1e-9 * epsilon
    assert not made.saturated


def test_a_huge_epsilon_saturates() -> None:
    made = Piecewise(700.0)
    assert made.saturated
    assert 44 < made.realized_epsilon < 45
    assert "saturated=True" in repr(made)
