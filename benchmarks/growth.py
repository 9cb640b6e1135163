"""The plot of cost against users and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

AXES = {"users": "users (1,024 values)", "values": "values (20,000 users)"}


def plot(growth: Mapping[str, Mapping[str, list[list[float]]]], path: Path) -> None:
    """Write client and server times of each mechanism as an SVG file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        panels = figure.subplots(1, len(AXES))
        for panel, (axis, label) in zip(panels, AXES.items(), strict=True):
            for index, (mechanism, rows) in enumerate(growth.items()):
                sizes, client, server = zip(*rows[axis], strict=True)
                colour = f"C{index}"
                panel.loglog(sizes, client, color=colour, marker="o", ms=3, label=mechanism)
                panel.loglog(sizes, server, color=colour, marker="s", ms=3, ls="--")
            everything = [row for rows in growth.values() for row in rows[axis]]
            size, last = min(everything)[0], max(everything)[0]
            lowest = min(min(row[1:]) for row in everything)
            panel.loglog([size, last], [lowest, lowest * last / size], color="0.6", ls=":")
            panel.set_xlabel(label)
            panel.set_ylabel("seconds")
        panels[0].legend(title="client: solid, server: dashed", frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})
