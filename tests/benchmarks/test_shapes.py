"""The benchmark of distributions, means and tables counts what it says, at a small size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def test_arrivals_have_delays_and_records() -> None:
    found = shapes.arrivals(3000, seed=1)
    assert found.sizes == {"late": 2, "origin": 3, "carrier": 16, "month": 12}
    assert np.array_equal(found.records["late"], found.delays > 15)
    assert all({*own.tolist()} == {0, 1} for own in found.answers.values())
    assert np.array_equal(found.delays, shapes.arrivals(3000, seed=1).delays)


def test_a_shape_without_error_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(_: float, delays: Floats, __: int) -> Floats:
        counts = np.histogram(delays, shapes.edges())[0]
        return np.concatenate(([0.0], np.cumsum(counts))) / len(delays)

    def shifted(_: float, delays: Floats, __: int) -> Floats:
        return exact(_, np.minimum(delays + 3.75, 180), __)

    monkeypatch.setattr(shapes, "SHAPERS", {"exact": exact, "shifted": shifted})
    delays = np.random.default_rng(2).uniform(-50, 150, 5000)
    right, wrong = shapes.measure_shapes(delays, [1.0], 2)
    assert (right.distance, right.quarters, right.mean) == (0, 0, 0)
    for figure in (wrong.distance, wrong.quarters, wrong.mean):
        assert figure == pytest.approx(3.75)


def test_all_of_it_is_measured_drawn_and_written(tmp_path: Path) -> None:
    found = shapes.arrivals(20_000, seed=0)
    rows = shapes.measure_shapes(found.delays, [4.0], 1)
    assert [row.method for row in rows] == list(shapes.SHAPERS)
    means = shapes.measure_means(found.delays, [4.0], 2)
    assert [row.method.split(",")[0] for row in means] == ["clipped mean", "hybrid", "hybrid"]
    assert means[2].stated > 100 * means[1].stated
    tables = shapes.measure_tables(found, [4.0], 1)
    assert 0.6 < tables[0].cells / tables[0].stated < 1.6
    answers = shapes.measure_answers(found.answers, [1.0], 2)
    assert [row.method for row in answers] == ["parities", "joint tables, views of pairs"]
    assert all(0.6 < row.cells / row.stated < 1.6 for row in answers)
    shapes.draw(rows, means, (tables, answers), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    text = shapes.page(rows, means, tables, answers, 20_000, 2)
    assert text.count("| square wave, EM | 4 |") == 1
    assert text.count("| hybrid, wide bounds | 4 |") == 1
    assert text.count("| parities | 1 |") == 1
    assert text.count("| all attributes in one | 4 |") == 1
