"""The benchmark of boxes counts what it says, at a small size."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks import boxes


def test_flights_are_in_bins_of_both_values() -> None:
    found = boxes.flown(5000, 8, seed=1)
    assert found.shape == (5000, 2)
    assert all({*column.tolist()} <= {*range(8)} for column in found.T)
    # Nobody leaves between midnight and three, but for those that are late.
    assert (found[:, 0] == 0).mean() < 0.02
    # Most arrive between an hour early and half an hour late.
    assert (found[:, 1] <= 2).mean() > 0.8
    assert np.array_equal(found, boxes.flown(5000, 8, seed=1))


def test_the_mean_is_over_all_boxes() -> None:
    errors = np.random.default_rng(3).normal(size=(5, 5))
    ends = [(a, b) for a in range(5) for b in range(a + 1, 6)]
    every = [errors[a:b, c:d].sum() ** 2 for (a, b), (c, d) in product(ends, ends)]
    assert boxes.mean_square(errors) == pytest.approx(np.mean(every))


def test_all_of_it_is_measured_drawn_and_written(tmp_path: Path) -> None:
    rows = boxes.measure(20_000, [4, 8], [1.0, 4.0], 3)
    assert len(rows) == 12
    assert [row.method for row in rows[:3]] == list(boxes.METHODS)
    assert all(0.3 < row.error / row.stated < 3 for row in rows)
    boxes.draw(rows, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    assert boxes.page(rows, 20_000, 3).count("| Haar wavelet | 8 x 8 | 4 |") == 1
