"""HPGR beside PGR: errors, and the time of the server. `python -m benchmarks.point_blocks`.

The mean over all values of the squared error does not depend on who holds what: each user adds the
variance of who holds a value once, that of a neighbour for the others of the block, and that of a
stranger for the rest.

Vitaly Feldman, Jelani Nelson, Huy Nguyen, Kunal Talwar (2022), Private Frequency Estimation via
Projective Geometry. Their errors are those of 300 runs in `icml22_experimental_data/results`
(github.com/minilek/private_frequency_oracles, spike6.mse), at epsilon = 5, with 50,000 users and
22,000 values; their HPG5 has the prime 5 and ceil((e^5 + 1)/5) = 30 blocks, filled one by one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.markdown import table
from ldp_verified import PGR
from ldp_verified.protocols import HPGR

EPSILON, N, SEED = 5.0, 10_000, 1
SIZES = (22_000, 3_307_948)
PRIMES: tuple[int | None, ...] = (None, 5, 31)
"""Of HPGR; None for its own choice."""

AUTHORS_N, AUTHORS_K = 50_000, 22_000
AUTHORS: dict[str, tuple[float, float]] = {"PGR": (1188.33, 1654.58), "HPGR": (1472.32, 2042.64)}
"""The least and the most mean squared error of their 300 runs."""

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Measured:
    """A mechanism at one size.

    Attributes:
        made: the mechanism. error: the mean squared error of all counts over n users, measured in
            one run. stated: the same by formulas. drawn, estimated: seconds for n reports, and for
            the estimates of all values from a state.
    """

    made: PGR | HPGR
    error: float
    stated: float
    drawn: float
    estimated: float


def stated_error(made: PGR | HPGR) -> float:
    """The mean over all values of the squared error of a count, for each user."""
    if isinstance(made, PGR):
        return made.variance(1, 1 / made.k)
    size, found = made.layout.size, made.user_variances
    beside, away = (size - 1) * found.neighbour, (made.k - size) * found.stranger
    return float((found.held + beside + away) / made.k)


def measured(made: PGR | HPGR, n: int, seed: int) -> Measured:
    """Draw once to compile, then with the clock on."""
    values = np.random.default_rng(seed).integers(0, made.k, n)
    compiled = made.empty(True).update(made.privatize(values, seed)).estimate()
    assert len(compiled.counts) == made.k
    start = time.perf_counter()
    reports = made.privatize(values, seed)
    drawn = time.perf_counter() - start
    state = made.empty(True).update(reports)
    start = time.perf_counter()
    found = state.estimate().counts
    estimated = time.perf_counter() - start
    true = np.bincount(values, minlength=made.k)
    error = float(np.mean((found - true) ** 2)) / n
    return Measured(made, error, stated_error(made), drawn, estimated)


def makers() -> Sequence[Callable[[int], PGR | HPGR]]:
    """The mechanisms of the page, each from a number of values."""
    return [
        lambda k: PGR(EPSILON, k),
        *(lambda k, q=prime: HPGR(EPSILON, k, q) for prime in PRIMES),
    ]


def row(found: Measured) -> list[str]:
    """One line of the page."""
    made, name = found.made, type(found.made).__name__
    blocks, worst = "1", made.variance(1)
    if isinstance(made, HPGR):
        blocks, worst = str(made.blocks), made.variance(1, 0, 1)
    return [
        f"{name}, {made.k:,}",
        str(made.prime),
        blocks,
        f"{made.layout.counters:,}",
        f"{found.stated:.5f}",
        f"{found.error:.5f}",
        f"{worst:.3f}",
        f"{found.drawn / N * 1e9:,.0f}",
        f"{found.estimated:.2f}",
    ]


def authors_rows() -> list[list[str]]:
    """The authors' errors, beside ours as stated."""
    ours: dict[str, PGR | HPGR] = {
        "PGR": PGR(EPSILON, AUTHORS_K),
        "HPGR": HPGR(EPSILON, AUTHORS_K, 5, 30),
    }
    return [
        [name, f"{low:,.0f}..{high:,.0f}", f"{AUTHORS_N * stated_error(ours[name]):,.0f}"]
        for name, (low, high) in AUTHORS.items()
    ]


def page(found: Sequence[Measured]) -> str:
    """POINT_BLOCKS.md."""
    heads = ["mechanism, values", "prime", "blocks", "points", "error, stated", "error, measured"]
    heads += ["largest variance", "ns a report", "s to estimate"]
    return f"""# HPGR beside PGR

Written by `python -m benchmarks.point_blocks`. epsilon = {EPSILON:g}, {N:,} users with uniform \
values. Errors are mean squared errors of the counts of all values, divided by the number of \
users; they do not depend on who holds what. The largest variance for each user is that of a value \
which nobody holds, where all users hold another value of its block. Times are of one process, \
machine code compiled before.

{table(heads, [row(each) for each in found])}
Mean squared errors beside those of the authors' 300 runs (Feldman, Nelson, Nguyen, Talwar 2022): \
epsilon = {EPSILON:g}, {AUTHORS_N:,} users, {AUTHORS_K:,} values, for HPGR the prime 5 and 30 \
blocks. Theirs fill one block after the other, ours all alike: their blocks have up to 781 values, \
ours 734.

{table(["mechanism", "authors, least and most", "ours, stated"], authors_rows())}"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=HERE / "POINT_BLOCKS.md")
    given = parser.parse_args()
    found = [measured(make(k), N, SEED) for k in SIZES for make in makers()]
    given.output.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
