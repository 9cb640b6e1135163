"""Chosen views have all tables, no other choice is less noisy, and the noise is what comes out."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import JointTables, best_views
from ldp_verified.protocols.joint_views import table_noise


@given(
    st.lists(st.integers(2, 12), min_size=2, max_size=7),
    st.floats(0.1, 8),
    st.integers(1, 3),
)
def test_all_tables_are_there_with_no_more_noise_than_alone(
    ks: list[int], epsilon: float, size: int
) -> None:
    attributes = {f"a{i}": k for i, k in enumerate(ks)}
    size = min(size, len(ks))
    wanted = list(combinations(attributes, size))
    views = best_views(epsilon, attributes, size)
    assert all(any(set(table) <= set(view) for view in views) for table in wanted)
    chosen = table_noise(JointTables(epsilon, attributes, views), wanted)
    alone = table_noise(JointTables(epsilon, attributes, tuple(wanted)), wanted)
    assert sum(chosen) <= sum(alone)


def test_larger_views_win_where_they_should() -> None:
    """At a large epsilon the number of cells costs little, and fewer views have more users each."""
    attributes = dict.fromkeys("abcdefgh", 2)
    wanted = list(combinations(attributes, 2))
    views = best_views(5.0, attributes)
    assert len(views) < len(wanted)
    noise = sum(table_noise(JointTables(5.0, attributes, views), wanted))
    assert noise < 0.8 * sum(table_noise(JointTables(5.0, attributes), wanted))


def test_the_noise_is_that_of_estimates(rng: np.random.Generator) -> None:
    """One view of three attributes; 400 populations of 4,000 users who all hold the first value.

    The null is that the mean square error of a cell that nobody holds is what is said. The
    statistic has a relative standard deviation of about sqrt(2/400) = 0.07 a cell; the mean over
    cells of one table is at most that. It is compared at 8 of them: level below 1e-14. A noise that
    is off by a factor of 2 is noticed.
    """
    made = JointTables(2.0, {"a": 2, "b": 2, "c": 3}, (("a", "b", "c"),))
    (said,) = table_noise(made, [("a", "b")])
    users = {name: np.zeros(4_000, dtype=int) for name in "abc"}
    squares = []
    for _ in range(400):
        state = made.empty(simulated=True).update(made.privatize(users, rng))
        row = made.estimate(state).table("a", "b")["1, 1"]
        squares.append((row.value / 4_000) ** 2 * 4_000)
    assert abs(np.mean(squares) / said - 1) < 8 * np.sqrt(2 / 400)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((0.0, {"a": 2, "b": 2}), "epsilon"),
        ((1.0, {"a": 2}), r"len\(attributes\)"),
        ((1.0, {"a": 2, "b": 1}), "attributes"),
        ((1.0, {"a": 2, "b": 2}, 3), "size"),
        ((1.0, {"a": 2, "b": 2}, 0), "size"),
        ((1.0, dict.fromkeys(map(str, range(64)), 2), 5), "size: must leave at most 65536 tables"),
        ((1.0, {"a": 60_000, "b": 60_000}), "cells of the largest table"),
    ],
)
def test_what_cannot_be_chosen_is_refused(arguments: Any, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        best_views(*arguments)
