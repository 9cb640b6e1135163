"""Intervals of cells, and of other figures within bounds: they cover, and none is a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified.protocols import (
    BoxWavelet,
    ChangeTree,
    JointTables,
    KeyValueResponse,
    RangeGrid,
    RangeTree,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    Ends = tuple[Any, Any]

USERS = 400
LEVEL = 0.05
"""Intervals of this level reach so little that half of the cells of nobody would be points."""


def estimated(made: Any, values: Any, seed: int) -> Any:
    return made.estimate(made.empty(simulated=True).update(made.privatize(values, rng=seed)))


def zeros(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, np.zeros(USERS, dtype=np.int64))


def tables(seed: int) -> Iterator[Ends]:
    found = estimated(JointTables(1.0, {"a": 4, "b": 5}), zeros("a", "b"), seed)
    yield found.table("a", "b").columns(LEVEL)[2:]
    yield found.conditional("b", "a").columns(LEVEL)[2:]


def trees(seed: int) -> Iterator[Ends]:
    found = estimated(RangeTree(1.0, 16, 2), zeros("a")["a"], seed)
    yield found.columns(LEVEL)[2:]
    rows = [found.between(first, first + 2, LEVEL) for first in range(1, 14)]
    yield np.array([row.low for row in rows]), np.array([row.high for row in rows])


def boxes(seed: int) -> Iterator[Ends]:
    pairs = np.zeros((USERS, 2), dtype=np.int64)
    found = estimated(BoxWavelet(1.0, (5, 3)), pairs, seed)
    yield found.columns(LEVEL)[2:]
    rows = [found.count((v, v), (1, 2), LEVEL) for v in range(5)]
    yield np.array([row.low for row in rows]), np.array([row.high for row in rows])


def grids(seed: int) -> Iterator[Ends]:
    found = estimated(RangeGrid(1.0, {"a": 8, "b": 6}, 2), zeros("a", "b"), seed)
    rows = [found.count({"a": (v, v), "b": (1, 2)}, LEVEL) for v in range(8)]
    yield np.array([row.low for row in rows]), np.array([row.high for row in rows])


def keys(seed: int) -> Iterator[Ends]:
    made = KeyValueResponse(1.0, 16, 1, bounds=(-1.0, 1.0))
    found = estimated(made, [{0: 1.0}] * USERS, seed)
    yield found.columns(LEVEL)[2:]
    yield tuple(each[found.counts > 0] for each in found.means.columns(LEVEL)[2:])


def days(seed: int) -> Iterator[Ends]:
    made = ChangeTree(1.0, 16, 1)
    reports = made.privatize(np.zeros((USERS, 16), dtype=np.int64), rng=seed)
    yield made.aggregate(reports, simulated=True).estimate().columns(LEVEL)[2:]


@pytest.mark.parametrize("kind", [tables, trees, boxes, grids, keys, days])
def test_no_interval_is_a_point(kind: Any, seed: int) -> None:
    """An estimate beyond what may be true left one value, and said that it is sure of it."""
    for low, high in kind(seed):
        assert (low < high).all()
        assert (low >= -1).all()
        assert (high <= USERS).all()


def test_intervals_of_cells_cover_as_often_as_stated(seed: int) -> None:
    """Null: each of 20 cells, most of which nobody or few have, misses in 1 of 20 runs at most.

    In 300 runs of 400 users no cell misses more often than the binomial quantile at 5e-11, so that
    all together have a false alarm of 1e-9 at most; the normal approximation may add 2 %. A cell
    that misses in every fourth run is found with 0.99.
    """
    runs, rng = 300, np.random.default_rng(seed)
    made = JointTables(2.0, {"a": 4, "b": 5})
    records = {"a": rng.binomial(3, 0.05, USERS), "b": rng.binomial(4, 0.05, USERS)}
    truth = np.bincount(5 * records["a"] + records["b"], minlength=20)
    missed = np.zeros(20)
    for _ in range(runs):
        found = estimated(made, records, int(rng.integers(1 << 60)))
        low, high = found.table("a", "b").columns()[2:]
        missed += (truth < low) | (truth > high)
    assert missed.max() <= binom.ppf(1 - 5e-11, runs, 0.07)
