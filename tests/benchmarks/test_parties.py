"""Counts by several curators: who holds which rows, and the page."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import parties


def test_flights_are_held_by_those_who_flew_them() -> None:
    found = parties.flights(2000, seed=1)
    counts = {who: len(np.unique(held)) for who, held in found.holders.items()}
    assert counts["one curator"] == 1
    assert counts["airports of departure"] == 3
    assert 10 <= counts["airlines"] <= 16
    assert counts["airlines"] < counts["aircraft"] < 2000
    assert counts[parties.ALONE] == 2000
    assert 0.1 < found.late.mean() < 0.4


def test_errors_grow_with_the_number_of_parties() -> None:
    """Fixed seeds: 20 runs, so the measured root mean square is within a factor 3."""
    held = parties.flights(3000, seed=0)
    rows = [parties.measure(held, who, 1.0, 20) for who in (*held.holders, parties.RESPONSE)]
    stated = {row.who: row.stated for row in rows}
    assert stated[parties.ALONE] == pytest.approx(3000**0.5 * stated["one curator"])
    assert stated[parties.RESPONSE] == pytest.approx(stated[parties.ALONE] / 2**0.5, rel=1e-3)
    for row in rows:
        assert 1 / 3 < row.measured / row.stated < 3
    text = parties.page(rows, 3000, 20)
    assert "| airlines | " in text
    assert "| one curator | 1 | 1 |" in text
