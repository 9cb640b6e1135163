"""An estimate as it is shown: a picture, and a table for notebooks."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ldp_verified.run.aggregate.tabulated import Tabulated

SHOWN = 20
"""Rows of the table that a notebook shows."""

_FORMS = {"count": "{x:,.0f}"}
LONGEST_LABEL = 28
BAR = "#9ec5e8"
LINE = "#0b5fa5"
DARK = "#30363d"
BAND = "#d5dce4"


def picture(estimate: Tabulated, top: int, level: float) -> Figure:
    """Draw the largest values and, where there are more, the smaller ones by rank.

    Args:
        estimate: what is drawn. top, level: see `Tabulated.plot`.

    Raises:
        ImportError: matplotlib is not installed. ParameterError: as `Tabulated.plot`.
    """
    if not is_integer(top) or not 1 <= top <= 100:
        raise ParameterError("top", "must be an integer in 1..100", top)
    needs("a picture", "matplotlib")
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    values, _, low, high = estimate.columns(level, True)
    order = np.argsort(-values, kind="stable")
    unit = "users" if estimate.quantity == "count" else estimate.quantity
    form = form_of(estimate.quantity)
    shown = order[:top]
    rest = len(order) > len(shown)
    percent = f"{100 * level:g} % intervals, all at once"
    height = 1.6 + 0.24 * max(len(shown), 8)
    # A font without a letter of some label is no reason to fail, nor to talk about it.
    with (
        warnings.catch_warnings(),
        rc_context({"font.size": 10, "text.parse_math": False, "svg.hashsalt": "ldp-verified"}),
    ):
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(12.0 if rest else 7.5, height), layout="constrained")
        if rest:
            left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.25])
            # Without the largest ones, beside which all others would lie on one line.
            first = min(len(shown), len(order) // 2)
            small, ranks = order[first:], np.arange(first + 1, len(order) + 1)
            ends = low[small], high[small]
            right.fill_between(ranks, *ends, step="mid", color=BAND, linewidth=0, label=percent)
            right.plot(ranks, values[small], color=DARK, linewidth=1.6, label="estimate")
            right.axhline(0.0, color=DARK, linewidth=0.8)
            right.set(xlabel="rank of the estimate", ylabel=unit)
            right.set_xlim(first + 0.5, len(order) + 0.5)
            right.legend(loc="upper right", frameon=False)
            dress(right, f"The smaller estimates of all {len(order):,} values")
            right.yaxis.set_major_formatter(form)
            right.xaxis.set_major_formatter(_FORMS["count"])
        else:
            left = figure.subplots()
        places = np.arange(len(shown))
        left.barh(places, values[shown], height=0.72, color=BAR, label="estimate")
        left.hlines(places, low[shown], high[shown], color=LINE, linewidth=2, label=percent)
        left.axvline(0.0, color=DARK, linewidth=0.8)
        names = estimate.names
        left.set_yticks(places, [short(str(names[place])) for place in shown.tolist()])
        left.set_ylim(len(shown) - 0.4, -0.6)
        left.set_xlabel(unit)
        dress(left, f"The {len(shown)} largest estimates" if rest else "Every value")
        left.xaxis.set_major_locator(MaxNLocator(5))
        left.xaxis.set_major_formatter(form)
        figure.legend(
            *left.get_legend_handles_labels(), loc="outside lower left", ncols=2, frameon=False
        )
        figure.suptitle(estimate.heading, fontsize=12, x=0.01, ha="left")
        lay_out(figure)
    return figure


def page(estimate: Tabulated) -> str:
    """Return the largest estimates as a table in HTML."""
    from html import escape

    every = estimate.rows()
    rows = sorted(every, key=lambda row: -row.value)[:SHOWN]
    form = form_of(estimate.quantity)

    def shown(number: float) -> str:
        return "" if np.isnan(number) else form.format(x=number).replace(",", "")

    cells = "".join(
        f"<tr><td>{escape(str(row.label))}</td><td>{shown(row.value)}</td>"
        f"<td>{shown(row.std_error)}</td><td>{shown(row.low)} to {shown(row.high)}</td></tr>"
        for row in rows
    )
    more = len(every) - len(rows)
    left = f"<p>and {more} values with smaller estimates</p>" if more else ""
    head = (
        f"<tr><th>value</th><th>{estimate.quantity}</th><th>standard error</th>"
        "<th>95 % interval</th></tr>"
    )
    return f"<p>{escape(repr(estimate))}</p><table>{head}{cells}</table>{left}"


def short(label: str) -> str:
    """Return the label itself, or its beginning and an ellipsis."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


def form_of(quantity: str) -> str:
    """Return how numbers of this quantity are written on an axis."""
    return _FORMS.get(quantity, "{x:,.4g}")


def lay_out(figure: Figure) -> None:
    """Find the places of everything, once: within the context, and not when a figure is saved."""
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine("none")


def dress(axes: Axes, title: str) -> None:
    """Give a plot its title, and the grid and frame that all of ours have."""
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e8eb", linewidth=0.8, axis="x" if axes.yaxis_inverted() else "y")
    axes.set_axisbelow(True)
