"""Pictures of curves: variance with its crossings, trade-off, privacy loss."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.deploy.collect.files import written_whole
from ldp_verified.deploy.collect.plot import FORMATS
from ldp_verified.extras import needs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ldp_verified.analysis.curves import LossCurve, VarianceCurves

# Okabe and Ito's colours, told apart by everybody. Curves may coincide: later ones are thinner and
# dashed, so that the ones below show.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
STYLES = ("-", "--", "-.", ":")
GRID = "#e6e8eb"
DARK = "#30363d"
MOST_MARKED = 6
MOST_PAIRS = 6


def draw_variance(curves: VarianceCurves, users: int, path: Path) -> None:
    """Standard error of an estimated count for `users` users; crossings are marked.

    Raises:
        ParameterError: the path cannot be written.
    """
    needs("a picture", "matplotlib")
    from matplotlib.ticker import LogLocator, NullFormatter

    with _figure(path, 8.0, 5.0) as (axes,):
        for position, (name, values) in enumerate(curves.values.items()):
            _draw_curve(axes, position, curves.points, np.sqrt(users * values), name)
        for crossing in [c for c in curves.crossings if c.once][:MOST_MARKED]:
            error = math.sqrt(users * crossing.variance)
            axes.plot([crossing.at], [error], "o", color=DARK, markersize=5, zorder=5)
            axes.annotate(
                f"{crossing.before} → {crossing.after}\n{_name(curves)} = {crossing.at:.4g}",
                (crossing.at, error),
                xytext=(8, 14),
                textcoords="offset points",
                fontsize=9,
                color=DARK,
                bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.8},
                zorder=4,
            )
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        if curves.points[-1] / curves.points[0] > 50:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.set_xlabel(_name(curves))
        axes.set_ylabel("standard error of an estimated count")
        other = "k" if curves.against == "epsilon" else "ε"
        axes.set_title(
            f"{users:,} users, {other} = {curves.fixed:g}, a value that a share "
            f"f = {curves.share:g} of them holds",
            fontsize=11,
            loc="left",
        )
        axes.legend(frameon=False)


def draw_users(
    epsilons: NDArray[np.float64],
    curves: dict[str, list[int | None]],
    title: str,
    path: Path,
) -> None:
    """The users that mechanisms need, by epsilon; gaps where no number is enough.

    Args:
        epsilons: float64 (m,). curves: name -> m numbers of users. title: what was asked.
        path: .png or .svg.

    Raises:
        ParameterError: the path cannot be written.
    """
    needs("a picture", "matplotlib")
    from matplotlib.ticker import LogLocator, NullFormatter

    same: dict[tuple[int | None, ...], list[str]] = {}
    for name, curve in curves.items():
        same.setdefault(tuple(curve), []).append(name)
    with _figure(path, 8.0, 5.0) as (axes,):
        ends = sorted(same.items(), key=lambda item: item[0][-1] or math.inf)
        for position, (values, names) in enumerate(ends):
            needed = np.array([math.nan if users is None else users for users in values])
            _draw_curve(axes, position, epsilons, needed, ", ".join(names))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(LogLocator(base=2))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("ε")
        axes.set_ylabel("users")
        axes.set_title(title, fontsize=11, loc="left")
        axes.legend(frameon=False, fontsize=9, ncols=2)


def _draw_curve(
    axes: Axes, position: int, x: NDArray[np.float64], y: NDArray[np.float64], label: str
) -> None:
    """Draw one of several curves so that those below it, which may coincide, show."""
    axes.plot(
        x,
        y,
        color=COLOURS[position % len(COLOURS)],
        linestyle=STYLES[position % len(STYLES)],
        linewidth=2.6 - 0.25 * min(position, 6),
        label=label,
    )


def _name(curves: VarianceCurves) -> str:
    return "ε" if curves.against == "epsilon" else "k"


def draw_trade_off(curve: LossCurve, title: str, path: Path) -> None:
    """The trade-off curve of a mechanism beside those of eps = 0 and of its own eps.

    Raises:
        ParameterError: the path cannot be written.
    """
    alpha = np.linspace(0.0, 1.0, 2001)
    with _figure(path, 6.2, 6.0) as (axes,):
        axes.plot(alpha, 1 - alpha, color="#9aa1a9", linewidth=1, label="no information (ε = 0)")
        if math.isfinite(curve.epsilon):
            u = math.exp(curve.epsilon)
            bound = np.maximum.reduce([0 * alpha, 1 - u * alpha, (1 - alpha) / u])
            label = f"any ε-LDP at ε = {curve.epsilon:.4g}"
            axes.plot(alpha, bound, "--", color=COLOURS[1], linewidth=1.4, label=label)
        axes.plot(alpha, curve.trade_off(alpha), color=COLOURS[0], linewidth=2, label=title)
        axes.set_xlabel("α: probability of taking x' for x")
        axes.set_ylabel("β: least probability of taking x for x'")
        axes.set_title(_heading(curve, title, "trade-off of errors"), fontsize=11, loc="left")
        axes.set_aspect("equal")
        axes.legend(frameon=False)


def draw_loss(curve: LossCurve, title: str, path: Path) -> None:
    """The distribution of the privacy loss, and delta as a function of eps.

    Raises:
        ParameterError: the path cannot be written.
    """
    with _figure(path, 10.5, 4.4, columns=2) as (left, right):
        finite = [loss[np.isfinite(loss)] for loss in curve.losses]
        for position, pair in enumerate(curve.pairs[:MOST_PAIRS]):
            masses = curve.masses[position][np.isfinite(curve.losses[position])]
            colour = COLOURS[position % len(COLOURS)]
            left.vlines(finite[position], 0, masses, color=colour, linewidth=2)
            left.plot(finite[position], masses, "o", color=colour, markersize=5, label=pair)
        left.set_ylim(bottom=0)
        left.set_xlabel("privacy loss ln P(y|x)/P(y|x')")
        left.set_ylabel("probability under x")
        left.set_title(_heading(curve, title, "privacy loss"), fontsize=11, loc="left")
        left.legend(frameon=False, fontsize=9)
        top = curve.epsilon if math.isfinite(curve.epsilon) else 1.0
        epsilons = np.linspace(0.0, 1.1 * top if top else 1.0, 800)
        right.plot(epsilons, curve.delta(epsilons), color=COLOURS[0], linewidth=2)
        right.set_ylim(bottom=0)
        right.set_xlabel("ε")
        right.set_ylabel("δ")
        right.set_title("smallest δ of (ε, δ)-LDP", fontsize=11, loc="left")


def _heading(curve: LossCurve, title: str, what: str) -> str:
    values = ", ".join(f"{name} = {value:g}" for name, value in curve.parameters.items())
    return f"{title}: {what}" + (f" at {values}" if values else "")


@contextmanager
def _figure(path: Path, width: float, height: float, columns: int = 1) -> Iterator[list[Axes]]:
    """The axes of a figure, side by side; it is written when the block ends."""
    needs("a picture", "matplotlib")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # Labels are text, not formulas, and stay text in an SVG file.
    with rc_context(
        {
            "font.size": 10,
            "text.parse_math": False,
            "svg.fonttype": "none",
            "svg.hashsalt": "ldp-verified",
        }
    ):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = list(figure.subplots(1, columns, squeeze=False).flat)
        for each in axes:
            each.spines[["top", "right"]].set_visible(False)
            each.grid(color=GRID, linewidth=0.8)
            each.set_axisbelow(True)
        yield axes
        with written_whole(path) as temporary:
            kind = FORMATS[path.suffix.lower()]
            metadata = {"Date": None} if kind == "svg" else {}
            figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)
