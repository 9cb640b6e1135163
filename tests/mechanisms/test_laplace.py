"""Laplace noise on a grid against the density; noise in floats is seen to leak."""

from __future__ import annotations

import pytest

from ldp_verified import Laplace
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels.noise import geometric_sampler
from tests.broken.float_noise import float_laplace


def test_noise_in_floats_gives_the_input_away() -> None:
    """Mironov (2012): at 0 and at 1 the sums reach different floats, on every word of 12 bits.

    An output that only one input can give is epsilon infinite, whatever the scale says.
    """
    reached = [set(exact_distribution(float_laplace(12), x, 1).probabilities) for x in (0, 1)]
    alone = len(reached[0] ^ reached[1]) / len(reached[0] | reached[1])
    assert alone > 0.5
    ours = geometric_sampler(1, 0, 1, 2, 0)
    assert len({frozenset(exact_distribution(ours, x, 5).probabilities) for x in (0, 1)}) == 1


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 1.0, 10.0, 100.0])
def test_laplace_has_the_variance_of_the_density(epsilon: float) -> None:
    made = Laplace(epsilon, bounds=(-1, 1))
    for value in (-1.0, 0.123, 1.0):
        assert made.variance(value) * epsilon**2 / 8 == pytest.approx(1, abs=1e-6)
