"""Other people's auditors that a package registry has, run on the same question as AUDITORS.md.

    python -m benchmarks.auditors_run

They are installed at pinned versions in environments of their own on first use. Writes
AUDITORS_RUN.md.
"""

from __future__ import annotations

import json
import subprocess
from math import e, log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.audited_protocols import EPSILON, SHARE, grr, protocols
from benchmarks.auditors import LEVEL, SEED, needed
from benchmarks.environments import ROOT, Package

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNS = 20
SIZES = tuple(round(1000 * 2 ** (i / 2)) for i in range(17))
"""Numbers of reports, to 256,000."""

LONG = (256_000,)
OPAKE = Package(
    "opake-auditing",
    "benchmarks.workers.opake",
    ("opake-auditing==0.16.1", "torch==2.13.0+cpu"),
)
# It uses `numpy.bool`, which numpy 1.24 has no more, and pkg_resources by way of numba.
STATDP = Package(
    "pystatdp",
    "benchmarks.workers.statdp",
    ("pystatdp==0.1.3.1", "numpy==1.23.5", "numba==0.57.1", "setuptools<81"),
)
PAGE = Path(__file__).resolve().parent / "AUDITORS_RUN.md"
BINARY = "binary randomized response"


def asked(package: Package, question: dict[str, Any]) -> dict[str, Any]:
    """The answer of a worker."""
    done = subprocess.run(
        [str(package.python()), "-m", package.worker],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def since(certified: Sequence[bool]) -> float:
    """The first size from which on all are certified; infinite where the last one is not."""
    found = float("inf")
    for size, held in zip(SIZES, certified, strict=True):
        found = (size if found == float("inf") else found) if held else float("inf")
    return found


def shown(sizes: Sequence[float]) -> str:
    """The median over runs, with the smallest and the largest."""
    words = [f"{x:,.0f}" if x < float("inf") else "more" for x in (*sorted(sizes),)]
    return f"{words[len(words) // 2]} ({words[0]} to {words[-1]})"


def ours(values: int) -> str:
    """Reports that ours needs, from the exact law of the counts, as in AUDITORS.md."""
    found = []
    for run in range(RUNS):
        rng = np.random.default_rng([SEED, values, run])
        n = needed("ours", grr(values), rng, SIZES)
        found.append(float("inf") if n is None else float(n))
    return shown(found)


def page() -> str:
    """The page, from fresh runs of the packages."""
    binary = grr(2)
    pairs = {p.name: [p.plus, p.minus / p.stake] for p in protocols()}
    base = {"runs": RUNS, "level": LEVEL, "seed": SEED}
    one = {BINARY: [binary.plus, binary.minus]}
    short = asked(OPAKE, {**base, "chances": one, "sizes": SIZES})
    long = asked(OPAKE, {**base, "chances": pairs, "sizes": LONG})
    target = SHARE * EPSILON
    of_opake = [since([b >= target for b in run]) for run in short["bounds"][BINARY]]
    values = {BINARY: 2, "GRR, k = 25": 25}
    question = {"epsilon": EPSILON, "claim": target, "runs": RUNS}
    by_statdp = asked(STATDP, {**question, "values": values, "sizes": SIZES})
    of_statdp = {
        name: shown([since([p <= LEVEL for p in run]) for run in runs])
        for name, runs in by_statdp["p_values"].items()
    }
    rows = "\n".join(
        f"| {name} | {ours(k)} | {shown(of_opake) if k == 2 else 'see below'} | {of_statdp[name]} |"
        for name, k in values.items()
    )
    limits = {name: _limit(chances) for name, chances in pairs.items()}
    below = "\n".join(
        f"| {name} | {median(run[0] for run in runs):.3f} | {limits[name]:.3f} |"
        for name, runs in long["bounds"].items()
    )
    return TEXT.format(
        rows=rows,
        below=below,
        runs=RUNS,
        level=LEVEL,
        opake=short["version"],
        statdp=by_statdp["version"],
        most=SIZES[-1],
        target=target,
        e=round(log(e), 1),
    )


def _limit(chances: Sequence[float]) -> float:
    """What the bound tends to where every report is guessed."""
    right, wrong = chances
    coin = (1 - right - wrong) / 2
    return log((right + coin) / (wrong + coin))


TEXT = """# Other people's auditors, run

Written by `python -m benchmarks.auditors_run`: true eps = {e:g}, level {level:g}, {runs} runs;
reports until {target:g} is certified and stays so, at sizes that grow by 41 % to {most:,}: the
median, then the least and the most. "more": not with {most:,}.

| mechanism | ours | opake-auditing {opake} | pystatdp {statdp} |
| --- | ---: | ---: | ---: |
{rows}

- **opake-auditing** is made for training runs: a canary is a user here, its coin the input, its
  score 1 or -1 where the report speaks for one of the two inputs, and next to 0 on either side
  where for neither. `one_run(...).eps_delta().epsilon_at(threshold=0)` is its exact (eps, delta)
  method. With two values it is the bound that ours is too, on counts of the same law: the columns
  differ by chance.
- **pystatdp** is StatDP (Z. Ding, Y. Wang, G. Wang, D. Zhang and D. Kifer, 2018, Detecting
  Violations of Differential Privacy): half of the reports choose the event. Its p-value is an
  average over drawn thinnings. Outputs of 25 bits, and pairs with a seed, are events of 25
  dimensions, 2^25 and more of them, for it: it could not be run on SS, SUE, OUE, BLH, OLH, SHE and
  THE.
- **ours**: counts from the exact law, as in AUDITORS.md.

## Where opake-auditing ends

It guesses every report. With {most:,} reports of two of 25 values its bound is (median of {runs}
runs), beside what it tends to with more of them:

| protocol | bound | limit |
| --- | ---: | ---: |
{below}

All limits are below {target:g}: it never certifies it. Ours does with the numbers of AUDITORS.md.

## What could not be run

- LDP-Audit, DP-Sniper, DP-Auditorium and the auditor of f-DP are in no package registry that was
  looked at: they are published as repositories only. AUDITORS.md has their methods, with everything
  in their favour.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
