"""Simulated populations, columns, files and states: `python -m benchmarks.workers.exchange`.

Each number is the median of several calls on a clock on the wall (files are not the processor's
work), after one that is not timed. Files lie in the system's temporary folder.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from benchmarks.workers.ours import REPORT_BYTES, mechanisms, population
from benchmarks.workload import DOMAIN, values
from ldp_verified.run.aggregate.arrow import read_reports, write_reports
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

Rows = dict[str, dict[str, float]]
RUNS = 5
USERS = 1 << 20
POPULATIONS = (10**6, 10**9, 10**12)
DRAWN = 10**6
SIMULATED = ("GRR", "SUE", "OUE", "THE", "CMS")
FILED = ("GRR", "OUE", "OLH", "SubsetSelection")
KEPT = ("GRR", "HashCohorts", "CMS")


def seconds(run: Callable[[], object]) -> float:
    """Seconds of a call."""
    run()
    spent = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        spent.append(time.perf_counter() - begin)
    return statistics.median(spent)


def simulations() -> Rows:
    """Seconds of `simulate_counts`, and of drawing every report of the least population."""
    made: dict[str, Any] = {name: mechanisms()[name] for name in SIMULATED}
    made["RAPPOR"] = population()
    found: Rows = {}
    for name, each in made.items():
        row = found[name] = {}
        for users in POPULATIONS:
            counts = np.full(DOMAIN, users // DOMAIN, dtype=np.int64)
            row[f"n = {users:,}"] = seconds(partial(each.simulate_counts, counts))
        draw = each.first_reports if name == "RAPPOR" else each.privatize
        row["by drawing a million"] = seconds(partial(draw, values(DRAWN, DOMAIN), 1))
    return found


def columns() -> Rows:
    """Nanoseconds for each user of k-RR, from columns of several libraries."""
    held = values(USERS, DOMAIN)
    client = mechanisms()["GRR"].privatize
    given = {
        "numpy, int64": held,
        "numpy, uint16": held.astype(np.uint16),
        "Arrow, int64": pa.array(held),
        "Arrow, uint16": pa.array(held.astype(np.uint16)),
        "Polars, int64": pl.Series(held),
        "pandas, int64": pd.Series(held),
        "list of int": held.tolist(),
    }
    return {
        name: {"ns": 1e9 * seconds(partial(client, column)) / USERS}
        for name, column in given.items()
    }


def read_all(path: Path) -> int:
    """How many reports a file has, each batch read and let go."""
    return sum(map(len, read_reports(path)))


def files(folder: Path) -> Rows:
    """Nanoseconds for each report, to Arrow and Parquet and back, and bytes of a report."""
    found: Rows = {}
    for name in FILED:
        mechanism = mechanisms()[name]
        users = min(USERS, REPORT_BYTES // mechanism.privatize(0).data.nbytes)
        reports = mechanism.privatize(values(users, mechanism.k))
        path = folder / f"{name}.parquet"
        steps: dict[str, Callable[[], object]] = {
            "to Arrow": reports.to_arrow,
            "from Arrow": partial(Reports.from_arrow, reports.to_arrow()),
            "write": partial(write_reports, path, reports),
            "read": partial(read_all, path),
        }
        found[name] = {step: 1e9 * seconds(run) / users for step, run in steps.items()}
        found[name]["bytes"] = reports.data.nbytes / users
        found[name]["on disk"] = path.stat().st_size / users
    return found


def states(folder: Path) -> Rows:
    """Microseconds for states of few and of many counters, and their bytes."""
    found: Rows = {}
    for name in KEPT:
        mechanism = mechanisms()[name]
        state = mechanism.aggregate(mechanism.privatize(values(100_000, mechanism.k)))
        path, written = folder / f"{name}.state", state.to_bytes()
        steps: dict[str, Callable[[], object]] = {
            "to bytes": state.to_bytes,
            "from bytes": partial(State.from_bytes, written, mechanism.oracle),
            "save": partial(state.save, path),
            "load": partial(mechanism.load, path),
            "merge": partial(state.merge, state),
        }
        found[name] = {step: 1e6 * seconds(run) for step, run in steps.items()}
        found[name]["counters"] = len(state.counts)
        found[name]["bytes"] = len(written)
    return found


def main() -> None:
    """Measure each once and print one JSON object."""
    with tempfile.TemporaryDirectory() as name:
        found = {"simulations": simulations(), "columns": columns()}
        print("simulations and columns", file=sys.stderr, flush=True)
        found |= {"files": files(Path(name)), "states": states(Path(name))}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
