"""The simulator of supports beside the protocols that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.prefix_law import Holders, Scheme, _noise
from ldp_verified.protocols import PrefixCohorts, PrefixCohortState, PrefixExtending, PrefixRounds

VALUES = list(range(0, 4000, 100))
COUNTS = np.array([2000] * 4 + [50] * 36, dtype=np.int64)


def test_noise_has_the_tail_of_a_normal_variable(seed: int) -> None:
    """Null: 2^20 candidates have 1436 deviations above 3 on average; six sigma, 2e-9."""
    rows, deviations = _noise(16, 16, 1000, np.random.default_rng(seed))
    assert set(rows.tolist()) <= set(range(16))
    expected = (1 << 20) * 0.0013498980
    assert abs(np.count_nonzero(deviations > 3) - expected) <= 6 * expected**0.5
    assert np.isfinite(deviations).all()


@pytest.mark.parametrize("kind", ["rounds", "cohorts", "extending"])
def test_frequent_values_are_found_and_counted(kind: str, seed: int) -> None:
    """Null: a fifth of 9800 users is found at epsilon = 6, counted within 7 standard errors."""
    if kind == "rounds":
        made = PrefixRounds(6.0, bits=12, top=4, first=5, step=4)
        scheme, encoded = Scheme.in_rounds(made), made.encode(VALUES)
    elif kind == "cohorts":
        cohorts = PrefixCohorts(6.0, bits=12, first=5, step=4)
        scheme, encoded = Scheme.cohorts(cohorts, 4), cohorts.encode(VALUES)
    else:
        extending = PrefixExtending(6.0, bits=12, step=4)
        scheme, encoded = Scheme.extending(extending, 4, 64), extending.encode(VALUES)
    found = scheme.named(Holders(encoded, COUNTS), False, np.random.default_rng(seed))
    assert {rank for rank, _ in found} == {0, 1, 2, 3}
    assert all(abs(count - 2000) < 1400 for _, count in found)


def test_the_law_and_the_protocol_find_alike(seed: int) -> None:
    """How many of 40 equal values of 2.5 percent are named: means of ten runs each.

    Null: equal means. A run's number has a standard deviation of 3.2 at most (16 are named), so the
    difference of means has 1.5; six of these.
    """
    made = PrefixCohorts(1.0, bits=12, first=5, step=4)
    counts = np.full(40, 1000, dtype=np.int64)
    scheme, holders = Scheme.cohorts(made, 16), Holders(made.encode(VALUES), counts)
    law, real = [], []
    for run in range(10):
        drawn = scheme.named(holders, False, np.random.default_rng(seed + run))
        law.append(sum(rank >= 0 for rank, _ in drawn))
        state = PrefixCohortState(made, simulated=True)
        state.update(made.simulate(VALUES, counts, rng=seed + run))
        found = state.heavy_hitters(16, false_alarm=None, ranked="all")
        real.append(sum(value in VALUES for value, _, _ in found))
    assert abs(np.mean(law) - np.mean(real)) <= 9
