"""The mean of vectors in a ball, beside Duchi et al.'s mechanism and the bound.

`python -m benchmarks.vectors`. Users hold unit vectors near one direction, drawn anew for each
dimension: x = (1, noise) scaled to length 1, so that the mean has a length of about 1/2. Errors of
our reports are measured and stated; those of Duchi, Jordan and Wainwright's mechanism for the L2
ball and of PrivUnit with its best cap are drawn by their definitions on real numbers, and stated.
No unbiased mechanism has less error on the sphere than PrivUnit (Asi, Feldman, Talwar 2022).
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.numbers import EPSILONS
from ldp_verified.protocols import DuchiVector, SphereVector
from ldp_verified.protocols.sphere_gain import best_cap, half_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N, RUNS, DIMENSIONS, BATCH = 100_000, 5, (10, 100, 1000), 10_000
NUMBERS = 5_000_000
"""Numbers of all users together, at most: fewer users have longer vectors."""

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Row:
    """How well a mechanism did.

    Attributes:
        method, epsilon, d: of it. error: root of the mean squared distance of the estimated from
            the true mean, times the root of n: what one user adds, lengths being 1.
        stated: the same by its formula. share: the squared error over that of PrivUnit at its best,
            by formulas. seconds: of all users of a run, client and server, on one core; nan where
            the mechanism is not ours.
    """

    method: str
    epsilon: float
    d: int
    error: float
    stated: float
    share: float
    seconds: float


def vectors(n: int, d: int, rng: np.random.Generator) -> Floats:
    """Unit vectors, float64 (n, d), of which about half the length is common."""
    towards = rng.standard_normal(d)
    towards /= np.linalg.norm(towards)
    drawn = rng.standard_normal((n, d)) * math.sqrt(3 / d)
    drawn += towards
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn


def half_spaces(units: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    """Duchi, Jordan, Wainwright 2018: a uniform direction in the half space, or in the other."""
    drawn = rng.standard_normal(units.shape)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    inside = np.einsum("ij,ij->i", drawn, units) > 0
    wanted = rng.random(len(units)) < 1 / (1 + math.exp(-epsilon))
    drawn *= np.where(inside == wanted, 1, -1)[:, np.newaxis]
    return drawn / (math.tanh(epsilon / 2) * half_mean(units.shape[1]))


def caps(units: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    """PrivUnit with its best cap: a uniform direction in the cap, or beside it, by rejection."""
    d = units.shape[1]
    cap = best_cap(epsilon, d)
    wanted = rng.random(len(units)) < cap.chance
    inner = np.empty(len(units))
    left = np.arange(len(units))
    while len(left):
        # The inner product of a uniform direction: its square is Beta(1/2, (d - 1)/2).
        tried = np.sqrt(rng.beta(0.5, (d - 1) / 2, len(left))) * rng.choice([-1, 1], len(left))
        inner[left] = tried
        left = left[(tried >= cap.threshold) != wanted[left]]
    rest = rng.standard_normal(units.shape)
    rest -= np.einsum("ij,ij->i", rest, units)[:, np.newaxis] * units
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    found = inner[:, np.newaxis] * units + np.sqrt(1 - inner**2)[:, np.newaxis] * rest
    return np.asarray(found / cap.gain)


def measure(epsilon: float, d: int, n: int, runs: int) -> list[Row]:
    """All mechanisms on the same users."""
    made, cube = SphereVector(epsilon, d), DuchiVector(epsilon, min(d, 10))
    best = made.least_variance
    line = (1 / (math.tanh(epsilon / 2) * half_mean(d))) ** 2
    stated = {f"ours, {made.lines} lines": made.worst_variance}
    stated |= {"half spaces (Duchi et al.)": line, "PrivUnit, best cap": best}
    if d <= cube.d:
        stated["corners of the cube (DuchiVector)"] = d * float(cube.length) ** 2
    squares, length, seconds = dict.fromkeys(stated, 0.0), 0.0, 0.0
    for seed in range(runs):
        rng = np.random.default_rng([seed, d])
        state, true, sums = made.empty(simulated=True), np.zeros(d), [np.zeros(d), np.zeros(d)]
        corners = cube.empty(simulated=True)
        for start in range(0, n, BATCH):
            held = vectors(min(BATCH, n - start), d, np.random.default_rng([seed, d, start]))
            true += held.sum(axis=0)
            length += float((held**2).sum()) / n / runs
            begun = time.process_time()
            state = state.update(made.privatize(held, rng=rng))
            seconds += (time.process_time() - begun) / runs
            for place, draw_ in enumerate((half_spaces, caps)):
                sums[place] += draw_(held, epsilon, rng).sum(axis=0)
            if d <= cube.d:
                corners = corners.update(cube.privatize(held, rng=rng))
        true /= n
        found = [state.estimate().means, *(each / n for each in sums)]
        found += [corners.estimate().means] * (d <= cube.d)
        for name, means in zip(stated, found, strict=True):
            squares[name] += float(((means - true) ** 2).sum()) * n / runs
    return [
        Row(
            name,
            epsilon,
            d,
            math.sqrt(squares[name]),
            math.sqrt(each - length),
            each / best,
            seconds if name.startswith("ours") else math.nan,
        )
        for name, each in stated.items()
    ]


def users(n: int, d: int) -> int:
    """How many there are of d numbers each."""
    return min(n, NUMBERS // d)


def page(rows: Sequence[Row], n: int, runs: int) -> str:
    """VECTORS.md."""
    head = ["mechanism", "epsilon", "d", "error", "stated", "square over PrivUnit's", "seconds"]
    lines = [
        [
            r.method,
            f"{r.epsilon:g}",
            f"{r.d:,}",
            f"{r.error:,.2f}",
            f"{r.stated:,.2f}",
            f"{r.share:.2f}",
            "-" if math.isnan(r.seconds) else f"{r.seconds:.1f}",
        ]
        for r in rows
    ]
    return f"""# The mean of unit vectors

Written by `python -m benchmarks.vectors`. n = {n:,} users ({users(n, 1000):,} of 1,000 numbers \
each) hold unit vectors, about half of whose length is common; {runs} runs.

The error is the root of the mean squared distance between the estimated and the true mean, times \
the root of n: what one user adds. Divided by the root of n it is the error of a mean. Stated ones \
follow from formulas. `SphereVector` is ours, of as many lines as it chooses. Half spaces are \
those of Duchi, Jordan and Wainwright for the L2 ball. PrivUnit with its best cap is the bound: no \
unbiased mechanism on the sphere has a smaller error (Asi, Feldman, Talwar 2022). Both draw real \
numbers here, as their papers say, so that nothing is shown of what they would reveal on a \
machine. Corners of the cube are `DuchiVector`, whose coordinates lie in -1..1 each. Seconds are \
processor time of all reports and of the server.

{table(head, lines)}
![errors of means of vectors](vectors.svg)
"""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Errors by epsilon: a panel for each dimension, a line for each mechanism."""
    from matplotlib.figure import Figure

    dimensions = sorted({row.d for row in rows})
    figure = Figure(figsize=(5 * len(dimensions), 4), layout="constrained")
    panels: Any = np.atleast_1d(figure.subplots(1, len(dimensions)))
    for panel, d in zip(panels, dimensions, strict=True):
        own = [row for row in rows if row.d == d]
        for name in dict.fromkeys(row.method.split(",")[0] for row in own):
            points = [(r.epsilon, r.error) for r in own if r.method.split(",")[0] == name]
            panel.loglog(*zip(*points, strict=True), marker="o", label=name)
        panel.set(xlabel="epsilon", ylabel="error of one user", title=f"{d:,} dimensions")
        panel.xaxis.set_minor_formatter("")
        panel.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        panel.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write VECTORS.md."""
    reader = argparse.ArgumentParser(description="means of unit vectors")
    reader.add_argument("--runs", type=int, default=RUNS, help="of each mechanism")
    reader.add_argument("--users", type=int, default=N, help="how many, at most")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = [
        row
        for d in DIMENSIONS
        for epsilon in EPSILONS
        for row in measure(epsilon, d, users(given.users, d), given.runs)
    ]
    draw(rows, given.out / "vectors.svg")
    text = page(rows, given.users, given.runs)
    (given.out / "VECTORS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
