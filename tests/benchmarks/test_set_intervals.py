"""The measurement of intervals of mined sets, small: its populations, and what it counts."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.set_intervals import K, N, population
from benchmarks.set_intervals import coverages as measured
from ldp_verified.protocols import SVIM


@pytest.mark.parametrize(("sizes", "mean"), [("alike", 6.3), ("different", 3.7)])
def test_the_sizes_of_sets_are_those_that_the_table_states(sizes: str, mean: float) -> None:
    holds = population(sizes, np.random.default_rng(1))
    assert holds.shape == (N, K)
    assert holds.sum(axis=1).mean() == pytest.approx(mean, abs=0.1)


def test_each_run_has_a_share_of_intervals_and_a_mean_error() -> None:
    """Errors are in standard errors: of 3 runs none is beyond 8, with chance above 1 - 1e-14."""
    holds = np.zeros((3000, 4), dtype=np.bool_)
    holds[:, :2] = True
    shares, errors = measured(SVIM(12.0, 4, 2), holds, 3, np.random.default_rng(1))
    assert shares.shape == errors.shape == (3,)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert np.abs(errors).max() < 8
