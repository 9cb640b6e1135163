"""Reports in buckets: which one each cell is in, what is refused, and what is implausible."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified import SquareWave
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.buckets import BUCKETS, BucketLayout
from ldp_verified.run.aggregate.state import State


@pytest.mark.parametrize("cells", [3, 1024, 1025, 5000, (1 << 32) - 2])
def test_a_cell_is_in_the_bucket_that_starts_last_before_it(cells: int) -> None:
    layout = BucketLayout(cells)
    starts = layout.starts
    assert (starts[0], starts[-1], len(starts)) == (0, cells, BUCKETS + 1)
    near = np.unique(np.concatenate([starts[:-1], starts - 1, starts + 1]).clip(0, cells - 1))
    wanted = np.searchsorted(starts, near, side="right") - 1
    assert np.array_equal(layout.tally(near), np.bincount(wanted, minlength=BUCKETS))
    assert np.diff(starts).max() - np.diff(starts).min() <= 1


def test_what_is_no_cell_is_refused() -> None:
    layout = BucketLayout(5000)
    for wrong in (np.array([5000]), np.array([-1]), np.array([0.5]), np.array([[1]]), [1]):
        with pytest.raises(ReportError, match="must"):
            layout.tally(wrong)
    assert layout.tally(np.array([], dtype=np.int64)).sum() == 0


def test_counts_of_values_are_not_estimated_but_honest_states_are_read() -> None:
    made = SquareWave(2.0)
    state = made.counted(simulated=True).update(made.privatize(np.full(5000, 0.5), rng=1))
    with pytest.raises(ParameterError, match=r"estimator: does not exist: a bucket of reports"):
        state.estimate()
    assert State.from_bytes(state.to_bytes(), state.oracle) == state
    assert state.honesty().p_value == 1
    counts = np.zeros(BUCKETS, dtype=np.int64)
    counts[3] = 5000
    made_up = State(state.oracle, 5000, counts, True)
    with pytest.raises(ReportError, match="5000 of 5000 reports lie in bucket 3"):
        State.from_bytes(made_up.to_bytes(), state.oracle)
    again = State.from_bytes(made_up.to_bytes(), state.oracle, implausible=True)
    assert again == made_up
