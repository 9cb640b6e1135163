"""The page and the plot of the comparison of heavy hitters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.heavy_populations import CLUSTERED_SHA256, SCRIPTS, TOP
from benchmarks.markdown import table

CEILING, ROUNDS, COHORTS = "ceiling: OUE, domain known", "prefix rounds", "prefix cohorts"
KEEP = 64
EPSILONS = (1.0, 2.0, 4.0, 8.0)
HELD_OUT, SEEDS = (0.9, 1.15, 1.3), range(1000, 1034)
"""Exponents and seeds that no choice was made on: 102 paired runs."""


@dataclass(frozen=True)
class Score:
    """How well a list names the most frequent values.

    Attributes:
        f1: of the list against the true top. ncr: the same with weights top, ..., 2, 1 for the
            true ranks, over their sum. squared: mean squared error of the counts of those found.
        found: of the true top. recall: of the values whose share is at least what prefix rounds
            promise to find; nan where there are none. seconds: of the server.
    """

    f1: float
    ncr: float
    squared: float
    found: int
    recall: float
    seconds: float


Row = tuple[str, str, float, list[Score]]
"""(population, method, epsilon, runs)."""


def summary(rows: Sequence[Row]) -> str:
    """A row for each population, epsilon and method."""
    best = {(name, e): scores for name, method, e, scores in rows if method == CEILING}
    head = ["population", "epsilon", "method", "F1", "of the ceiling's", "NCR", "of the ceiling's",
            "RMS error", "recall of what is promised"]  # fmt: skip
    body = [
        [
            name,
            f"{epsilon:g}",
            method,
            *(
                part
                for which in ("f1", "ncr")
                for part in shares(average(scores, which), average(best[name, epsilon], which))
            ),
            number(average(scores, "squared") ** 0.5, ",.0f"),
            number(average(scores, "recall"), ".3f"),
        ]
        for name, method, epsilon, scores in rows
    ]
    return table(head, body)


def shares(own: float, base: float) -> tuple[str, str]:
    """A number, and how much of another one it is."""
    return f"{own:.3f}", f"{own / base:.2f}" if base else "-"


def number(value: float, form: str) -> str:
    """A number, or a dash where there is none."""
    return "-" if value != value else format(value, form)


def paired(rows: Sequence[Row]) -> str:
    """How much more prefix rounds have than each other method, over all rows' runs by pairs."""
    methods = list(dict.fromkeys(method for _, method, _, _ in rows))
    every = {
        m: [s for _, method, _, scores in rows if method == m for s in scores] for m in methods
    }
    own, best, body = every[ROUNDS], every[CEILING], []
    for method in methods:
        line = [method]
        for which in ("f1", "ncr"):
            mean, base = average(every[method], which), average(best, which)
            gaps = [getattr(a, which) - getattr(b, which)
                    for a, b in zip(own, every[method], strict=True)]  # fmt: skip
            error = float(np.std(gaps, ddof=1)) / len(gaps) ** 0.5
            more = "-" if method == ROUNDS else f"{np.mean(gaps):+.3f} ({error:.3f})"
            line += [*shares(mean, base), more]
        body.append(line)
    head = ["method", "F1", "of the ceiling's", "rounds have more by (standard error)",
            "NCR", "of the ceiling's", "rounds have more by (standard error)"]  # fmt: skip
    return table(head, body)


def average(scores: Sequence[Score], name: str) -> float:
    """The mean of one number over the runs in which it is one."""
    numbers = [getattr(each, name) for each in scores]
    known = [number for number in numbers if number == number]
    return sum(known) / len(known) if known else float("nan")


def page(rows: Sequence[Row], fresh: Sequence[Row], real: str, spent: str) -> str:
    """The results as Markdown."""
    runs = len(rows[0][3])
    pairs = sum(len(scores) for _, method, _, scores in fresh if method == CEILING)
    return f"""\
# Heavy hitters

Made by `python -m benchmarks.heavy_hitters`. The true top {TOP} are sought, with a list of at \
most {TOP}.
F1 and NCR are against them; NCR has the weights {TOP}, ..., 1 of the true ranks. The RMS \
error is in users, over those of the true top that were found.
The ceiling is told which values there are; the others have to tell a frequent value from \
2^48, or 2^128.

## Populations that nothing was tuned on

48-bit values, n = 657,427, 121,000 distinct, at epsilon = 4; counts are in proportion to \
rank^-exponent.
The exponents {", ".join(f"{each:g}" for each in HELD_OUT)} and the seeds {SEEDS[0]} to \
{SEEDS[-1]} were fixed before any run with them: {pairs} paired runs.
Groups, steps and lists were chosen at the exponents 1 and 1.1 with other seeds. Runs are by \
law (below).

{paired(fresh)}
The target is 0.87 of the ceiling's F1 and 0.95 of its NCR. By exponent:

{summary(fresh)}
## All populations

{runs} runs each by law, with the same seeds for all methods. {sizes()}

{summary(rows)}
*By law* means that supports are drawn instead of reports: the holders in each group exactly, \
and normal noise with the variance that the protocol states (`benchmarks/prefix_law.py`).
That users share functions, and that noise may make up valid strings, is left out. Where no \
value has a share as large as prefix rounds promise to find, there is a dash.
PEM keeps {KEEP} prefixes and lists {TOP} values; prefix cohorts have `false_alarm=None` and \
`ranked="all"`; both answer in one round. Prefix rounds ask one group after another.
At the detection limit, as many values as fit have the share that prefix rounds promise to \
find, at most {TOP}; all other users hold values of their own.

![F1 against epsilon](heavy_hitters.svg)

{themselves(real)}
## What prefix rounds cost

At epsilon = 4; the reports of all users are drawn too.

{spent}"""


def themselves(real: str) -> str:
    """The section on the protocols themselves, with its table."""
    return f"""\
## The protocols themselves

Report by report: the 48-bit values with exponent 1, SHA-256 `{CLUSTERED_SHA256}`, at epsilon \
= 4. Seconds are processor time with the drawing of all reports. `--protocols` makes this section \
alone.
The promised share is `detectable_share(n)`. The last six publish only what stands out.

{real}"""


def renewed(text: str, real: str) -> str:
    """A page whose section on the protocols themselves is made anew.

    Raises:
        ValueError: it has no such section.
    """
    begin, end = (text.index(f"## {name}") for name in ("The protocols themselves", "What prefix"))
    return f"{text[:begin]}{themselves(real)}\n{text[end:]}"


def sizes() -> str:
    """What the tables' populations are."""
    return (
        "Words are drawn by frequency (wordfreq) by 1,000,000 users; the five scripts are those of "
        f"{', '.join(SCRIPTS)}. Tail numbers are those of 334,264 flights."
    )


def draw(rows: Sequence[Row], path: Path) -> None:
    """F1 against epsilon, a panel for each population and a line for each method."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for name, *_ in rows))
    every = list(dict.fromkeys(method for _, method, *_ in rows if method != CEILING))
    figure = Figure(figsize=(3.2 * len(names), 4), layout="constrained")
    panels: Any = figure.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for panel, name in zip(panels, names, strict=True):
        for method in dict.fromkeys(m for population, m, *_ in rows if population == name):
            points = [(e, average(s, "f1")) for q, m, e, s in rows if (q, m) == (name, method)]
            style = "k--" if method == CEILING else f"oC{every.index(method)}-"
            panel.plot(*zip(*points, strict=True), style, label=method)
        panel.set(title=name, xlabel="epsilon", xscale="log", ylim=(0, 1))
        panel.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS], minor=False)
        panel.minorticks_off()
    panels[0].set_ylabel("F1 of the true top")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize="small")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
