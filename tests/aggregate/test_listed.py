"""Counts of some values are those that all values have, and bad lists are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified import OLH, PGR, HashCohorts
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.aggregate import State
from ldp_verified.run.mechanisms import CMS, GRR, HCMS, HRR, OUE, HadamardResponse, SubsetSelection
from tests.aggregate.test_linear import grr_as_table

K = 12
MADE: list[Any] = [
    GRR(1.0, K),
    OUE(1.0, K),
    SubsetSelection(1.0, K),
    HadamardResponse(1.0, K),
    OLH(1.0, K),
    HashCohorts(1.0, K),
    HRR(1.0, K),
    PGR(1.0, K),
    CMS(2.0, K, 16, rows=8),
    CMS(2.0, K, 5),
    HCMS(2.0, K, 16, rows=8),
]
SOME = [11, 0, 5]


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_some_values_are_counted_as_all_are(made: Any) -> None:
    state = made.aggregate(made.privatize(np.arange(600) % K, 3), simulated=True)
    every, some = state.estimate(), state.estimate(SOME)
    assert some.labels == tuple(SOME)
    assert some.n == every.n
    assert some.simulated
    assert some.support_counts.tolist() == every.support_counts[SOME].tolist()
    assert some.counts.tolist() == every.counts[SOME].tolist()
    # Of a sketch whose rows were drawn the variance is that of the worst other values.
    assert (some.std_error >= every.std_error[SOME] * (1 - 1e-12)).all()
    for one, other in zip(some.interval(0.9), every.interval(0.9), strict=True):
        np.testing.assert_array_equal(one, other[SOME])
    assert [row[:2] for row in some] == [(v, every.counts[v]) for v in SOME]
    assert [name for name, _, _ in every] == list(range(K))


@pytest.mark.parametrize(
    "wrong", [[K], [-1], [1.0], [True], "5", 5, [], [None], np.array(1), np.eye(2, dtype=int)]
)
def test_bad_lists_are_refused(wrong: object) -> None:
    with pytest.raises(DomainError, match="values: must be"):
        MADE[0].empty().estimate(wrong)


def test_a_sketch_of_many_values_is_asked_about_some_without_a_table() -> None:
    """A table of 2^31 values would take 16 GiB; this takes 256 KiB."""
    made = HCMS(4.0, 1 << 31, 256, rows=64)
    values = np.full(4000, (1 << 31) - 1)
    found = made.aggregate(made.privatize(values, 5), simulated=True).estimate([(1 << 31) - 1, 17])
    assert abs(found.counts[0] - 4000) <= 6 * found.std_error[0]
    assert abs(found.counts[1]) <= 6 * found.std_error[1]


def test_outputs_that_support_no_value_are_not_listed() -> None:
    _, oracle = grr_as_table(1.0, 3)
    with pytest.raises(ParameterError, match="values: must be left out"):
        State(oracle).estimate([1])
