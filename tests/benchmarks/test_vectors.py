"""The benchmark of vectors measures what it says, at a small size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import vectors
from ldp_verified.protocols.sphere_gain import best_cap, half_mean


def test_users_hold_unit_vectors_of_which_half_is_common(seed: int) -> None:
    held = vectors.vectors(5000, 50, np.random.default_rng(seed))
    assert np.linalg.norm(held, axis=1) == pytest.approx(np.ones(5000))
    assert 0.4 < np.linalg.norm(held.mean(axis=0)) < 0.6


@pytest.mark.parametrize("name", ["half spaces", "caps"])
def test_what_is_drawn_by_definition_has_the_stated_length_and_mean(name: str, seed: int) -> None:
    """Null: unbiased. 40,000 reports of one length: the mean along the vector, 8 errors."""
    d, n, epsilon = 6, 40_000, 2.0
    method, gain = {
        "half spaces": (vectors.half_spaces, np.tanh(epsilon / 2) * half_mean(d)),
        "caps": (vectors.caps, best_cap(epsilon, d).gain),
    }[name]
    unit = np.eye(d)[0]
    drawn = method(np.tile(unit, (n, 1)), epsilon, np.random.default_rng(seed))
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(np.full(n, 1 / gain))
    assert np.abs(drawn.mean(axis=0) - unit).max() < 8 / gain / n**0.5


def test_all_of_it_is_measured_drawn_and_written(tmp_path: Path) -> None:
    rows = [row for d in (3, 20) for row in vectors.measure(2.0, d, 2000, 3)]
    assert [row.method for row in rows[:4]] == [
        "ours, 8 lines",
        "half spaces (Duchi et al.)",
        "PrivUnit, best cap",
        "corners of the cube (DuchiVector)",
    ]
    assert len(rows) == 7
    assert [row.share == 1 for row in rows] == [row.method.startswith("PrivU") for row in rows]
    assert all(row.share >= 1 for row in rows)
    # 60 coordinates: their squares lie within a factor of 4 unless something is wrong.
    assert all(0.5 < row.error / row.stated < 2 for row in rows if row.d == 20)
    vectors.draw(rows, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    text = vectors.page(rows, 2000, 3)
    assert text.count("| PrivUnit, best cap | 2 |") == 2
    assert vectors.users(100_000, 1000) == 5_000
