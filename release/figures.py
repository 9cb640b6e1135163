"""Draw a figure of its variance for each mechanism on the site's page of the catalogue.

The figures are made when the site is built, from the derived variances: none is kept in git.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.analysis.curves import variance_curves
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ldp_verified.language import Mechanism

SIZES = (4, 32, 256)
EPSILONS = (0.5, 1.0, 4.0)
POINTS = 60
ENTRY = re.compile(r"^- \[(?P<title>.+)\]\(#[^)]+\): `(?P<name>\w+)`$", re.MULTILINE)
"""A line of the page's contents."""


def draw(mechanism: Mechanism, path: Path) -> bool:
    """Draw the standard error of an estimated share of a million users, against epsilon and k.

    Args:
        mechanism: of the catalogue.
        path: of the picture, a .png file in a folder that is there.

    Returns:
        False, and nothing is drawn, if the mechanism has no variance in epsilon and k alone.
    """
    try:
        against_epsilon = [
            variance_curves([mechanism], "epsilon", np.linspace(0.25, 8, POINTS), size)
            for size in SIZES
        ]
    except ParameterError:
        return False
    against_k = [
        variance_curves([mechanism], "k", np.geomspace(2, 1000, POINTS), epsilon)
        for epsilon in EPSILONS
    ]
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    named = ((left, "epsilon", "k", against_epsilon), (right, "k", "epsilon", against_k))
    for axes, axis, other, curves in named:
        for each, style in zip(curves, ("-", "--", ":"), strict=True):
            error = np.sqrt(each.values[mechanism.name] / 1e6)
            axes.plot(each.points, error, style, label=f"{other} = {each.fixed:g}")
        axes.set_yscale("log")
        axes.set_xlabel(axis)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(frameon=False)
    right.set_xscale("log")
    left.set_ylabel("standard error of a share,\n1,000,000 users")
    figure.savefig(path, dpi=110)
    return True


def with_figures(page: str, mechanisms: Iterable[Mechanism], folder: Path) -> str:
    """Put a figure under the heading of each mechanism that has one.

    Args:
        page: the catalogue in Markdown.
        mechanisms: whose figures are drawn.
        folder: where the pictures go, beside the page; it is made if need be.

    Returns:
        The page, with its pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    titles = {match["name"]: match["title"] for match in ENTRY.finditer(page)}
    for mechanism in mechanisms:
        name = mechanism.name
        if name in titles and draw(mechanism, folder / f"{name}.png"):
            heading = f"\n## {titles[name]}\n"
            said = f"Standard error of a share by epsilon and by k: {titles[name]}"
            page = page.replace(heading, f"{heading}\n![{said}]({folder.name}/{name}.png)\n", 1)
    return page
