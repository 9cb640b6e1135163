"""The hybrid mechanism against its spec, and its switch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldp_verified import Hybrid
from ldp_verified.language import load
from ldp_verified.run.kernels.window import hybrid_sampler
from ldp_verified.run.realize.real_numbers.hybrid import mixing_is_better
from tests.mechanisms.against_density import check_law, check_sampler, small
from tests.registry import SAMPLER, covers

SPEC = load("hybrid")[0]
(DUCHI,) = load("duchi")
SIZES = [(2, 1), (3, 1), (3, 2)]


@pytest.mark.parametrize(("m", "w"), [*SIZES, (5, 3), (7, 2)])
def test_cells_and_atoms_are_the_density_at_s_equal_to_m_over_w(m: int, w: int) -> None:
    check_law(small(Hybrid(1.0), m=m, w=w), SPEC)


@covers(SAMPLER, "Hybrid")
@pytest.mark.parametrize(("m", "w"), SIZES)
def test_the_sampler_is_the_table(m: int, w: int) -> None:
    check_sampler(small(Hybrid(1.0), m=m, w=w), hybrid_sampler(m, w, width=4), 5)


def test_other_sizes_are_seen() -> None:
    with pytest.raises(AssertionError):
        check_sampler(small(Hybrid(1.0), m=3, w=2), hybrid_sampler(3, 1, width=4), 5)


def test_below_the_switch_it_is_duchis() -> None:
    made = Hybrid(0.5)
    assert not made.mixed
    assert made.instance_of == "duchi"
    check_law(made, DUCHI)


def test_the_switch_is_where_the_claim_says() -> None:
    """The one real root of 3 s^3 - s^2 + s - 7; the authors print 0.61."""
    (root,) = (r.real for r in np.roots([3, -1, 1, -7]) if r.imag == 0)
    switch = 2 * math.log(root)
    assert not mixing_is_better(switch - 1e-9)
    assert mixing_is_better(switch + 1e-9)
    assert round(switch, 2) == 0.61
    assert [Hybrid(e).mixed for e in (0.6, 0.62, 2.0, 3.0)] == [False, True, True, True]


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 0.62, 1.0, 5.0, 20.0])
def test_the_realized_epsilon_is_just_below_the_claim(epsilon: float) -> None:
    made = Hybrid(epsilon)
    assert 0 <= made.gap <= 1e-9 * epsilon
