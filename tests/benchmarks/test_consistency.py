"""The page that compares methods which make counts consistent."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import consistency
from benchmarks.consistency import PEER, Cell
from ldp_verified import GRR
from ldp_verified.deploy.collect.methods import compare, scored, zipf


def test_the_data_are_what_the_page_says() -> None:
    everywhere, flown = consistency.flights(everywhere=True), consistency.flights(everywhere=False)
    assert (len(everywhere), int(everywhere.sum())) == (1462, 336_776)
    assert (len(flown), int(flown.min())) == (105, 1)
    assert int(flown.sum()) == 336_776


def test_a_page_names_cells_where_the_peer_has_less_error() -> None:
    held = zipf(12, 3000, 1.5)
    scores = compare(GRR(2.0, 12), held, 4)
    noise = np.random.default_rng(3).normal(size=(4, 12))
    pages = []
    for far in (1e-9, 1e6):
        peer = scored(held + far * (1 + np.abs(noise)), held, 1.0)
        cell = Cell("Zipf, 256 values", "GRR", 2.0, {**scores, PEER: peer})
        pages.append(consistency.page([cell], 4))
    assert pages[0].count("of them say so: RMS of Zipf, 256 values, GRR, 2 (p = ") == 2
    assert pages[1].count("0 of them say so.**") == 2
    text = consistency.page([Cell("Zipf, 256 values", "GRR", 2.0, scores)], 4)
    assert PEER not in text
    assert "| least-squares |" in text


def test_p_values_are_of_the_right_side() -> None:
    held = zipf(12, 3000, 1.5)
    errors = np.random.default_rng(4).normal(size=(30, 12))
    small, large = scored(held + errors, held), scored(held + 2 * errors, held)
    better = Cell("", "GRR", 1.0, {"ibu": small, PEER: large}).p_values("ibu")
    worse = Cell("", "GRR", 1.0, {"ibu": large, PEER: small}).p_values("ibu")
    assert max(worse.values()) < 1e-4
    assert min(better.values()) > 1 - 1e-4
    assert len(better) == 3
    assert better["RMS"] == pytest.approx(1 - worse["RMS"])
