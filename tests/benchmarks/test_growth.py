from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.growth import ABSCISSAS, EXPECTED, plot, slope, slopes
from benchmarks.workers.growth import FAMILIES, Family, Stages, measure

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.growth import Growth

FLAT = [[10.0, 0.5], [100.0, 0.5], [1000.0, 0.5], [10_000.0, 0.5]]
LINEAR = [[10.0, 9.0], [100.0, 1.0], [1000.0, 10.0], [10_000.0, 100.0]]
GROWTH: Growth = {
    "k-RR": {"users": {"client": LINEAR, "server": FLAT}, "sizes": {"client": FLAT}},
    "transform": {"users": {}, "sizes": {"client": LINEAR}},
}


def test_a_slope_is_that_of_the_largest_sizes() -> None:
    assert slope(LINEAR) == pytest.approx(1)
    assert slope(LINEAR[::-1]) == pytest.approx(1)
    assert slope(FLAT) == pytest.approx(0)
    assert slope([[4.0, 2.0], [8.0, 8.0]]) == pytest.approx(2)
    with pytest.raises(ValueError, match="at least 2"):
        slope(LINEAR[:1])


def test_every_stage_has_its_slope() -> None:
    written = slopes(GROWTH)
    assert "| k-RR | 1.00 | 0.00 | values | 0.00 | none |" in written
    assert "| transform | none | none | numbers | 1.00 | none |" in written


def test_the_plot_has_every_family_and_axis(tmp_path: Path) -> None:
    path = tmp_path / "growth.svg"
    plot(GROWTH, path)
    text = path.read_text()
    for shown in ("k-RR: users", "k-RR: values", "transform: numbers", "linear growth", "server"):
        assert shown in text
    assert "transform: users" not in text


def test_families_are_named_alike() -> None:
    assert set(FAMILIES) == set(ABSCISSAS) == set(EXPECTED)


def test_both_axes_are_measured() -> None:
    asked: list[tuple[int, int]] = []

    def made(size: int) -> Stages:
        def held(users: int) -> int:
            asked.append((size, users))
            return users

        return Stages(held, np.zeros, len)

    found = measure(Family(made, sizes=(2, 3), size=9, most=1 << 14, fixed=7))
    assert asked == [(9, 1 << 12), (9, 1 << 14), (2, 7), (3, 7)]
    assert [size for size, _ in found["users"]["client"]] == [1 << 12, 1 << 14]
    assert [size for size, _ in found["sizes"]["server"]] == [2, 3]
