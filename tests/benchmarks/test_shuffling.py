"""What an identifying field costs: the exact best guess, the measured one, the page."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks import shuffling

KEEP = math.exp(3) / (1 + math.exp(3))


def by_hand(crowd: int, keep: float) -> float:
    """The best guess over all reports of a crowd one by one: the likelier bit of each count."""
    others = [int(i < (crowd - 1) // 2) for i in range(crowd - 1)]
    chances = np.zeros((2, crowd + 1))
    for bit in (0, 1):
        for sent in itertools.product((0, 1), repeat=crowd):
            truth = [*others, bit]
            chances[bit, sum(sent)] += math.prod(
                keep if s == t else 1 - keep for s, t in zip(sent, truth, strict=True)
            )
    return float(chances.max(axis=0).sum() / 2)


@pytest.mark.parametrize("crowd", [1, 2, 3, 6, 9])
def test_the_best_guess_is_that_of_a_full_count(crowd: int) -> None:
    assert shuffling.best_guess(crowd, KEEP) == pytest.approx(by_hand(crowd, KEEP), rel=1e-12)


def test_both_ways_to_add_up_agree() -> None:
    """The fast convolution begins above 2000 users; the guess changes smoothly there."""
    direct, fast = (shuffling.best_guess(crowd, KEEP) for crowd in (2001, 2003))
    assert direct == pytest.approx(fast, rel=1e-4)


def test_the_measured_guess_is_the_exact_one(seed: int) -> None:
    """Null: both are the same. n = 3000 guesses; 8 standard errors are 0.07 at most."""
    for crowd in (1, 5):
        exact = shuffling.best_guess(crowd, KEEP)
        spread = math.sqrt(exact * (1 - exact) / 3000)
        assert abs(shuffling.guessed(crowd, 3000, seed) - exact) < 8 * spread


def test_a_smaller_crowd_gives_more_away_and_no_guess_beats_the_bound() -> None:
    rows = [shuffling.measure("field", crowd, 1, reports=0) for crowd in (1, 11, 1000, 50_000)]
    assert [row.exact for row in rows] == sorted((row.exact for row in rows), reverse=True)
    assert all(0.5 <= row.exact <= row.bound + 1e-12 for row in rows)
    assert rows[0].exact == pytest.approx(rows[0].bound, abs=1e-6)
    assert all(math.isnan(row.measured) for row in rows)


def test_a_page_and_a_plot(tmp_path: Path) -> None:
    rows = [shuffling.measure("a field", crowd, 1, reports=200) for crowd in (1, 10, 5000)]
    text = shuffling.page(rows)
    assert text.count("| a field |") == 3
    assert "| 5,000 |" in text
    shuffling.draw(rows, tmp_path / "plot.svg")
    assert "</svg>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
