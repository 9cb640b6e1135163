"""Lines over time: what is drawn, and where."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR, ChangeTree, MemoPopulation, over_days
from ldp_verified.run.aggregate.timeline import COLOURS, Line, timeline


def line(label: str, height: float, marks: tuple[int, ...] = ()) -> Line:
    values = np.full(4, height)
    return Line(label, values, values - 0.1, values + 0.1, marks)


def data(line: Any, axis: str) -> list[float]:
    """The numbers of a drawn line along x or y."""
    return [float(each) for each in getattr(line, f"get_{axis}data")()]


def place_of(text: Any) -> float:
    """How high the name of a line stands."""
    return float(text.xy[1])


def test_every_line_has_its_values_and_its_name() -> None:
    figure = timeline([line("a", 0.5), line("b", 0.3, (2,))], "four days", "share", "day", 0.9)
    (axes,) = figure.axes
    drawn = [each for each in axes.lines if len(data(each, "x")) == 4]
    assert [data(each, "y")[0] for each in drawn] == [0.5, 0.3]
    assert {text.get_text() for text in axes.texts} == {"a", "b"}
    dotted = [each for each in axes.lines if each.get_linestyle() == ":"]
    assert [data(each, "x")[0] for each in dotted] == [1.5]
    assert axes.get_title(loc="left") == "bands: 90 % intervals; dotted: a change was found"
    figure.savefig(io.BytesIO())


def test_names_of_close_lines_do_not_cover_each_other() -> None:
    figure = timeline([line("a", 0.5), line("b", 0.5)], "", "share", "day", 0.95)
    places = sorted(place_of(text) for text in figure.axes[0].texts)
    assert places[1] - places[0] > 0.02


def test_the_largest_values_of_days_are_drawn_with_the_change(seed: int) -> None:
    """A share that doubles on day 3 of 6: 12 standard errors, missed below 1e-9."""
    made = LGRR(4.0, 2.0, 4)
    people = MemoPopulation(made, 40_000, seed)
    before = np.arange(40_000) % 4
    after = np.where(np.arange(40_000) % 8 == 1, 0, before)
    days = [before] * 3 + [after] * 3
    found = over_days(made, [made.empty(simulated=True).update(people.report(day)) for day in days])
    axes = found.plot(top=1, level=1 - 1e-9).axes[0]
    assert [text.get_text() for text in axes.texts] == ["0"]
    dotted = [each for each in axes.lines if each.get_linestyle() == ":"]
    assert [data(each, "x")[0] for each in dotted] == [2.5]
    for wrong in ({"top": 0}, {"top": len(COLOURS) + 1}, {"level": 1.0}):
        with pytest.raises(ParameterError):
            found.plot(**wrong)


def test_a_tree_is_drawn_by_day_and_not_by_size(seed: int) -> None:
    made = ChangeTree(2.0, 8)
    held = np.arange(8) >= np.arange(200)[:, np.newaxis] % 8
    estimate = made.aggregate(made.privatize(held.astype(int), rng=seed), simulated=True).estimate()
    axes = estimate.plot().axes[0]
    (drawn,) = (each for each in axes.lines if len(data(each, "x")) == 8)
    assert data(drawn, "y") == pytest.approx(estimate.counts.tolist())
    with pytest.raises(ParameterError, match="top"):
        estimate.plot(top=9)
