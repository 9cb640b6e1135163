"""The populations and scores of the comparison of heavy hitters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks import heavy_hitters as hh

SMALL = hh.Population(
    "small", 12, tuple(range(40)), np.array([5000 - 100 * i for i in range(40)], dtype=np.int64)
)


def test_the_clustered_values_are_those_that_were_committed() -> None:
    found = hh.clustered()
    assert hh.digest(found) == hh.CLUSTERED_SHA256
    assert found.n == hh.USERS
    assert len(set(found.values)) == len(found.values) == hh.DISTINCT
    assert max(int(value) for value in found.values) < 1 << hh.BITS
    assert (np.diff(found.counts) <= 0).all()
    prefixes = {int(value) >> hh.BITS // 2 for value in found.values}
    assert 2000 < len(prefixes) <= hh.CLUSTERS
    other = hh.clustered(1.2)
    assert other.n == hh.USERS
    assert hh.digest(other) != hh.CLUSTERED_SHA256


def test_scores_are_those_computed_by_hand() -> None:
    top = list(zip(SMALL.values, map(float, SMALL.counts), strict=True))[: hh.TOP]
    perfect = hh.score(SMALL, top, 1.0)
    assert (perfect.f1, perfect.ncr, perfect.squared, perfect.found) == (1.0, 1.0, 0.0, 32)
    two = hh.score(SMALL, [(0, 5003.0), (1, 4896.0), (39, 1.0)], 1.0)
    assert two.f1 == 2 * 2 / (32 + 3)
    assert two.ncr == (32 + 31) / (32 * 33 / 2)
    assert two.squared == (9 + 16) / 2
    none = hh.score(SMALL, [], 0.0)
    assert (none.f1, none.ncr, none.found) == (0.0, 0.0, 0)
    assert math.isnan(none.squared)
    assert hh.average([two, none], "squared") == 12.5


def test_a_page_has_a_row_for_each_method() -> None:
    """At epsilon = 8 a value of 4 percent of 122,000 users is found by all; at 0.1 none is."""
    rows = hh.measure([SMALL], [0.1, 8.0], lambda _: (4, 6), 1, lambda _: (4,))
    methods = [hh.CEILING, "4-bit steps", "6-bit steps", "cohorts, 4-bit steps"]
    assert [row[1] for row in rows[:4]] == methods
    for _, method, epsilon, (found,) in rows:
        if epsilon == 8.0:
            assert found.f1 > 0.5, method
        elif method.startswith("cohorts"):
            assert found.found < 16  # a list of 32 of 4096 values, most of which nobody holds
        elif method != hh.CEILING:
            assert found.found == 0
    text = hh.page(rows, [SMALL], 1)
    assert text.count("| small |") == 8
    assert hh.CLUSTERED_SHA256 in text


def test_a_plot_is_written(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "plot.svg"
    score = hh.Score(0.5, 0.5, 1.0, 16, 0.1)
    rows: list[hh.Row] = [
        ("small", method, epsilon, [score])
        for method in (hh.CEILING, "4-bit steps")
        for epsilon in hh.EPSILONS
    ]
    hh.draw(rows, path)
    assert "</svg>" in path.read_text(encoding="utf-8")


def test_wide_values_begin_with_the_narrow_ones() -> None:
    wide = hh.widened(SMALL)
    assert (wide.bits, wide.n) == (128, SMALL.n)
    assert tuple(int(value) >> 80 for value in wide.values) == SMALL.values
    assert max(int(value) & (1 << 80) - 1 for value in wide.values) > 2**79


@pytest.mark.parametrize("n", [1000])
def test_words_are_drawn_by_frequency_where_they_are_installed(n: int) -> None:
    found = hh.english(n, 0)
    if found is not None:
        assert found.n == n
        assert (np.diff(found.counts) <= 0).all()
        assert all(len(str(word).encode()) <= 15 for word in found.values)
