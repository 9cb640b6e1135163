"""Heavy hitters by growing prefixes, beside the ceiling: `python -m benchmarks.heavy_hitters`.

The ceiling is told the domain: unary encoding (OUE) of every value that anybody holds, the same n
and epsilon, and the 32 largest estimates. Prefix extending and prefix cohorts are told the number
of bits only.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.errors import LdpError
from ldp_verified.mechanisms import OUE
from ldp_verified.protocols import (
    PrefixCohorts,
    PrefixCohortState,
    PrefixExtending,
    PrefixState,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP, KEEP = 32, 64
RUNS = 2
EPSILONS = (1.0, 2.0, 4.0, 8.0)
STEPS = (1, 4, 8, 16)
COHORT_STEP = 13
HELD_OUT, SEEDS = (0.9, 1.15, 1.3), range(100, 105)
"""Exponents and seeds that no choice was made on."""
CEILING = "ceiling: OUE, domain known"
HERE = Path(__file__).resolve().parent

USERS, DISTINCT, BITS, CLUSTERS = 657_427, 121_000, 48, 3_000
CLUSTERED_SHA256 = "e9f0ad9ee52889011b4f89458ee92c78a321aec6fb27825512638ab9ac894314"
"""Of the values (little-endian, 8 bytes each) and then the counts of `clustered()`."""


@dataclass(frozen=True)
class Population:
    """Who holds what. Values are distinct, and in the order of their counts, largest first."""

    name: str
    bits: int | None
    values: tuple[str | int, ...]
    counts: NDArray[np.int64]

    @property
    def n(self) -> int:
        """The number of users."""
        return int(self.counts.sum())


def clustered(exponent: float = 1.0) -> Population:
    """Zipf-like counts of 48-bit values, half of whose bits are one of 3000 prefixes.

    Every value is held once, and the other users are shared out in proportion to rank^-exponent,
    rounded down, and what is left goes to the first ranks: nothing is drawn. A value's prefix and
    the rest of it come from SHAKE-128; low numbers of prefixes are the more frequent.
    """
    words = np.frombuffer(
        hashlib.shake_128(b"ldp_verified clustered values").digest(16 * DISTINCT), dtype="<u8"
    ).reshape(DISTINCT, 2)
    uniform = words[:, 0] / 2.0**64
    cluster = np.floor(CLUSTERS * uniform**3).astype(np.uint64)
    prefix = (cluster * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - BITS // 2)
    values = (prefix << np.uint64(BITS // 2)) | (words[:, 1] >> np.uint64(64 - BITS // 2))
    kept = np.sort(np.unique(values, return_index=True)[1])
    share = np.arange(1, len(kept) + 1, dtype=np.float64) ** -exponent
    counts = 1 + np.floor((USERS - len(kept)) * share / share.sum()).astype(np.int64)
    counts[: USERS - int(counts.sum())] += 1
    return Population("48-bit values", BITS, tuple(values[kept].tolist()), counts)


def digest(population: Population) -> str:
    """The hash of integers and counts, in hex."""
    whole = np.array(population.values, dtype="<u8").tobytes()
    return hashlib.sha256(whole + population.counts.astype("<i8").tobytes()).hexdigest()


def english(n: int, seed: int) -> Population | None:
    """Users who each type an English word, drawn by frequency; None without `wordfreq`."""
    try:
        import wordfreq  # type: ignore[import-not-found, unused-ignore]  # an optional package
    except ImportError:
        return None
    known = [
        (word, share)
        for word, share in wordfreq.get_frequency_dict("en").items()
        if len(word.encode()) <= 15
    ]
    shares = np.array([share for _, share in known])
    drawn = np.random.default_rng(seed).multinomial(n, shares / shares.sum())
    order = np.argsort(-drawn, kind="stable")
    held = order[drawn[order] > 0]
    words = tuple(known[place][0] for place in held.tolist())
    return Population("English words", None, words, drawn[held].astype(np.int64))


@dataclass(frozen=True)
class Score:
    """How well a list names the most frequent values.

    Attributes:
        f1: of the list against the true top 32. ncr: the same with weights 32, 31, ..., 1 for the
            true ranks, over their sum. squared: mean squared error of the counts of those found.
        found: of the true top. seconds: of the server.
    """

    f1: float
    ncr: float
    squared: float
    found: int
    seconds: float


def score(
    population: Population, listed: Iterable[tuple[str | int, float]], seconds: float
) -> Score:
    """Compare a list of (value, estimated count) with the truth."""
    ranks = {value: rank for rank, value in enumerate(population.values[:TOP])}
    rows = list(listed)
    right = [(ranks[value], count) for value, count in rows if value in ranks]
    ncr = sum(TOP - rank for rank, _ in right) / (TOP * (TOP + 1) / 2)
    gaps = [(count - float(population.counts[rank])) ** 2 for rank, count in right]
    squared = float(np.mean(gaps)) if gaps else float("nan")
    return Score(2 * len(right) / (TOP + len(rows)), ncr, squared, len(right), seconds)


def ceiling(population: Population, epsilon: float, seed: int) -> Score:
    """The 32 largest estimates of an oracle that knows every value that is held."""
    oracle = OUE(epsilon, len(population.values))
    state = oracle.simulate_counts(population.counts, seed)
    begin = time.process_time()
    counts = state.estimate().counts
    best = np.argsort(-counts, kind="stable")[:TOP].tolist()
    spent = time.process_time() - begin
    return score(population, [(population.values[i], float(counts[i])) for i in best], spent)


def extending(
    population: Population,
    epsilon: float,
    step: int,
    seed: int,
    false_alarm: float | None = 1e-3,
) -> Score:
    """What `PrefixExtending` publishes, at most 32 values, each with its usual false alarm."""
    protocol = PrefixExtending(epsilon, bits=population.bits, step=step)
    return found_by(population, protocol, PrefixState, seed, keep=KEEP, false_alarm=false_alarm)


def cohorts(population: Population, epsilon: float, step: int, seed: int) -> Score:
    """The 32 values that `PrefixCohorts` publishes, whether they stand out or not."""
    protocol = PrefixCohorts(epsilon, bits=population.bits, step=step)
    return found_by(population, protocol, PrefixCohortState, seed, false_alarm=None)


def found_by(population: Population, protocol: Any, state: Any, seed: int, **search: Any) -> Score:
    """How well a protocol names the top of a population that reports once."""
    try:
        reports = protocol.simulate(population.values, population.counts, seed)
    except LdpError:  # too few users for anything at this epsilon
        return score(population, [], 0.0)
    begin = time.process_time()
    seen = state(protocol, simulated=True).update(reports)
    try:
        listed = [(value, count) for value, count, _ in seen.heavy_hitters(TOP, **search)]
    except LdpError:  # nothing stands out
        listed = []
    return score(population, listed, time.process_time() - begin)


Row = tuple[str, str, float, list[Score]]
"""(population, method, epsilon, runs)."""


def measure(
    populations: Sequence[Population],
    epsilons: Sequence[float],
    steps: Callable[[Population], Sequence[int]],
    runs: int,
    shared: Callable[[Population], Sequence[int]] = lambda _: (),
) -> list[Row]:
    """Run everything; all methods have the seeds 0, 1, ...; `shared` are the steps of cohorts."""
    found: list[Row] = []
    for each in populations:
        for epsilon in epsilons:
            scores = [ceiling(each, epsilon, seed) for seed in range(runs)]
            found.append((each.name, CEILING, epsilon, scores))
            for step in steps(each):
                scores = [extending(each, epsilon, step, seed) for seed in range(runs)]
                found.append((each.name, f"{step}-bit steps", epsilon, scores))
                print(*found[-1][:3], scores[0], file=sys.stderr, flush=True)
            for step in shared(each):
                scores = [cohorts(each, epsilon, step, seed) for seed in range(runs)]
                found.append((each.name, f"cohorts, {step}-bit steps", epsilon, scores))
                print(*found[-1][:3], scores[0], file=sys.stderr, flush=True)
    return found


def held_out(exponents: Sequence[float], seeds: Sequence[int], steps: Sequence[int]) -> str:
    """Lists of 32 at epsilon = 4 on populations that nothing was tuned on, as a table."""
    body = []
    for exponent in exponents:
        population = clustered(exponent)
        best = [ceiling(population, 4.0, seed) for seed in seeds]
        own = [cohorts(population, 4.0, COHORT_STEP, seed) for seed in seeds]
        every = {CEILING: best, f"cohorts, {COHORT_STEP}-bit steps": own}
        for step in steps:
            listed = [extending(population, 4.0, step, seed, None) for seed in seeds]
            every[f"{step}-bit steps"] = listed
        for method, scores in every.items():
            more = np.array([a.f1 - b.f1 for a, b in zip(own, scores, strict=True)])
            error = more.std(ddof=1) / len(more) ** 0.5
            body.append(
                [
                    f"{exponent:g}",
                    method,
                    *(
                        f"{average(scores, which) / base:.2f}"
                        for which in ("f1", "ncr")
                        for base in (1.0, average(best, which))
                    ),
                    "-" if scores is own else f"{more.mean():+.3f} ({error:.3f})",
                    f"{max(each.seconds for each in scores):.2f}",
                ]
            )
            print(*body[-1], file=sys.stderr, flush=True)
    head = ["exponent", "method", "F1", "of the ceiling's", "NCR", "of the ceiling's"]
    return table([*head, "cohorts have more F1 by (standard error)", "most seconds"], body)


def costs(populations: Sequence[Population]) -> str:
    """Seconds and memory of the server of prefix cohorts, as a table."""
    body = []
    for each in populations:
        spent = cohorts(each, 4.0, COHORT_STEP, 0).seconds
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        body.append([each.name, f"{each.bits}", f"{each.n:,}", f"{spent:.2f}", f"{peak:.2f}"])
        print(*body[-1], file=sys.stderr, flush=True)
    head = ["population", "bits", "n", "seconds", "peak GiB of the process so far"]
    return table(head, body)


def widened(population: Population) -> Population:
    """The same with 80 more bits after each value, from SHAKE-128."""
    more = np.frombuffer(
        hashlib.shake_128(b"ldp_verified wide values").digest(16 * len(population.values)),
        dtype="<u8",
    ).reshape(-1, 2)
    values = tuple(
        int(value) << 80 | int(upper) >> 48 << 64 | int(lower)
        for value, (upper, lower) in zip(population.values, more.tolist(), strict=True)
    )
    return Population("the same values, widened", 128, values, population.counts)


def average(scores: Sequence[Score], name: str) -> float:
    """The mean of one number over the runs in which it is one."""
    numbers = [getattr(each, name) for each in scores]
    known = [number for number in numbers if number == number]
    return sum(known) / len(known) if known else float("nan")


def page(
    rows: Sequence[Row],
    populations: Sequence[Population],
    runs: int,
    fresh: str = "",
    spent: str = "",
) -> str:
    """The results as Markdown, with the tables of `held_out` and `costs`."""
    head = ["population", "method", "epsilon", "F1", "NCR", "found", "RMS error", "seconds"]
    body = [
        [
            name,
            method,
            f"{epsilon:g}",
            *(f"{average(scores, which):.2f}" for which in ("f1", "ncr")),
            f"{average(scores, 'found'):.1f}",
            *(
                "-" if number != number else f"{number:,.0f}"
                for number in [average(scores, "squared") ** 0.5]
            ),
            f"{average(scores, 'seconds'):.2f}",
        ]
        for name, method, epsilon, scores in rows
    ]
    sizes = "; ".join(f"{p.name}: n = {p.n:,}, {len(p.values):,} distinct" for p in populations)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"""\
# Heavy hitters

Made by `python -m benchmarks.heavy_hitters`. {sizes}.
Means of {runs} runs with the seeds 0 to {runs - 1}, the same for all rows: too few to \
tell close rows apart.
The 48-bit values have SHA-256 `{CLUSTERED_SHA256}`.

{table(head, body)}
F1 and NCR are against the true top {TOP}; NCR has the weights {TOP}, ..., 1 of the true \
ranks. The RMS error is in users, over those of the true top that were found.
Prefix extending keeps {KEEP} prefixes at a level and publishes what stands out with a \
chance of 1e-3 of a false alarm, so short lists; the ceiling always names \
{TOP}. Where nothing stands out the list is empty, and F1 is 0.
Prefix cohorts keep {PrefixCohorts.kept} prefixes and publish {TOP} values whether they stand \
out or not.
Seconds are processor time of the server, without drawing the reports. The peak memory of \
the whole run was {peak:.2f} GiB.

![F1 against epsilon](heavy_hitters.svg)

## Populations that nothing was tuned on

The 48-bit values with other exponents, epsilon = 4, {len(SEEDS)} runs each with the seeds \
{SEEDS[0]} to {SEEDS[-1]}. Here all methods publish lists of {TOP}, prefix extending too \
(`false_alarm=None`), which keeps {KEEP} prefixes. The prefixes and steps of the cohorts were \
chosen at exponent 1. Differences are paired by seed.

{fresh}
The aim of the cohorts was 0.87 of the ceiling's F1 and 0.95 of its NCR: where their row has \
less, it is missed. The ceiling is told which values to look at; the others have to tell a \
frequent value from 2^48.

## What the server of prefix cohorts costs

At epsilon = 4, {COHORT_STEP}-bit steps.

{spent}"""


def draw(rows: Sequence[Row], path: Path) -> None:
    """F1 against epsilon, a panel for each population and a line for each method."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for name, *_ in rows))
    every = list(dict.fromkeys(method for _, method, *_ in rows if method != CEILING))
    figure = Figure(figsize=(4.5 * len(names), 4), layout="constrained")
    panels: Any = figure.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for panel, name in zip(panels, names, strict=True):
        for method in dict.fromkeys(m for population, m, *_ in rows if population == name):
            points = [(e, average(s, "f1")) for p, m, e, s in rows if (p, m) == (name, method)]
            style = "k--" if method == CEILING else f"oC{every.index(method)}-"
            panel.plot(*zip(*points, strict=True), style, label=method)
        panel.set(title=name, xlabel="epsilon", xscale="log", ylim=(0, 1))
        panel.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS], minor=False)
        panel.minorticks_off()
    panels[0].set_ylabel(f"F1 of the top {TOP}")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize="small")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write HEAVY_HITTERS.md and the plot."""
    values = clustered()
    if digest(values) != CLUSTERED_SHA256:
        raise SystemExit("the 48-bit values are not those that were committed")
    words = english(1_000_000, seed=0)
    populations = [values] if words is None else [values, words]
    rows = measure(
        populations,
        EPSILONS,
        lambda p: STEPS if p.bits else STEPS[2:],
        RUNS,
        lambda p: (COHORT_STEP,) if p.bits else (COHORT_STEP, 16),
    )
    draw(rows, HERE / "heavy_hitters.svg")
    many = Population("fifteen times as many", BITS, values.values, 15 * values.counts + 1)
    spent = costs([values, widened(values), many])
    fresh = held_out(HELD_OUT, SEEDS, (1, 8, 16))
    text = page(rows, populations, RUNS, fresh, spent)
    if words is None:
        text += "\nThe words were left out, as `wordfreq` is not installed.\n"
    (HERE / "HEAVY_HITTERS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
