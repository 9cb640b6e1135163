"""The benchmark of ranges and pairs counts what it says, at a small size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


def test_flights_are_minutes_carriers_and_delays() -> None:
    found = numbers.flights(2000, seed=1)
    assert 0 <= found.minutes.min() <= found.minutes.max() < numbers.MINUTES
    assert found.carriers.max() < 16
    assert (found.delays.min(), found.delays.max()) == pytest.approx((-60, 180), abs=40)
    assert np.array_equal(found.minutes, numbers.flights(2000, seed=1).minutes)


def test_a_method_without_error_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(_: float, values: NDArray[np.int64], k: int, __: int) -> NDArray[np.float64]:
        return np.cumsum(np.bincount(values, minlength=k)).astype(np.float64)

    def shifted(_: float, values: NDArray[np.int64], k: int, __: int) -> NDArray[np.float64]:
        return exact(_, np.minimum(values + 5, k - 1), k, __)

    monkeypatch.setattr(numbers, "METHODS", {"exact": exact, "shifted": shifted})
    values = np.random.default_rng(2).integers(100, 900, 5000)
    right, wrong = numbers.measure(values, [1.0], 2)
    assert (right.ranges, right.quantiles) == (0, 0)
    assert wrong.quantiles == 5
    assert wrong.ranges > 10


def test_all_of_it_is_measured_drawn_and_written(tmp_path: Path) -> None:
    found = numbers.flights(3000, seed=0)
    rows = numbers.measure(found.minutes, [2.0], 2)
    assert [row.method for row in rows] == list(numbers.METHODS)
    assert max(row.ranges for row in rows[:3]) < rows[3].ranges
    pairs = numbers.measure_pairs(found, [6.0], 2)
    assert all(0.3 < row.means / row.stated < 3 for row in pairs)
    boxes = numbers.measure_boxes(found, (60, 30), [6.0], 2)
    assert {row.ks for row in boxes} == {(24, 9)}
    assert [row.derived for row in boxes].count(True) == 1
    assert all(0.4 < row.boxes / row.stated < 2.5 for row in boxes)
    numbers.draw(rows, pairs, boxes, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    text = numbers.page(rows, pairs, boxes, 3000, 2)
    assert "| all cells at once | 24 x 9 | 6 |" in text
    assert text.count("| hierarchy, best mechanisms |") == text.count("| Haar wavelet |") == 1
    assert "| KeyValueBits | 6 |" in text
