"""The results as a Markdown page."""

from __future__ import annotations

import ast
import subprocess
from typing import TYPE_CHECKING

from benchmarks.environments import OURS, PEERS, ROOT
from benchmarks.exchange import exchanges
from benchmarks.growth import slopes
from benchmarks.limits import numbers, populations, ratios, shares, threads
from benchmarks.markdown import table
from benchmarks.run import MECHANISMS, TIMED
from benchmarks.spread import rounded
from benchmarks.workload import (
    BLOOM_BITS,
    BUCKETS,
    COHORTS,
    DOMAIN,
    EPSILON,
    HASHES,
    JOB_USERS,
    JOBS,
    PERMANENT,
    ROWS,
    TRANSFORM,
)

if TYPE_CHECKING:
    from datetime import date

    from benchmarks.run import Key, Results

MEBIBYTE = 2**20
ALL = (OURS, *PEERS)

_CONDITIONS = f"""\
eps = {EPSILON:g}; a domain of {DOMAIN:,} values, or 2 for Warner and BinaryRR; sketches have {ROWS}
rows of {BUCKETS:,} buckets, RAPPOR {COHORTS} cohorts, {HASHES} hash functions and {BLOOM_BITS} bits
for one report. LGRR, LSUE and LOSUE are reports over days: eps = {PERMANENT:g} for all of them, and
{EPSILON:g} for the first one, which is timed. Each number is the median of {{rounds}} rounds, with
the least and the largest. In a round every package is measured in turn, in a fresh process of its
own environment, after a call that is not timed. Slow packages are given fewer users (n) and the
time is divided by them. Time is what the process used of the processor, which other programs
disturb less than what a clock on the wall shows; threads, populations, first use and short jobs are
timed by that clock. The peers draw from ordinary generators (Mersenne Twister), this package from
its secure source.
"""
_MEMORY = """\
`before` is the process with its values, after a call for 10,000 users, which loads numba;
`temporary` is the peak less `before` and the reports, and not less than 0.
"""
_RATIOS = """\
The aim is the ratio that the design asks for; `below` marks a median that does not reach it.
"""
GROWTH = """\
![Cost against the number of users, and against sizes](growth.svg)

Processor time, both axes logarithmic; the dotted lines are linear growth. The exponents below are
fitted to the three largest sizes: 1 is linear, 0 no growth. Where the server makes its estimates
from a table of fixed size, that is most of what it does until there are many reports.
"""


def commit() -> str:
    """The commit that was measured, marked where the checkout differs from it."""
    asked = ["git", "describe", "--always", "--abbrev=12", "--dirty=, changed", "--exclude=*"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def how(module: str) -> str:
    """What a worker says of itself: which call is timed and why."""
    path = ROOT / (module.replace(".", "/") + ".py")
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def _timings(results: Results, stage: str) -> str:
    packages = [each.name for each in ALL]
    rows = []
    for mechanism in (*TIMED, "FastLH"):
        row = [mechanism]
        for package in packages:
            key: Key = (package, mechanism, stage)
            spent = results.timings.get(key)
            row.append(f"{spent}, n = {results.users[key]:,}" if spent else "-")
        rows.append(row)
    return table(["mechanism", *packages], rows)


def _transforms(results: Results) -> str:
    timed = ((each.name, results.timings.get((each.name, TRANSFORM, "transform"))) for each in ALL)
    rows = [[package, str(spent) if spent else "-"] for package, spent in timed]
    return table(["package", "ns"], rows)


def _singles(results: Results) -> str:
    singles = ((name, results.timings.get((OURS.name, name, "single"))) for name in MECHANISMS)
    rows = [[mechanism, str(spent)] for mechanism, spent in singles if spent is not None]
    return table(["mechanism", "ns"], rows)


def _memory(results: Results) -> str:
    rows = []
    for mechanism, held in results.memory.items():
        extra = held["peak"] - held["before"] - held["reports"]
        sizes = (held["before"], held["reports"], held["peak"], max(extra, 0))
        rows.append([mechanism, *(rounded(size / MEBIBYTE) for size in sizes)])
    return table(["mechanism", "before", "reports", "peak", "temporary"], rows)


def _startup(results: Results) -> str:
    names = {
        "import": "`import ldp_verified`",
        "single": "first `privatize` of one value",
        "bulk": "first bulk `privatize` and `aggregate`",
    }
    rows = [
        [text, str(results.startup["cold", name]), str(results.startup["warm", name])]
        for name, text in names.items()
    ]
    return table(["step", "nothing compiled yet, s", "compiled code on disk, s"], rows)


def _short_jobs(results: Results) -> str:
    rows = [
        [each.name, *(str(results.jobs.get((each.name, name), "-")) for name in JOBS)]
        for each in ALL
    ]
    return table(["package", *JOBS], rows)


def page(results: Results, today: date, measured: str, machine: str, minutes: float) -> str:
    """The whole page: what was measured, of which commit, on which machine, in which time."""
    rounds = max(spent.runs for spent in results.timings.values())
    versions = "\n".join(
        f"- {package}: " + ", ".join(f"{name} {version}" for name, version in held.items())
        for package, held in results.versions.items()
    )
    calls = "\n\n".join(f"**{each.name}.** {how(each.worker)}" for each in (OURS, *PEERS))
    parts = [
        "# Benchmarks\n",
        f"Written by `make bench` on {today.isoformat()} at commit {measured}.",
        f"It took {minutes:.0f} minutes.\n",
        f"Machine: {machine}.\n",
        _CONDITIONS.format(rounds=rounds),
        "## Client: nanoseconds for each user\n",
        _timings(results, "client"),
        "## Server: nanoseconds for each report, all estimates included\n",
        _timings(results, "server"),
        "## Numbers and vectors\n",
        numbers(results),
        f"## Walsh-Hadamard {TRANSFORM} numbers: nanoseconds for each of them\n",
        _transforms(results),
        "## Ratio to the faster peer, in the same round\n",
        _RATIOS,
        ratios(results),
        "## What bounds each kernel\n",
        shares(results),
        "## Two threads\n",
        threads(results),
        "## Many users, in chunks\n",
        populations(results),
        exchanges(results),
        "## Growth\n",
        GROWTH,
        slopes(results.growth),
        "## Client that holds one value: nanoseconds for each call\n",
        "This package only; the peers' clients above are called in this way already.\n",
        _singles(results),
        "## Memory: MiB of resident memory, n = 1,000,000\n",
        _MEMORY,
        _memory(results),
        "## First use\n",
        _startup(results),
        f"## Short jobs: seconds for {JOB_USERS:,} users, from starting Python to the estimates\n",
        _short_jobs(results),
        "## What was called\n",
        calls + "\n",
        versions + "\n",
    ]
    return "\n".join(parts)
