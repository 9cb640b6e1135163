"""Heavy hitters side by side, beside the ceiling: `python -m benchmarks.heavy_hitters`.

The ceiling is told the domain: unary encoding (OUE) of every value that anybody holds, the same n
and epsilon, and the largest estimates. All others are told the number of bits only.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.heavy_page import (
    CEILING,
    COHORTS,
    EPSILONS,
    HELD_OUT,
    KEEP,
    ROUNDS,
    SEEDS,
    Row,
    Score,
    average,
    draw,
    page,
    renewed,
)
from benchmarks.heavy_populations import (
    CLUSTERED_SHA256,
    SCRIPTS,
    TOP,
    Population,
    at_the_limit,
    clustered,
    digest,
    tail_numbers,
    widened,
    words,
)
from benchmarks.markdown import table
from benchmarks.prefix_law import NOBODY, Holders, Scheme
from ldp_verified import protocols as p
from ldp_verified.errors import LdpError
from ldp_verified.run.mechanisms import OUE

RUNS = 100
"""Runs of each population and epsilon, with the seeds 0, 1, ..."""
PEM = {f"PEM, {step}-bit steps": step for step in (1, 8, 16)}
HERE = Path(__file__).resolve().parent


def score(
    population: Population,
    listed: Iterable[tuple[str | int, float]],
    seconds: float = 0.0,
    share: float = 1.0,
) -> Score:
    """Compare a list of (value, estimated count) with the truth; `share` is what is promised."""
    top = population.top
    ranks = {value: rank for rank, value in enumerate(population.values[:top])}
    rows = list(listed)
    right = [(ranks[value], count) for value, count in rows if value in ranks]
    ncr = sum(top - rank for rank, _ in right) / (top * (top + 1) / 2)
    gaps = [(count - float(population.counts[rank])) ** 2 for rank, count in right]
    squared = float(np.mean(gaps)) if gaps else float("nan")
    promised = population.values[: int(np.sum(population.counts >= share * population.n))]
    named = {value for value, _ in rows}
    recall = sum(v in named for v in promised) / len(promised) if promised else float("nan")
    return Score(2 * len(right) / (top + len(rows)), ncr, squared, len(right), recall, seconds)


def ceiling(population: Population, epsilon: float, seed: int, share: float = 1.0) -> Score:
    """The largest estimates of an oracle that knows every value that is held."""
    oracle = OUE(epsilon, len(population.values))
    state = oracle.simulate_counts(population.counts, seed)
    counts = state.estimate().counts
    best = np.argsort(-counts, kind="stable")[: population.top].tolist()
    rows = [(population.values[i], float(counts[i])) for i in best]
    return score(population, rows, share=share)


def schemes(population: Population, epsilon: float) -> dict[str, Scheme]:
    """What is compared by the law of its supports."""
    top, bits = population.top, population.bits
    found = {
        ROUNDS: Scheme.in_rounds(p.PrefixRounds(epsilon, bits, top)),
        COHORTS: Scheme.cohorts(p.PrefixCohorts(epsilon, bits), top),
    }
    for name, step in PEM.items():
        if bits is not None or step > 1:
            found[name] = Scheme.extending(p.PrefixExtending(epsilon, bits, step), top, KEEP)
    return found


def compare(population: Population, epsilons: Sequence[float], seeds: Sequence[int]) -> list[Row]:
    """All methods by law, with the same seeds."""
    holders = Holders(
        p.PrefixRounds(1.0, population.bits).encode(population.values), population.counts
    )
    found: list[Row] = []
    for epsilon in epsilons:
        promised = p.PrefixRounds(epsilon, population.bits, population.top).detectable_share(
            population.n
        )
        own = [ceiling(population, epsilon, seed, promised) for seed in seeds]
        found.append((population.name, CEILING, epsilon, own))
        for method, scheme in schemes(population, epsilon).items():
            scores = []
            for seed in seeds:
                drawn = scheme.named(holders, population.bits is None, np.random.default_rng(seed))
                rows = [
                    (population.values[rank] if rank != NOBODY else f"nobody holds {place}", count)
                    for place, (rank, count) in enumerate(drawn)
                ]
                scores.append(score(population, rows, share=promised))
            found.append((population.name, method, epsilon, scores))
        for row in found[-len(schemes(population, epsilon)) - 1 :]:
            print(*row[:3], average(row[3], "f1"), file=sys.stderr, flush=True)
    return found


# --- the protocols themselves --------------------------------------------------------------------


def rounds(population: Population, epsilon: float, seed: int) -> Score:
    """What `PrefixRounds` finds, report by report."""
    protocol = p.PrefixRounds(epsilon, population.bits, population.top)
    begin = time.process_time()
    found = protocol.mine(population.values, population.counts, seed)
    spent = time.process_time() - begin
    return score(population, [(value, count) for value, count, _ in found], spent)


def one_round(population: Population, protocol: Any, state: Any, seed: int, **search: Any) -> Score:
    """What a protocol of one round finds, report by report."""
    begin = time.process_time()
    try:
        reports = protocol.simulate(population.values, population.counts, seed)
        seen = state(protocol, simulated=True).update(reports)
        listed = [(v, c) for v, c, _ in seen.heavy_hitters(population.top, **search)]
    except LdpError:  # too few users for anything at this epsilon, or nothing stands out
        listed = []
    return score(population, listed, time.process_time() - begin)


def others(epsilon: float, bits: int) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Protocols of one round, their states and how they search."""
    free: dict[str, Any] = {"false_alarm": None}
    return {
        COHORTS: (p.PrefixCohorts(epsilon, bits), p.PrefixCohortState, free | {"ranked": "all"}),
        "PEM, 16-bit steps": (p.PrefixExtending(epsilon, bits), p.PrefixState, free),
        "TreeHist": (p.TreeHist(epsilon, bits), p.TreeHistState, {}),
        "Bitstogram": (p.Bitstogram(epsilon, bits), p.BitstogramState, {}),
        "PrivateExpanderSketch": (
            p.PrivateExpanderSketch(epsilon, bits),
            p.PrivateExpanderSketchState,
            {},
        ),
        "bit groups": (p.BitGroups(epsilon, bits), p.BitState, {}),
        "succinct histogram": (p.SuccinctHistogram(epsilon, bits), p.CodedState, {}),
        "sequence fragments": (p.SequenceFragments(epsilon, bits), p.FragmentState, {}),
    }


def itself(population: Population, epsilon: float, runs: int) -> str:
    """The protocols themselves, report by report; those that are far off in one run."""
    assert population.bits is not None
    own = [rounds(population, epsilon, seed) for seed in range(runs)]
    plan = p.PrefixRounds(epsilon, population.bits, population.top)
    body = [line(ROUNDS, plan, own, population.n)]
    for method, (protocol, state, search) in others(epsilon, population.bits).items():
        times = runs if method == COHORTS else 1
        scores = [one_round(population, protocol, state, seed, **search) for seed in range(times)]
        body.append(line(method, protocol, scores, population.n))
        print(*body[-1], file=sys.stderr, flush=True)
    head = ["protocol", "rounds", "runs", "promised share", "F1", "NCR", "found", "seconds"]
    return table(head, body)


def line(method: str, protocol: Any, scores: Sequence[Score], n: int) -> list[str]:
    """A row of `itself`."""
    return [
        method,
        str(getattr(protocol, "rounds", 1)),
        str(len(scores)),
        f"{protocol.detectable_share(n):.4f}",
        *(f"{average(scores, which):.3f}" for which in ("f1", "ncr")),
        f"{average(scores, 'found'):.1f}",
        f"{average(scores, 'seconds'):.1f}",
    ]


def costs(populations: Sequence[Population]) -> str:
    """Seconds and memory of prefix rounds, with the drawing of all reports, as a table."""
    body = []
    for each in populations:
        found = rounds(each, 4.0, 0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        body.append(
            [each.name, f"{each.bits}", f"{each.n:,}", f"{found.seconds:.1f}", f"{peak:.2f}"]
        )
        print(*body[-1], file=sys.stderr, flush=True)
    head = ["population", "bits", "n", "seconds", "peak GiB of the process so far"]
    return table(head, body)


def optional(*made: Callable[[], Population]) -> list[Population]:
    """The populations whose data is installed."""
    found = []
    for make in made:
        try:
            found.append(make())
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Run all of it and write HEAVY_HITTERS.md and the plot; `--protocols` renews one section."""
    parser = argparse.ArgumentParser(prog="benchmarks.heavy_hitters", description=__doc__)
    said = "run the protocols themselves alone, and put them into the page that is there"
    parser.add_argument("--protocols", action="store_true", help=said)
    alone = parser.parse_args().protocols
    values = clustered()
    if digest(values) != CLUSTERED_SHA256:
        raise SystemExit("the 48-bit values are not those that were committed")
    place = HERE / "HEAVY_HITTERS.md"
    if alone:
        made = renewed(place.read_text(encoding="utf-8"), itself(values, 4.0, 5))
        place.write_text(made, encoding="utf-8")
        return
    fresh = []
    for exponent in HELD_OUT:
        found = clustered(exponent)
        named = Population(f"exponent {exponent:g}", found.bits, found.values, found.counts)
        fresh += compare(named, (4.0,), SEEDS)
    rows = compare(values, EPSILONS, range(RUNS))
    for each in optional(
        lambda: words("English words", ("en",), 1_000_000, 0),
        lambda: words("five scripts", SCRIPTS, 1_000_000, 0),
        tail_numbers,
    ):
        rows += compare(each, EPSILONS, range(RUNS))
    for epsilon in EPSILONS:
        promised = p.PrefixRounds(epsilon, values.bits, TOP).detectable_share(values.n)
        if promised < 0.8:
            rows += compare(at_the_limit(promised), (epsilon,), range(RUNS))
    draw(rows, HERE / "heavy_hitters.svg")
    real = itself(values, 4.0, 5)
    many = Population("fifteen times as many", values.bits, values.values, 15 * values.counts + 1)
    spent = costs([values, widened(values), many])
    place.write_text(page(rows, fresh, real, spent), encoding="utf-8")


if __name__ == "__main__":
    main()
