"""The scores of the comparison of methods that make counts consistent."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import consistency
from ldp_verified import GRR, HadamardResponse


def test_the_data_are_what_the_page_says() -> None:
    flown, ranked = consistency.flights(), consistency.zipf()
    assert (len(flown), int(flown.sum())) == (1462, 336_776)
    assert (len(ranked), int(ranked.sum())) == (1024, 1_000_000)
    assert (np.diff(ranked) <= 0).all()


def test_scores_are_those_computed_by_hand() -> None:
    held = np.array([100] * 10 + [0, 0])
    found = np.array([held + 1.0, held + 3.0])
    found[:, 10:] = [[4.0, -4.0], [4.0, -4.0]]
    halves = np.zeros((1, 12))
    halves[0, 10:] = 1.0
    score = consistency.scored(found, held, halves, 0.5)
    assert score.rms == pytest.approx(((10 * 1 + 10 * 9 + 4 * 16) / 24) ** 0.5)
    assert (score.sums, score.top_bias, score.rest_bias) == (0.0, 2.0, 0.0)
    assert score.top_spread == pytest.approx(2**0.5)
    assert (score.rest_spread, score.seconds) == (0.0, 0.5)


def test_methods_that_do_not_fit_are_left_out() -> None:
    held = consistency.zipf(12, 3000)
    every = consistency.measure(GRR(2.0, 12), held, 3)
    assert tuple(every) == consistency.NAMES
    assert every["norm-sub"].rms < every["raw"].rms
    some = consistency.measure(HadamardResponse(2.0, 12), held, 2)
    assert set(consistency.NAMES) - set(some) == {"least-squares", "likelihood"}
    text = consistency.page([("Zipf", "GRR", 2.0, every)], 3)
    assert text.count("**") == 2
    assert "| least-squares |" in text
