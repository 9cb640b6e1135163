"""Pictures: what they show, and that labels of all kinds are drawn."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified import GRR
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.picture import LONGEST_LABEL, short

if TYPE_CHECKING:
    from pathlib import Path


def test_bars_are_the_largest_estimates_and_their_intervals() -> None:
    made = GRR(2.0, 6, categories=("a", "$b$", "c" * 60, "日本", "<e>", "f"))
    estimate = made.simulate_counts(np.array([500, 900, 100, 300, 0, 50]), 1).estimate()
    (axes,) = estimate.plot(level=0.9).axes
    bars = [bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]  # the patches are rectangles
    assert bars == [row.value for row in estimate.top(6)]
    low, _ = estimate.simultaneous(0.9)
    (segments,) = (each.get_segments() for each in axes.collections)  # type: ignore[attr-defined]  # these are the lines
    assert segments[0][0][0] == low[1]
    shown = [text.get_text() for text in axes.get_yticklabels()]
    assert shown[:3] == ["$b$", "a", "日本"]
    assert max(map(len, shown)) == LONGEST_LABEL


def test_many_values_are_shown_by_rank_too(tmp_path: Path) -> None:
    made = GRR(2.0, 1458)
    estimate = made.simulate_counts(np.arange(1458), 1).estimate()
    figure = estimate.plot(top=12)
    bars, ranks = figure.axes
    assert len(bars.patches) == 12
    assert ranks.lines[0].get_ydata().tolist() == sorted(estimate.counts)[-13::-1]  # type: ignore[union-attr]  # it is an array
    figure.savefig(tmp_path / "many.png")
    assert (tmp_path / "many.png").stat().st_size > 10_000


def test_nothing_is_drawn_of_wrong_numbers() -> None:
    estimate = GRR(1.0, 3).empty().estimate()
    assert len(estimate.plot().axes) == 1
    for wrong in (0, 101, 2.0, True, None):
        with pytest.raises(ParameterError, match=r"top: must be an integer in 1\.\.100"):
            estimate.plot(wrong)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="level"):
        estimate.plot(level=1.0)


def test_without_libraries_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate = GRR(1.0, 3).empty().estimate()
    for name, ask, extra in (
        ("matplotlib", estimate.plot, "plot"),
        ("pandas", estimate.to_pandas, "tables"),
        ("polars", estimate.to_polars, "tables"),
    ):
        monkeypatch.setitem(sys.modules, name, None)
        rule = rf" needs {name}: pip install 'ldp-verified\[{extra}\]'$"
        with pytest.raises(ImportError, match=rule):
            ask()


def test_long_labels_are_cut() -> None:
    assert short("a" * LONGEST_LABEL) == "a" * LONGEST_LABEL
    assert short("a" * 100) == "a" * (LONGEST_LABEL - 1) + "…"
