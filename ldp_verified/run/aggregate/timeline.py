"""Estimates day by day, as lines with their intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.extras import needs
from ldp_verified.run.aggregate.picture import DARK, dress, form_of, lay_out, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

COLOURS = ("#0b5fa5", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0e7490", "#be185d", "#475569")
"""The colours of the lines, one for each; further lines are not drawn."""


@dataclass(frozen=True)
class Line:
    """One quantity over time.

    Attributes:
        label: of the value, shown beside the line; empty for a line without a name.
        values: float64 (days,). low, high: float64 (days,), ends of intervals; nan where nothing
            was estimated.
        marks: days at which something is to be seen, each as a dotted line.
    """

    label: str
    values: Floats
    low: Floats
    high: Floats
    marks: tuple[int, ...] = ()


def timeline(lines: Sequence[Line], heading: str, unit: str, time: str, level: float) -> Figure:
    """Draw quantities over time.

    Args:
        lines: at most eight, each over the same days. heading: of the picture. unit: of the values.
        time: what a step is, as "day". level: of the intervals.

    Raises:
        ImportError: matplotlib is not installed.
    """
    needs("a picture", "matplotlib")
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    # A font without a letter of some label is no reason to fail, nor to talk about it.
    with (
        warnings.catch_warnings(),
        rc_context({"font.size": 10, "text.parse_math": False, "svg.hashsalt": "ldp-verified"}),
    ):
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(9.0, 4.2), layout="constrained")
        axes = figure.subplots()
        for line, colour in zip(lines, COLOURS, strict=False):
            days = np.arange(len(line.values))
            axes.fill_between(days, line.low, line.high, color=colour, alpha=0.16, linewidth=0)
            axes.plot(days, line.values, color=colour, marker="o", markersize=3, linewidth=1.6)
        for mark in sorted({mark for line in lines for mark in line.marks}):
            axes.axvline(mark - 0.5, color=DARK, linewidth=1.2, linestyle=":")
        names = [short(line.label) for line in lines]
        for line, name, place, colour in zip(lines, names, _apart(lines), COLOURS, strict=False):
            last = len(line.values) - 1
            axes.annotate(
                name,
                (last, place),
                xytext=(6, 0),
                textcoords="offset points",
                color=colour,
                va="center",
                annotation_clip=False,
            )
        axes.axhline(0.0, color=DARK, linewidth=0.8)
        axes.set(xlabel=time, ylabel=unit)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(form_of("count" if unit == "users" else unit))
        dress(axes, f"bands: {100 * level:g} % intervals" + _marked(lines))
        figure.suptitle(heading, fontsize=12, x=0.01, ha="left")
        lay_out(figure)
    return figure


def _marked(lines: Sequence[Line]) -> str:
    return "; dotted: a change was found" if any(line.marks for line in lines) else ""


def _apart(lines: Sequence[Line]) -> list[float]:
    """Return where names stand beside the last values, so that none covers another."""
    ends = np.array([line.values[np.isfinite(line.values)][-1:].sum() for line in lines])
    every = np.concatenate([[0.0], *(np.concatenate([line.low, line.high]) for line in lines)])
    gap = float(np.nanmax(every) - np.nanmin(every)) / 18
    places = ends.copy()
    order = np.argsort(ends, kind="stable")
    for before, after in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        places[after] = max(places[after], places[before] + gap)
    return [float(place) for place in places]
