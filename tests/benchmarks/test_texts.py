"""The benchmark of strings measures what it says, at a small size."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks import texts


def test_users_hold_routes() -> None:
    held = texts.routes(500, seed=1)
    assert np.array_equal(held, texts.routes(500, seed=1))
    assert {each[:3] for each in held.tolist()} == {"JFK", "EWR", "LGA"}


def test_all_of_it_is_measured_drawn_and_written(tmp_path: Path) -> None:
    held = np.repeat(np.array(["a", "b", "c"]), [1500, 300, 200])
    rows = texts.measure(held, [4.0], 2)
    assert [row.kind for row in rows] == list(texts.KINDS)
    # 103 strings in two runs: intervals hold more than nine tenths unless something is wrong.
    assert all(row.covered > 0.9 for row in rows)
    assert all(row.low <= row.value <= row.high for row in rows)
    assert all(0.1 < row.absent / row.stated < 1.3 for row in rows)
    texts.draw(rows, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    text = texts.page(rows, held, 2)
    assert text.count("| local hashing | 4 |") == 1
    assert "3 strings are held by at least 1%" in text
