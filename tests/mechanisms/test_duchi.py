"""Duchi's mechanism against its spec."""

from __future__ import annotations

import pytest

from ldp_verified import Duchi
from ldp_verified.language import load
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.realize.real_numbers.sign import Sign
from tests.mechanisms.against_density import check_law, check_sampler, small
from tests.registry import SAMPLER, covers

(SPEC,) = load("duchi")


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 20.0, 44.0])
def test_the_atoms_are_the_density(epsilon: float) -> None:
    made = Duchi(epsilon)
    check_law(made, SPEC)
    assert made.gap >= 0
    assert made.saturated == (epsilon == 44.0)


@covers(SAMPLER, "Duchi")
@pytest.mark.parametrize("lie", [1, 3, 7])
def test_the_sampler_is_the_table(lie: int) -> None:
    # The same share of 2^64 as `lie` is of 2^4.
    made = small(Duchi(1.0), sign=Sign(lie << 60))
    check_sampler(made, grr_sampler(2, lie, width=4), 1)
    check_law(made, SPEC)


def test_a_lie_too_few_is_seen() -> None:
    made = small(Duchi(1.0), sign=Sign(3 << 60))
    with pytest.raises(AssertionError):
        check_sampler(made, grr_sampler(2, 2, width=4), 1)
