"""The measurements: each a fresh process, repeated in rounds, gathered as plain records."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.environments import OURS, PEERS, ROOT, Package
from benchmarks.spread import Summary, summary
from benchmarks.workload import JOBS, TRANSFORM
from ldp_verified.deploy.collect.choose import makers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

# (package, mechanism, stage); the stages are client, single and server.
Key = tuple[str, str, str]
SKETCHES = ("CMS", "HCMS")
MECHANISMS = (
    *("Warner", "BinaryRR", *(made.__name__ for made in makers().values())),
    *("THE", *SKETCHES, "SHE", "RAPPOR"),
)
"""The two of two values, every frequency oracle that `collect` chooses from, and others."""
OVER_DAYS = ("LGRR", "LSUE", "LOSUE")
"""Users who keep an answer and report it with noise every day: their first report."""
TIMED = (*MECHANISMS, *OVER_DAYS)

AIMS = {
    ("GRR", "client"): 150,
    ("GRR", "server"): 200,
    ("OUE", "client"): 40,
    ("OUE", "server"): 35,
    ("SUE", "client"): 40,
    ("SUE", "server"): 35,
    ("SubsetSelection", "client"): 30,
    ("OLH", "client"): 250,
    ("OLH", "server"): 1500,
    ("HadamardResponse", "client"): 2000,
    (TRANSFORM, "transform"): 300,
    ("RAPPOR", "client"): 250,
    ("CMS", "client"): 50,
    ("CMS", "server"): 120,
    ("HCMS", "client"): 800,
    ("SHE", "client"): 4,
    ("SHE", "server"): 3,
}
"""How many times faster than the faster peer each is meant to be."""
POPULATIONS = (
    *(("GRR", 10**8, 1), ("OLH", 10**8, 1), ("OUE", 10**8, 1)),
    *(("OLH", 10**8, 2), ("OUE", 10**8, 2), ("GRR", 10**9, 1)),
)
"""Mechanism, users and threads."""


@dataclass
class Results:
    """Everything measured in one run.

    Attributes:
        timings: nanoseconds per user.
        users: the number of users in one timing.
        versions: package -> what its environment holds, name -> version.
        memory: mechanism -> bytes before, of the reports, and at the peak.
        startup: (cache, step) -> seconds; cache is cold or warm.
        jobs: (package, mechanism) -> seconds of a short job, from starting Python to its end.
        ratios: (mechanism, stage) -> time of the faster peer over ours, round by round.
        limits: what of the machine -> bytes per nanosecond.
        unary: (mechanism, eps) -> the share of the keystream in the client's time.
        needs: mechanism -> words and bytes of a report, and the number of values.
        threads: (mechanism, stage) -> time with one thread over time with two; what is not ours has
            the stage `work`.
        beside: (mechanism, stage) -> the same of plain arithmetic, in the same moments.
        population: (mechanism, users, threads) -> seconds and peak bytes.
        growth: family -> axis -> stage -> [size, seconds] in turn.
        numeric: (mechanism, stage) -> nanoseconds per user, words or bytes.
        exchange: simulations, columns, files or states -> name -> what -> how long, or how much.
    """

    timings: dict[Key, Summary] = field(default_factory=dict)
    users: dict[Key, int] = field(default_factory=dict)
    versions: dict[str, Mapping[str, str]] = field(default_factory=dict)
    memory: dict[str, Mapping[str, int]] = field(default_factory=dict)
    startup: dict[tuple[str, str], Summary] = field(default_factory=dict)
    jobs: dict[tuple[str, str], Summary] = field(default_factory=dict)
    ratios: dict[tuple[str, str], Summary] = field(default_factory=dict)
    limits: dict[str, Summary] = field(default_factory=dict)
    unary: dict[tuple[str, str], Summary] = field(default_factory=dict)
    needs: dict[str, Mapping[str, float]] = field(default_factory=dict)
    threads: dict[tuple[str, str], Summary] = field(default_factory=dict)
    beside: dict[tuple[str, str], Summary] = field(default_factory=dict)
    population: dict[tuple[str, int, int], Mapping[str, float]] = field(default_factory=dict)
    growth: dict[str, Mapping[str, Mapping[str, list[list[float]]]]] = field(default_factory=dict)
    numeric: dict[tuple[str, str], Summary] = field(default_factory=dict)
    exchange: dict[str, dict[str, dict[str, Summary]]] = field(default_factory=dict)


def call(
    python: Path, module: str, *arguments: str, extra: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run a worker in a process of its own and read the JSON object on its last line.

    Raises:
        RuntimeError: the worker failed; the message carries its standard error.
    """
    done = subprocess.run(
        [python, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(extra or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{done.stderr}")
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def throughput(results: Results, rounds: int, step: Callable[[str], None]) -> None:
    """Client and server times of every package: each once in each round, in turn."""
    packages: tuple[Package, ...] = (OURS, *PEERS)
    seen: dict[Key, list[float]] = defaultdict(list)
    pythons = {}
    for package in packages:
        step(f"environment of {package.name}")
        pythons[package.name] = package.python()
    for number in range(rounds):
        for package in packages:
            step(f"{package.name}, round {number + 1} of {rounds}")
            record = call(pythons[package.name], package.worker)
            results.versions[package.name] = record["versions"]
            for timing in record["timings"]:
                key = (package.name, timing["mechanism"], timing["stage"])
                seen[key].append(timing["ns_per_user"])
                results.users[key] = timing["users"]
    results.timings = {key: summary(each) for key, each in seen.items()}
    for mechanism in (*TIMED, TRANSFORM):
        for stage in ("client", "server", "transform"):
            peers = [seen[peer.name, mechanism, stage] for peer in PEERS]
            faster = [min(each) for each in zip(*filter(None, peers), strict=True)]
            if faster:
                ours = seen[OURS.name, mechanism, stage]
                ratios = [theirs / own for theirs, own in zip(faster, ours, strict=True)]
                results.ratios[mechanism, stage] = summary(ratios)


def exchange(results: Results, rounds: int, step: Callable[[str], None]) -> None:
    """Simulated populations, columns, files and states, each round."""
    seen: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for number in range(rounds):
        step(f"files and states, round {number + 1} of {rounds}")
        for kind, rows in call(OURS.python(), "benchmarks.workers.exchange").items():
            for name, row in rows.items():
                for what, found in row.items():
                    seen[kind, name, what].append(found)
    for (kind, name, what), each in seen.items():
        results.exchange.setdefault(kind, {}).setdefault(name, {})[what] = summary(each)


def scaling(results: Results, rounds: int, step: Callable[[str], None]) -> None:
    """What the machine allows and two threads gain, each round; growth and populations, once."""
    limits: dict[str, list[float]] = defaultdict(list)
    threads: dict[tuple[str, str], list[float]] = defaultdict(list)
    beside: dict[tuple[str, str], list[float]] = defaultdict(list)
    numeric: dict[tuple[str, str], list[float]] = defaultdict(list)
    unary: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number in range(rounds):
        step(f"limits of the machine, round {number + 1} of {rounds}")
        record = call(OURS.python(), "benchmarks.workers.limits")
        results.needs = record["needs"]
        for name, rate in record["limits"].items():
            limits[name].append(rate)
        for name, found in record["unary"].items():
            for epsilon, share in found.items():
                unary[name, epsilon].append(100 * share)
        step(f"threads, round {number + 1} of {rounds}")
        record = call(OURS.python(), "benchmarks.workers.threads")
        for name, stages in record.items():
            for stage, found in stages.items():
                threads[name, stage].append(found["gain"])
                beside[name, stage].append(found["arithmetic"])
        step(f"numbers and vectors, round {number + 1} of {rounds}")
        for mechanism, stages in call(OURS.python(), "benchmarks.workers.numeric").items():
            for stage, spent in stages.items():
                numeric[mechanism, stage].append(spent)
    results.unary = {key: summary(each) for key, each in unary.items()}
    results.limits = {name: summary(each) for name, each in limits.items()}
    results.threads = {key: summary(each) for key, each in threads.items()}
    results.beside = {key: summary(each) for key, each in beside.items()}
    results.numeric = {key: summary(each) for key, each in numeric.items()}
    step("growth with users and values")
    results.growth = call(OURS.python(), "benchmarks.workers.growth")
    for mechanism, users, many in POPULATIONS:
        step(f"{users:,} users of {mechanism}, threads: {many}")
        asked = (mechanism, str(users), str(many))
        record = call(OURS.python(), "benchmarks.workers.population", *asked)
        results.population[mechanism, users, many] = record


def memory(results: Results, step: Callable[[str], None]) -> None:
    """Peak memory of each of our mechanisms; once, since it hardly varies."""
    for mechanism in MECHANISMS[: MECHANISMS.index("SHE")]:
        step(f"memory of {mechanism}")
        record = call(OURS.python(), "benchmarks.workers.memory", mechanism)
        results.memory[mechanism] = record


def startup(results: Results, rounds: int, step: Callable[[str], None]) -> None:
    """Import and first calls, with an empty folder for compiled code and then with a filled one."""
    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number in range(rounds):
        step(f"first use, round {number + 1} of {rounds}")
        with tempfile.TemporaryDirectory() as folder:
            for cache in ("cold", "warm"):
                extra = {"NUMBA_CACHE_DIR": folder}
                record = call(OURS.python(), "benchmarks.workers.startup", extra=extra)
                for name, seconds in record.items():
                    seen[cache, name].append(seconds)
    results.startup = {key: summary(each) for key, each in seen.items()}


def short_jobs(results: Results, rounds: int, step: Callable[[str], None]) -> None:
    """Few users in a fresh process, by the clock: what imports and compiling cost is part of it."""
    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    pythons = {package.name: package.python() for package in (OURS, *PEERS)}
    for number in range(rounds + 1):
        step(f"short jobs, round {number} of {rounds}" if number else "short jobs, compiling")
        for name, python in pythons.items():
            for mechanism in JOBS:
                begin = time.perf_counter()
                call(python, "benchmarks.workers.short_job", name, mechanism)
                if number:
                    seen[name, mechanism].append(time.perf_counter() - begin)
    results.jobs = {key: summary(each) for key, each in seen.items()}
