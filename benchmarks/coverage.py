"""The coverage of intervals, computed exactly: `python -m benchmarks.coverage`.

The support count of a value that m of n users hold is Binomial(m, p*) + Binomial(n - m, q*), and
the interval depends on it alone. So the chance that the interval holds m is a sum, without drawing
anything. Of every m from 0 to n the least chance is shown, and the mean over all m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from benchmarks.markdown import table
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.listed import Listed
from ldp_verified.run.mechanisms import GRR, OLH, OUE, HadamardResponse, SubsetSelection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

K = 16
EPSILONS = (1.0, 4.0)
MECHANISMS = (GRR, OUE, OLH, SubsetSelection, HadamardResponse)
USERS = (1, 2, 5, 10, 20, 50, 100, 300, 1000)
LEVEL = 0.95


@dataclass(frozen=True)
class Covered:
    """The chances that an interval holds the true count.

    Attributes:
        least: of all true counts 0..n. at: the first count that has it. mean: over all of them.
    """

    least: float
    at: int
    mean: float


def intervals(made: Any, n: int, level: float) -> tuple[Floats, Floats]:
    """The ends of the interval for each support count 0..n, float64 (n + 1,) each."""
    oracle: Any = Listed(made.oracle, n + 1)
    return Estimate(oracle, n, np.arange(n + 1)).interval(level)


def covered(made: Any, n: int, level: float = LEVEL) -> Covered:
    """Compute the coverage for every true count.

    Args:
        made: an oracle whose reports are new draws. n: reports. level: of the intervals.
    """
    return coverage(made, n, *intervals(made, n, level))


def coverage(made: Any, n: int, low: Floats, high: Floats) -> Covered:
    """Compute the coverage of intervals that are given for each support count.

    Args:
        made: as in `covered`. n: reports. low, high: float64 (n + 1,).
    """
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)
    chances = np.empty(n + 1)
    for held in range(n + 1):
        own = binom.pmf(np.arange(held + 1), held, p)
        others = binom.pmf(np.arange(n - held + 1), n - held, q)
        law = np.convolve(own, others)
        # Ends that are the true count but for rounding hold it.
        inside = (low <= held + 1e-9) & (held - 1e-9 <= high)
        chances[held] = law[inside].sum()
    return Covered(float(chances.min()), int(chances.argmin()), float(chances.mean()))


def tables(users: Sequence[int] = USERS) -> str:
    """The least coverage by mechanism and n, as Markdown, a table for each epsilon."""
    parts = []
    for epsilon in EPSILONS:
        rows = []
        for mechanism in MECHANISMS:
            made = mechanism(epsilon, K)
            cells = [f"{100 * covered(made, n).least:.1f}" for n in users]
            rows.append([f"`{mechanism.__name__}`, {epsilon:g}", *cells])
        parts.extend(rows)
    head = ["mechanism, epsilon", *(f"n = {n:,}" for n in users)]
    return table(head, parts)


if __name__ == "__main__":
    print(tables())
