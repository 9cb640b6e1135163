"""The truncated law: no ends beyond the bounds, and what they save."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import Duchi, Geometric, TruncatedGeometric
from ldp_verified.run.kernels.noise import geometric_sampler
from tests.mechanisms.against_noise import check_moments, check_sampler, small, spread
from tests.registry import SAMPLER, covers


@pytest.mark.parametrize("grid", [1, 2, 3])
def test_reports_are_the_grid_and_unbiased(grid: int) -> None:
    made = TruncatedGeometric(1.0, grid=grid)
    assert made.outputs == grid + 1
    for i, row in enumerate(check_moments(made)):
        found = made._variance_at(Fraction(i, grid))
        assert abs(spread(made, row) - found) <= abs(found) / 10**25


def test_one_step_is_the_sign_mechanism() -> None:
    """Two reports with the probabilities and the length of Duchi's."""
    one, two = TruncatedGeometric(1.0, grid=1), Duchi(1.0)
    assert one.variance(0.3) == pytest.approx(two.variance(0.3), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_cutting_at_the_bounds_lowers_the_variance(epsilon: float) -> None:
    assert TruncatedGeometric(epsilon).worst_variance < Geometric(epsilon).worst_variance


@covers(SAMPLER, "TruncatedGeometric")
@pytest.mark.parametrize(("m", "share", "width"), [(1, 1, 2), (2, 1, 2), (2, 3, 3)])
def test_the_sampler_is_the_table(m: int, share: int, width: int) -> None:
    """Every sequence of narrow words, without ends beyond the bounds."""
    made = small(TruncatedGeometric(1.0), m=m, reach=0, share=share << (64 - width))
    check_sampler(made, geometric_sampler(m, 0, share, width, 0), 6)
