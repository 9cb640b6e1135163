"""The plot of cost against users and sizes, and the slopes that were fitted to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchmarks.markdown import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    Series = Sequence[Sequence[float]]
    """[size, seconds] in turn."""
    Growth = Mapping[str, Mapping[str, Mapping[str, Series]]]
    """Family -> axis (users, sizes) -> stage (client, server) -> series."""

ABSCISSAS = {
    "k-RR": "values",
    "unary encoding (OUE)": "values",
    "subset selection": "values",
    "local hashing (OLH)": "values",
    "hash cohorts": "values",
    "Hadamard response": "values",
    "CMS": "buckets",
    "HCMS": "buckets",
    "RAPPOR": "bits",
    "Duchi's vectors": "coordinates",
    "transform": "numbers",
}
"""What grows on the second axis of each family."""
EXPECTED = {
    "k-RR": "no growth; the server holds a number for each value",
    "unary encoding (OUE)": "linear: a bit for each value",
    "subset selection": "linear: a member for each few values; the server has a bit for each",
    "local hashing (OLH)": "client: the digits of a value; server: linear",
    "hash cohorts": "client: the digits of a value; server: a look-up for each value and function",
    "Hadamard response": "no growth; the server makes one transform",
    "CMS": "linear: a bit for each bucket",
    "HCMS": "no growth; the server makes a transform for each row",
    "RAPPOR": "linear: a bit for each",
    "Duchi's vectors": "linear: a sign for each",
    "transform": "m log m: a little more than linear",
}
"""What the cost does there where users are many, by how each kernel works."""
LAST = 3
"""A slope is fitted to so many of the largest sizes: below, it is calls that take the time."""
_COLUMNS = 2


def slope(series: Series) -> float:
    """The exponent of growth: least squares on the logarithms of the largest sizes.

    Raises:
        ValueError: fewer than two sizes.
    """
    largest = sorted((size, seconds) for size, seconds in series)[-LAST:]
    points = [(math.log(size), math.log(seconds)) for size, seconds in largest]
    if len(points) < 2:
        raise ValueError(f"series: must have at least 2 sizes, got {len(points)}")
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return rise / sum((x - mean_x) ** 2 for x, _ in points)


def slopes(growth: Growth) -> str:
    """A table of exponents: 1 is linear, 0 no growth."""
    rows = []
    for family, axes in growth.items():
        cells = [
            f"{slope(axes[axis][stage]):.2f}" if stage in axes.get(axis, {}) else "none"
            for axis in ("users", "sizes")
            for stage in ("client", "server")
        ]
        rows.append([family, *cells[:2], ABSCISSAS[family], *cells[2:], EXPECTED[family]])
    head = [
        *("family", "users: client", "users: server", "size"),
        *("size: client", "size: server", "by how it works, in the size"),
    ]
    return table(head, rows)


def plot(growth: Growth, path: Path) -> None:
    """Write two panels for each family, against users and against sizes, as an SVG file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Text stays text, and the same numbers give the same file.
    with mpl.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 8}):
        rows = -(-len(growth) // _COLUMNS)
        figure = Figure(figsize=(10, 2 * rows), layout="constrained")
        panels = figure.subplots(rows, 2 * _COLUMNS, squeeze=False)
        for panel in panels.flat:
            panel.set_axis_off()
        for number, (family, axes) in enumerate(growth.items()):
            row, column = divmod(number, _COLUMNS)
            for offset, axis in enumerate(("users", "sizes")):
                if axes.get(axis):
                    panel = panels[row, 2 * column + offset]
                    panel.set_axis_on()
                    label = "users" if axis == "users" else ABSCISSAS[family]
                    _panel(panel, family, label, axes[axis])
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _panel(panel: Axes, family: str, label: str, stages: Mapping[str, Series]) -> None:
    """One panel: seconds of client and server, and what linear growth would be."""
    for stage, marker, colour in (("client", "o", "C0"), ("server", "s", "C1")):
        if stage in stages:
            sizes, seconds = zip(*stages[stage], strict=True)
            panel.loglog(sizes, seconds, color=colour, marker=marker, ms=3, label=stage)
    for number, series in enumerate(stages.values()):
        largest, longest = max((size, seconds) for size, seconds in series)
        least = min(size for size, _ in series)
        line = [longest * least / largest, longest]
        name = None if number else "linear growth"
        panel.loglog([least, largest], line, color="0.6", ls=":", label=name, zorder=0)
    panel.set_title(f"{family}: {label}")
    panel.set_ylabel("s")
    panel.margins(0.08)
    panel.tick_params(labelsize=7)
    panel.minorticks_off()
