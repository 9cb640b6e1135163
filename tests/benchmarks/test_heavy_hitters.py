"""The scores and tables of the comparison of heavy hitters."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks import heavy_hitters as hh
from benchmarks import heavy_page
from benchmarks.heavy_populations import TOP
from tests.benchmarks.test_heavy_populations import SMALL


def test_scores_are_those_computed_by_hand() -> None:
    top = list(zip(SMALL.values, map(float, SMALL.counts), strict=True))[:TOP]
    perfect = hh.score(SMALL, top, 1.0)
    assert (perfect.f1, perfect.ncr, perfect.squared, perfect.found) == (1.0, 1.0, 0.0, 32)
    two = hh.score(SMALL, [(0, 5003.0), (1, 4896.0), (39, 1.0)], share=4700 / SMALL.n)
    assert two.f1 == 2 * 2 / (32 + 3)
    assert two.ncr == (32 + 31) / (32 * 33 / 2)
    assert two.squared == (9 + 16) / 2
    assert two.recall == 2 / 4
    none = hh.score(SMALL, [], 0.0)
    assert (none.f1, none.ncr, none.found) == (0.0, 0.0, 0)
    assert math.isnan(none.squared)
    assert math.isnan(none.recall)
    assert heavy_page.average([two, none], "squared") == 12.5


def test_a_page_has_a_row_for_each_method(tmp_path: Path) -> None:
    """At epsilon = 8 a value of 4 percent of 122,000 users is found by all."""
    rows = hh.compare(SMALL, [8.0], range(2))
    methods = [heavy_page.CEILING, heavy_page.ROUNDS, heavy_page.COHORTS, *hh.PEM]
    assert [method for _, method, _, _ in rows] == methods
    for _, method, _, scores in rows:
        assert all(each.f1 > 0.5 for each in scores), method
    text = heavy_page.page(rows, rows, "", "")
    assert text.count("| small |") == 2 * len(methods)
    assert "2 paired runs" in text
    own = heavy_page.paired(rows).splitlines()
    assert any(line.startswith("| prefix rounds |") and "| - |" in line for line in own)
    heavy_page.draw(rows, tmp_path / "plot.svg")
    assert "</svg>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_one_section_is_renewed_and_the_rest_stays() -> None:
    """The committed page has that section, so that the option finds it."""
    text = (hh.HERE / "HEAVY_HITTERS.md").read_text(encoding="utf-8")
    made = heavy_page.renewed(text, "| new |\n")
    begin, end = (made.index(part) for part in ("## The protocols themselves", "## What prefix"))
    assert "| new |" in made[begin:end]
    assert made[:begin] == text[: text.index("## The protocols themselves")]
    assert made[end:] == text[text.index("## What prefix") :]
    assert heavy_page.renewed(made, "| new |\n") == made
    with pytest.raises(ValueError, match="substring not found"):
        heavy_page.renewed("# Another page", "| new |\n")
