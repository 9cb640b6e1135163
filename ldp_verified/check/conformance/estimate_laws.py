"""The law of a population's estimate, in classes, from how many of its reports support a value."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.stateful_clients import Look, law

if TYPE_CHECKING:
    from numpy.typing import NDArray

Masses = dict[int, Fraction]

USERS = 200
"""The number of users in each population whose estimate is looked at."""

CUTS = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
"""The quantiles at which the law of an estimate is cut into classes, as nearly as it can be."""


def binomial(n: int, p: Fraction) -> Masses:
    """The law of the number of heads among n coins."""
    return {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def estimates_law(
    reporting: Masses, p: Fraction, q: Fraction, what: str, support: Fraction | None = None
) -> tuple[Look, NDArray[np.float64]]:
    """Return classes of the estimate of a value, and where they end.

    Args:
        reporting: how many reports count values, with chances. p, q: of a report's support for a
            value that is held, and for one that is not. what: for the look's name.
        support: the chance that a report supports it; None for p, of a value that all users hold.
    """
    from scipy.stats import binom

    own = float(p if support is None else support)
    found: dict[float, float] = {}
    for m, chance in reporting.items():
        if m == 0 or float(chance) < 1e-18:
            continue
        row = binom.pmf(np.arange(m + 1), m, own).tolist()
        for c, mass in enumerate(row):
            count = USERS / m * (c - m * float(q)) / float(p - q)
            found[count] = found.get(count, 0.0) + float(chance) * mass
    places = sorted(found)
    sums = np.cumsum([found[place] for place in places])
    ends = sorted({int(np.searchsorted(sums, float(cut) * sums[-1])) for cut in CUTS})
    edges = np.array([(places[e] + places[e + 1]) / 2 for e in ends if e + 1 < len(places)])
    cut = [Fraction(float(sums[e] / sums[-1])) for e in ends if e + 1 < len(places)]
    masses = [b - a for a, b in zip([Fraction(0), *cut], [*cut, Fraction(1)], strict=True)]
    names = [f"up to {edge:.1f}" for edge in edges] + ["above"]
    null = "each class of the estimate has the chance that follows from the law of the reports"
    classes = dict(zip(names, masses, strict=True))
    return law(f"estimates of {USERS} users, {what}", classes, USERS, null), edges
