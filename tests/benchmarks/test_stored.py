"""Stored ratios: read from the page, compared with a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.limits import ratios
from benchmarks.run import AIMS, Results
from benchmarks.spread import summary
from benchmarks.stored import halved, stored_ratios

PAGE = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"


def run(**medians: float) -> Results:
    results = Results()
    for name, median in medians.items():
        results.ratios[name, "client"] = summary([median])
    return results


def test_the_page_has_every_ratio_that_is_aimed_at() -> None:
    found = stored_ratios(PAGE.read_text(encoding="utf-8"))
    assert set(AIMS) <= set(found)
    assert found["OLH", "server"] > 1000


def test_a_ratio_that_halves_or_is_gone_is_named() -> None:
    page = f"# Page\n\n{ratios(run(GRR=3000.0, OLH=9.0, SUE=4.0))}\n| GRR | client | 1 (1-1) |\n"
    assert halved(page, run(GRR=1501.0, OLH=5.0, SUE=40.0)) == []
    (one,) = halved(page, run(GRR=1400.0, OLH=9.0, SUE=4.0))
    assert one.startswith("GRR, client: 3000 times the peer before, now 1")
    (gone,) = halved(page, run(GRR=3000.0, OLH=9.0))
    assert gone == "SUE, client: 4 times the peer before, now None"


def test_a_page_without_ratios_is_refused() -> None:
    with pytest.raises(ValueError, match="no table of ratios"):
        stored_ratios("# Page")
