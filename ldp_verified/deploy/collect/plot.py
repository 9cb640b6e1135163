"""One picture: the estimates with their intervals, and the truth where it may be shown."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.deploy.collect.files import check_place, written_whole
from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ldp_verified.deploy.collect.run import Collection
    from ldp_verified.run.aggregate.tabulated import Tabulated

FORMATS = {".png": "png", ".svg": "svg"}
LONGEST_LABEL = 28
ESTIMATE = "#0b5fa5"
TRUTH = "#c8ccd1"
DARK = "#30363d"


def check_plot_path(path: Path, option: str = "--plot") -> None:
    """Refuse what `draw` could not write, before anything is read.

    Args:
        path: of the picture. option: that gives it.

    Raises:
        ParameterError: not .png or .svg, no such folder, or matplotlib is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise ParameterError(option, "must end in .png or .svg", str(path))
    check_place(option, path)
    if find_spec("matplotlib") is None:
        raise ParameterError(option, "needs matplotlib: pip install 'ldp-verified[plot]'")


def draw(collection: Collection, path: Path, top: int) -> None:
    """Draw the `top` largest estimates.

    Beside them, where the truth may be shown, every estimate against its true count.

    Raises:
        ParameterError: the path cannot be written.
    """
    needs("a picture", "matplotlib")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    shown = collection.shown(top)
    height = 2.3 + 0.24 * max(len(shown), 12)
    # A font without a letter of some label is no reason to fail, nor to talk about it.
    # Labels are text, not formulas, and stay text in an SVG file.
    with (
        warnings.catch_warnings(),
        rc_context(
            {
                "font.size": 10,
                "text.parse_math": False,
                "svg.fonttype": "none",
                "svg.hashsalt": "ldp-verified",
            }
        ),
    ):
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        wide = collection.truth is not None
        figure = Figure(figsize=(12.0 if wide else 7.5, height), layout="constrained")
        if wide:
            left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
            _against_truth(right, collection)
        else:
            left = figure.subplots()
        _largest(left, collection, shown, top)
        figure.suptitle(_title(collection), fontsize=12.5, x=0.01, ha="left")
        _save(figure, path)


def draw_estimate(estimate: Tabulated, path: Path, top: int, level: float) -> None:
    """Draw the `top` largest estimates, at most 100, as `Tabulated.plot` does.

    Raises:
        ParameterError: the path cannot be written.
    """
    needs("a picture", "matplotlib")
    from matplotlib import rc_context

    figure = estimate.plot(min(top, 100), level)
    with warnings.catch_warnings(), rc_context({"svg.hashsalt": "ldp-verified"}):
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    with written_whole(path) as temporary:
        kind = FORMATS[path.suffix.lower()]
        # No date in the file: the same result gives the same bytes.
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)


def _title(collection: Collection) -> str:
    epsilon = f"{collection.mechanism.epsilon:g}"
    name = type(collection.mechanism).__name__
    rows = f"{collection.estimate.n:,}"
    private = "" if collection.seed is None else " (simulated randomness)"
    first = f"{_short(collection.column.name)}: {rows} rows, each randomized on its own "
    first += f"by {name} at ε = {epsilon}{private}"
    if collection.truth is None:
        return first
    return (
        first
        + "\nSimulation: the true counts are shown for comparison; a collector never sees them"
    )


def _largest(axes: Axes, collection: Collection, indices: NDArray[np.int64], top: int) -> None:
    places = np.arange(len(indices))
    counts = collection.estimate.counts[indices]
    low, high = (ends[indices] for ends in collection.interval)
    if collection.truth is not None:
        axes.barh(
            places,
            collection.truth.counts[indices],
            height=0.72,
            color=TRUTH,
            label="true count",
            zorder=1,
        )
    axes.hlines(
        places,
        low,
        high,
        color=ESTIMATE,
        linewidth=2,
        zorder=2,
        label=f"{_percent(collection.level)} interval",
    )
    axes.plot(counts, places, "o", color=ESTIMATE, markersize=5, zorder=3, label="estimate")
    labels = [_short(collection.domain.labels[i]) for i in indices]
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_ylim(len(indices) - 0.4, -0.6)
    axes.set_xlim(left=min(0.0, float(counts.min())))
    every = len(indices) == collection.domain.k
    most = f"The {top} largest estimates of {collection.domain.k:,} values"
    also = f", and “{_short(str(collection.domain.other))}”" if len(indices) > top else ""
    _dress(axes, "Every value" if every else most + also)
    axes.set_xlabel("rows")
    axes.legend(loc="lower right", frameon=False)


def _against_truth(axes: Axes, collection: Collection) -> None:
    assert collection.truth is not None
    truth, counts = collection.truth.counts, collection.estimate.counts
    low, high = collection.interval
    span = [0.0, float(max(truth.max(), 1))]
    # Intervals are clipped to [0, n] and need not hold an estimate below 0.
    axes.vlines(truth, low, high, color=ESTIMATE, linewidth=0.8, alpha=0.35, zorder=1)
    axes.plot(truth, counts, "o", color=ESTIMATE, markersize=3.5, alpha=0.6, zorder=2)
    axes.plot(span, span, color=DARK, linewidth=1, zorder=3, label="estimate = true count")
    axes.legend(loc="upper left", frameon=False)
    nobody = int(np.count_nonzero(truth == 0))
    if nobody:
        axes.annotate(
            f"{nobody:,} values that no row holds:\nwhat is estimated for them is noise",
            (0.0, float(counts[truth == 0].min())),
            xytext=(12, 0),
            textcoords="offset points",
            color=DARK,
        )
    covered = int(np.count_nonzero((low <= truth) & (truth <= high)))
    _dress(axes, f"All {len(truth):,} values: {covered:,} intervals hold the true count")
    axes.set_xlabel("true count")
    axes.set_ylabel("estimated count")


def _dress(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e8eb", linewidth=0.8, axis="x" if axes.yaxis_inverted() else "both")
    axes.set_axisbelow(True)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if axes.get_ylabel() or not axes.yaxis_inverted():
        axes.yaxis.set_major_formatter("{x:,.0f}")


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


def _percent(level: float) -> str:
    return f"{100 * level:g} %"
