"""Supports of the nodes of a tree by transforms, against a look at each report."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.tree_layout import TreeLayout

LAYOUT = TreeLayout((1, 3, 4))


def test_it_has_two_numbers_for_each_node() -> None:
    assert (LAYOUT.k, LAYOUT.counters, LAYOUT.starts) == (26, 52, (0, 2, 10, 26))


def test_supports_are_those_of_each_report(seed: int) -> None:
    data = np.random.default_rng(seed).integers(0, 52, 500, dtype=np.uint8)
    counters = LAYOUT.count(data)
    one_by_one = [int(LAYOUT.holds(data, node).sum()) for node in range(26)]
    assert LAYOUT.supports(counters).tolist() == one_by_one == LAYOUT.support_counts(data).tolist()
    users = LAYOUT.users(counters)
    assert users.tolist() == [
        (data < 4).sum(),
        ((data >= 4) & (data < 20)).sum(),
        (data > 19).sum(),
    ]
    of_level = np.repeat(users, [2, 8, 16])
    differences = np.concatenate(LAYOUT.differences(counters))
    assert (2 * np.array(one_by_one) - of_level == differences).all()


def test_a_report_supports_half_of_its_level_and_the_first_node_of_it_where_the_sign_is_plus() -> (
    None
):
    every = np.arange(52, dtype=np.uint8)
    held = np.array([LAYOUT.holds(every, node) for node in range(26)])
    assert held[2:10, 6:20].sum(axis=0).tolist() == [4] * 14
    assert held[2, 4:20].tolist() == [True, False] * 8
    assert not held[2:10, :4].any()
    assert not held[2:10, 20:].any()


def test_what_is_no_report_is_refused() -> None:
    with pytest.raises(ReportError, match=r"must hold integers in 0\.\.51"):
        LAYOUT.check(np.array([52]))
    assert LAYOUT.impossible(3, np.ones(52, dtype=np.int64)) is not None
