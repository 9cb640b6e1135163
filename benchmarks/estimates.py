"""What is done with an estimate, beside the counting before it: `python -m benchmarks.estimates`.

Times are of the processor, in one thread, so that other programs hardly change them.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.markdown import table
from benchmarks.report import commit
from benchmarks.spread import machine
from ldp_verified import protocols as p
from ldp_verified.deploy import Deployment
from ldp_verified.deploy.collect.methods import NAMES
from ldp_verified.errors import ParameterError
from ldp_verified.run import mechanisms as m

USERS, TIMES = 100_000, 10
"""Users whose reports are drawn, and how often these are counted."""

SINGLE = 2_000
"""Messages that are counted one by one, for the time of as many as there are users."""

MANY, FEW = 1458, 5
"""Values of a user."""

DAYS = 10
"""Of clients that keep their answers, on each of which all users report."""

ROUNDS, LONG = 3, 0.3
"""Calls of each kind, of which the fastest is shown; and seconds of one that need no other."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ONE_THREAD = {**os.environ, **dict.fromkeys(THREADS, "1")}
"""Where linear algebra has more threads, they wait for each other at full speed."""

Calls = Mapping[str, Callable[[Any], object]]

HERE = Path(__file__).resolve().parent


class Counting(NamedTuple):
    """Seconds to count all reports: at once, and one message at a time, if that was measured."""

    at_once: float
    one_by_one: float | None


@dataclass(frozen=True)
class Timed:
    """The processor time of one deployment, in seconds.

    Attributes:
        name: of what was deployed. counting: of all reports.
        following: call -> of it, the estimate included; what does not fit the reports is left out.
    """

    name: str
    counting: Counting
    following: Mapping[str, float]

    @property
    def above(self) -> list[str]:
        """The calls that cost more than to count all reports at once."""
        return [call for call, cost in self.following.items() if cost > self.counting.at_once]


def spent(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The least processor time of some calls, in seconds."""
    least = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        call()
        least = min(least, time.process_time() - begin)
        if least > LONG:
            break
    return least


def _saved(found: Any) -> None:
    found.plot().savefig(io.BytesIO(), format="png")


PICTURES: Calls = {"plot": lambda found: found.plot(), "plot().savefig, PNG": _saved}

SHOWN: Calls = {
    "simultaneous": lambda found: found.simultaneous(),
    "top": lambda found: found.top(),
    "to_pandas": lambda found: found.to_pandas(),
    "to_polars": lambda found: found.to_polars(),
    "to_arrow": lambda found: found.to_arrow(),
    "_repr_html_": lambda found: found._repr_html_(),
    **PICTURES,
}
"""What every estimate can do."""


def _of_counts(before: Any) -> Calls:
    """What an estimate of counts can do besides, after another one."""
    labels = list(before.names)
    half, even = labels[: len(labels) // 2], np.full(len(labels), 1 / len(labels))

    def consistent(name: str) -> Callable[[Any], object]:
        return lambda found: found.consistent(name)

    return {
        "counts, std_error": lambda found: (found.counts, found.std_error),
        "interval": lambda found: found.interval(),
        "[label]": lambda found: found[labels[0]],
        "sum_of half of the values": lambda found: found.sum_of(half),
        "contrast": lambda found: found.contrast(labels[0], labels[1]),
        "ratio": lambda found: found.ratio(labels[0], labels[1]),
        "changed_since": lambda found: found.changed_since(before),
        "difference": lambda found: found.difference(before).top(),
        "equal_to": lambda found: found.equal_to(even),
        "honesty": lambda found: found.honesty,
        **SHOWN,
        **{f"consistent, {name}": consistent(name) for name in NAMES if name != "raw"},
    }


def followed(estimate: Callable[[], Any], calls: Calls) -> dict[str, float]:
    """Call -> processor time of it and of the estimate, without those that are refused."""
    found = {}
    for name, call in calls.items():
        try:
            call(estimate())  # what is imported or drawn up once is no part of it
        except ParameterError:
            continue
        found[name] = spent(lambda: call(estimate()))  # noqa: B023  (called at once)
    return found


def counted(made: Any, values: Any) -> tuple[Counting, Any]:
    """The time to count single reports, as they arrive: checked, read and added; and the state."""
    deployment = Deployment(made)
    collector, other = (deployment.collector(simulated=True) for _ in range(2))
    rows = deployment.to_rows(made.privatize(values, rng=1))
    seconds = sum(spent(lambda: collector.add_rows(rows), 1) for _ in range(TIMES))
    messages = [row.tobytes() for row in rows[:SINGLE]]
    single = spent(lambda: [other.add(each) for each in messages], 1)
    return Counting(seconds, single * TIMES * len(rows) / len(messages)), collector.state


def skewed(k: int, users: int = USERS) -> Any:
    """Values of users, the first ones far more frequent than others."""
    return np.minimum(np.random.default_rng(1).zipf(1.5, users) - 1, k - 1)


def frequencies(users: int = USERS) -> Iterator[Timed]:
    """Counts of values, one mechanism each."""
    for made in (
        m.GRR(1.0, FEW),
        m.GRR(4.0, MANY),
        m.OUE(1.0, MANY),
        m.OLH(1.0, MANY),
        m.SubsetSelection(1.0, MANY),
        m.HadamardResponse(1.0, MANY),
        m.PGR(1.0, MANY),
        m.HashCohorts(1.0, MANY),
        m.HCMS(1.0, MANY, buckets=1024, rows=1024),
    ):
        seconds, state = counted(made, skewed(made.k, users))
        calls = _of_counts(state.estimate())
        name = f"`{type(made).__name__}`, {made.k:,}"
        yield Timed(name, seconds, followed(state.estimate, calls))


def others(users: int = USERS) -> Iterator[Timed]:
    """Means, distributions, ranges, several attributes, and days of clients that remember."""
    values = np.random.default_rng(2).uniform(-1.0, 1.0, users)
    seconds, state = counted(m.Piecewise(1.0), values)
    yield Timed("`Piecewise`", seconds, followed(state.estimate, SHOWN))
    wave = m.SquareWave(1.0)
    deployment, buckets = Deployment(wave), wave.counted(simulated=True)
    rows = deployment.to_rows(wave.privatize((values + 1) / 2, rng=3))
    updating = sum(
        spent(lambda: buckets.update(deployment.of_rows(rows)[0]), 1) for _ in range(TIMES)
    )
    calls: Calls = {
        "distribution": wave.distribution,
        "bounded, mean": lambda found: wave.bounded(found).mean,
        "bounded, quantile": lambda found: wave.bounded(found).quantile(0.5),
    }
    yield Timed("`SquareWave`", Counting(updating, None), followed(lambda: buckets, calls))
    tree = p.RangeTree(1.0, MANY)
    seconds, state = counted(tree, skewed(MANY, users))
    calls = {
        "between": lambda found: found.between(3, 700),
        "quantile": lambda found: found.quantile(0.5),
        **SHOWN,
    }
    follows = followed(lambda: tree.estimate(state), calls)
    yield Timed(f"`RangeTree`, {MANY:,}", seconds, follows)
    both = np.stack([skewed(FEW, users), skewed(100, users)], axis=1)
    seconds, sampled = counted(p.SampleOne(2.0, (FEW, 100)), both)
    calls = _of_counts(sampled.estimate(1))
    yield Timed("`SampleOne`, 5 and 100", seconds, followed(lambda: sampled.estimate(1), calls))
    for made in (p.LGRR(4.0, 1.0, 100), p.LOLOHA(4.0, 1.0, 100)):
        yield _days(made, users)


def _days(made: Any, users: int) -> Timed:
    """Averages and changes over days of clients that keep their answers."""
    people = p.MemoPopulation(made, users, rng=3)
    states = [made.empty(simulated=True) for _ in range(DAYS)]
    held, seconds = skewed(made.k, users), 0.0
    for state in states:
        reports = people.report(held)
        seconds += spent(lambda: state.update(reports), 1)  # noqa: B023  (called at once)
    calls: Calls = {
        "average": lambda found: found.average().interval(),
        "trend": lambda found: found.trend().interval(),
        "changes": lambda found: found.changes(),
        **PICTURES,
    }
    follows = followed(lambda: p.over_days(made, states), calls)
    return Timed(f"`{type(made).__name__}`, {DAYS} days", Counting(seconds, None), follows)


def _grid(results: Iterable[Timed]) -> str:
    """A row for each call, a column for each deployment, in milliseconds."""
    columns = list(results)
    calls = dict.fromkeys(call for each in columns for call in each.following)

    def cell(each: Timed, call: str) -> str:
        cost = each.following.get(call)
        if cost is None:
            return ""
        shown = f"{1000 * cost:,.1f}"
        return f"**{shown}**" if call in each.above else shown

    single = [each.counting.one_by_one for each in columns]
    rows = [
        ["counting, at once", *(f"{1000 * each.counting.at_once:,.0f}" for each in columns)],
        ["counting, one by one", *("" if s is None else f"{1000 * s:,.0f}" for s in single)],
        *([call, *(cell(each, call) for each in columns)] for call in calls),
    ]
    return table(["milliseconds", *(each.name for each in columns)], rows)


def page(counts: list[Timed], rest: list[Timed], measured: str) -> str:
    """The results as Markdown, of the commit that was measured."""
    every = [*counts, *rest]
    calls = sum(len(each.following) for each in every)
    said = [f"{each.name}: {'; '.join(each.above)}" for each in every if each.above]
    number = sum(len(each.above) for each in every)
    dear = f"**{number} of {calls} cost more than counting at once**, and are bold:"
    found = (
        f"{dear}\n\n" + "\n".join(f"- {line}" for line in said) if said else "**None costs more.**"
    )
    pictures = set(PICTURES)
    if said and all(set(each.above) <= pictures for each in every):
        found += "\n\nThese are pictures, whose cost is that of matplotlib, whatever n is."
    return f"""\
# What is done with an estimate, and what it costs

Made by `python -m benchmarks.estimates` at commit {measured}. {machine()}.

Each column is a deployment of {TIMES * USERS:,} reports: those of {USERS:,} users, counted \
{TIMES} times, or {DAYS} days of {USERS:,} clients that keep their answers. *Counting, at once*: a \
collector gets them as rows of bytes, {USERS:,} at a time, checks, reads and adds them; of days, \
reports are in memory already. *Counting, one by one*: the same of single \
messages, from {SINGLE:,} of them. Below is each thing that is done with the estimate of that \
state, with the estimate itself, the fastest of {ROUNDS} where it is short. Times are of the \
processor, of one thread, in milliseconds; imports are left out. What does \
not fit the reports is empty.

{found}

## Counts of values

The numbers of values stand beside the names.

{_grid(counts)}
## Other estimates

{_grid(rest)}"""


def main() -> None:
    """Measure all of it, in a process of one thread, and write ESTIMATES.md."""
    if any(os.environ.get(name) != "1" for name in THREADS):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.estimates"], ONE_THREAD)
    measured = commit()
    text = page(list(frequencies()), list(others()), measured)
    (HERE / "ESTIMATES.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
