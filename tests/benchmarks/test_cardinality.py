"""The benchmark of numbers of strings and sizes of sets measures what it says, at a small size."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks import cardinality, texts
from ldp_verified.protocols import ItemSets


def test_planes_fly_to_airports() -> None:
    sets, k = cardinality.planes()
    assert len(sets) > 30_000
    assert 0 < sets.sizes.min() <= sets.sizes.max() < 50
    assert sets.items.max() < k


def test_all_of_it_is_measured_drawn_and_written(tmp_path: Path) -> None:
    held = np.repeat(np.array(["a", "b", "c"]), [1500, 300, 200])
    seen = cardinality.strings_seen(held, [8.0], 1)
    assert [row.kind for row in seen] == list(texts.KINDS)
    assert all(1 <= row.value <= 3 for row in seen if row.planned is not None)
    assert {row.kind for row in seen if row.planned is None} == {*list(texts.KINDS)[:2]}
    sets = ItemSets.of([[0], [1, 2, 3], []] * 600)
    sizes = cardinality.set_sizes(sets, 9, [4.0], [1, 2], 2)
    assert [row.left for row in sizes] == [2 / 3, 2 / 3, 1, 1]
    assert all(row.low < 4 / 3 < row.high for row in sizes)
    cardinality.draw(seen, sizes, 3, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    text = cardinality.page(seen, sizes, held, sets)
    assert text.count("| local hashing | 8 |") == 1
    assert "3 different ones" in text
