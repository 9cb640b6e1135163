"""Geometric noise against the spec of which it is an instance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified import Geometric, Laplace, TruncatedGeometric
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.run.kernels.alias_noise import alias_noise
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.noise import geometric_sampler
from ldp_verified.run.kernels.prefix_noise import prefix_noise_sampler
from tests.mechanisms.against_noise import at, check_moments, check_sampler, small, spread
from tests.registry import SAMPLER, covers

(TRUNCATED,) = load("truncated_geometric")
SIZES = [(1, 0, 1, 2), (1, 2, 1, 2), (2, 0, 3, 4), (3, 1, 2, 3), (2, 3, 1, 5)]


def of_size(m: int, reach: int, numerator: int, denominator: int) -> Any:
    share = Fraction(numerator, denominator) * (1 << 63)
    return small(Geometric(1.0), m=m, reach=reach, share=int(share))


@pytest.mark.parametrize(("m", "reach", "top", "bottom"), SIZES)
def test_reports_have_the_law_of_the_spec(m: int, reach: int, top: int, bottom: int) -> None:
    made = of_size(m, reach, top, bottom)
    place = at(made, TRUNCATED)
    for i, row in enumerate(check_moments(made)):
        # The class puts both ends last.
        low, *inner, high = place.table(Fraction(i))
        assert row == [p for _, p in [*inner, low, high]]
        stands = [made.decoding.value(y) * m for y in range(made.outputs)]
        assert stands == [y for y, _ in [*inner, low, high]]
        found = made._variance_at(Fraction(i, m))
        assert abs(spread(made, row) - found) <= abs(found) / 10**25


# Words of 2 and 3 bits: alpha is a multiple of 1/2 and of 1/4; so are its powers, in digits.
SAMPLED = [(1, 0, 1, 2, 0, 6), (2, 0, 1, 2, 0, 6), (2, 0, 3, 3, 0, 6), (1, 0, 2, 3, 1, 6)]


@covers(SAMPLER, "Geometric", "Laplace")  # Laplace is it on a finer grid
@pytest.mark.parametrize(("m", "reach", "share", "width", "levels", "horizon"), SAMPLED)
def test_the_sampler_is_the_table(
    m: int, reach: int, share: int, width: int, levels: int, horizon: int
) -> None:
    made = small(Geometric(1.0), m=m, reach=reach, share=share << (64 - width))
    check_sampler(made, geometric_sampler(m, reach, share, width, levels), horizon)


@pytest.mark.parametrize(("m", "reach", "share", "horizon"), [(1, 0, 3, 7), (1, 1, 1, 7)])
def test_powers_of_two_digits_are_compared_to_the_end(
    m: int, reach: int, share: int, horizon: int
) -> None:
    width = 3 if share == 3 else 2
    made = small(Geometric(1.0), m=m, reach=reach, share=share << (64 - width))
    check_sampler(made, geometric_sampler(m, reach, share, width, 1), horizon)


def test_another_alpha_is_seen() -> None:
    made = small(Geometric(1.0), m=2, reach=0, share=3 << 61)
    with pytest.raises(AssertionError):
        check_sampler(made, geometric_sampler(2, 0, 2, 3, 0), 6)


def test_an_end_one_step_off_is_seen() -> None:
    made = small(Geometric(1.0), m=1, reach=1, share=1 << 62)
    with pytest.raises(AssertionError):
        check_sampler(made, geometric_sampler(2, 0, 1, 2, 0), 6)


@pytest.mark.parametrize("cls", [Geometric, TruncatedGeometric, Laplace])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 20.0, 700.0])
def test_the_realized_epsilon_is_just_below_the_claim(cls: Any, epsilon: float) -> None:
    made = cls(epsilon)
    assert 0 <= made.gap <= 1e-12 * epsilon
    assert not made.saturated


def test_one_step_saturates_where_a_word_is_too_coarse() -> None:
    made = Geometric(700.0, grid=1)
    assert made.saturated
    assert 43 < made.realized_epsilon < 44


@pytest.mark.parametrize("grid", [0, -1, 1.5, True, "8", (1 << 20) + 1])
def test_other_grids_are_refused(grid: Any) -> None:
    with pytest.raises(ParameterError, match="grid"):
        Geometric(1.0, grid=grid)


def test_an_epsilon_below_the_grid_is_refused() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        Geometric(1e-300)


def test_integers_are_not_rounded_on_their_own_grid() -> None:
    """Counts of 0..9: the noise alone has variance 2 alpha/(1 - alpha)^2, in steps."""
    made = Geometric(3.0, bounds=(0, 9), grid=9)
    alpha = math.exp(-3 / 9)
    assert made.variance(4) == pytest.approx(2 * alpha / (1 - alpha) ** 2, rel=1e-12)
    assert made.variance(4.5) == pytest.approx(2 * alpha / (1 - alpha) ** 2 + 0.25, rel=1e-12)


def test_a_grid_is_part_of_the_identity() -> None:
    one, two = Geometric(1.0, grid=16), Geometric(1.0)
    assert one.steps == two.steps
    assert one.identity != two.identity
    assert "grid=16" in repr(one)


def test_the_sampler_of_the_class_is_that_of_its_numbers() -> None:
    made = Geometric(1.0)
    sampler: Sampler = made.sampler()
    assert sampler == alias_noise(*made.thresholds)
    fine: Sampler = Laplace(1.0).sampler()
    assert fine == prefix_noise_sampler(*Laplace(1.0).thresholds)
    finest = Geometric(1.0, grid=1 << 12)
    assert finest.sampler() == geometric_sampler(*finest.thresholds)
