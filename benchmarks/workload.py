"""What every package is given to do, and how one timing is taken; needs only numpy.

Half of the users hold value 0 and the others a uniform value, so that the outcome can be looked at:
a round whose largest estimate is not that of value 0 is an error, not a timing.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import sys
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

EPSILON = 1.0
PERMANENT = 2.0
"""Epsilon of all reports of a user who keeps an answer and reports every day, at `EPSILON` once."""
DOMAIN = 1024
BUCKETS = 1024
ROWS = 256
"""Of sketches."""
BLOOM_BITS = 128
HASHES = 2
COHORTS = 8
NOISE = 0.875647
"""RAPPOR's parameters; the noise is that of eps = 1 with two hash functions, reporting once."""
UNARY = ("OUE", "SUE", "THE", "HistogramRR", "CMS", "RAPPOR")
UNARY_EPSILONS = (1.0, 4.0, 8.0)
"""Unary encodings, and the epsilons at which the share of their keystream is measured."""
JOBS = ("GRR", "OUE")
JOB_USERS = 1000
"""Short jobs: so many users report by each of these, and are counted."""
TRANSFORMED = 1 << 20
TRANSFORM = "transform of 2^20"


@dataclass(frozen=True)
class Case:
    """One mechanism of one package.

    Attributes:
        mechanism: its name here, whatever the package calls it.
        users: number of users in one timing.
        k: size of the domain.
        client: all the users' reports from all their values, in the package's own form.
        server: the estimates, float64 (k,), from all the reports; None where they are not timed.
        single: one report from one value where the package has a call for that beside `client`.
        warm_up: number of users in the call that is not timed; enough for all code to be compiled.
        repeats: how often each stage is timed; the median counts.
        singles: how many calls of `single` are timed.
    """

    mechanism: str
    users: int
    k: int
    client: Callable[[Any], Any]
    server: Callable[[Any], NDArray[np.float64]] | None
    single: Callable[[int], Any] | None = None
    warm_up: int = 8
    repeats: int = 1
    singles: int = 2000


def values(users: int, k: int) -> NDArray[np.int64]:
    """Private values, int64 (users,), in 0..k-1; the same for every package and round."""
    rng = np.random.default_rng(20170816)
    uniform = rng.integers(0, k, users)
    return np.where(rng.random(users) < 0.5, 0, uniform)


def measure(case: Case) -> list[dict[str, Any]]:
    """Timings of one case in nanoseconds per user, after a call that is not timed.

    Raises:
        RuntimeError: value 0, which more than half of the users hold, has not the largest estimate.
    """
    held = values(case.users, case.k)
    warm = case.client(held[: case.warm_up])
    if case.server is not None:
        case.server(warm)
    del warm
    spent: dict[str, list[int]] = {"client": [], "server": []}
    for _ in range(case.repeats):
        begin = time.process_time_ns()
        reports = case.client(held)
        spent["client"].append(time.process_time_ns() - begin)
        if case.server is not None:
            begin = time.process_time_ns()
            estimates = np.asarray(case.server(reports))
            spent["server"].append(time.process_time_ns() - begin)
            if estimates.shape != (case.k,) or int(estimates.argmax()) != 0:
                rule = "the estimates do not fit the data"
                raise RuntimeError(f"{case.mechanism}: {rule}: {estimates}")
        del reports
    timings = {
        stage: (statistics.median(each), case.users) for stage, each in spent.items() if each
    }
    if case.single is not None:
        some = held[: case.singles].tolist()
        case.single(some[0])
        begin = time.process_time_ns()
        for value in some:
            case.single(value)
        timings["single"] = (time.process_time_ns() - begin, len(some))
    return [
        {"mechanism": case.mechanism, "stage": stage, "users": users, "ns_per_user": spent / users}
        for stage, (spent, users) in timings.items()
    ]


def main(
    package: str, cases: Sequence[Case], transform: Callable[[NDArray[np.int64]], Any] | None = None
) -> None:
    """Measure each case once: a line of standard error as each is done, then one JSON object.

    Args:
        package: its name on PyPI.
        cases: what is timed.
        transform: the package's Walsh-Hadamard transform, if it has one; timed at 2^20 numbers.
    """
    timings = []
    for case in cases:
        timings += measure(case)
        print(case.mechanism, file=sys.stderr, flush=True)
    if transform is not None:
        numbers = values(TRANSFORMED, 1000)
        transform(numbers[:8192])
        begin = time.process_time_ns()
        transform(numbers)
        spent = time.process_time_ns() - begin
        each = {"stage": "transform", "users": TRANSFORMED, "ns_per_user": spent / TRANSFORMED}
        timings.append({"mechanism": TRANSFORM, **each})
    versions = {name: _version(name) for name in (package, "numpy", "numba") if _installed(name)}
    print(json.dumps({"versions": versions, "timings": timings}))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # run from a checkout
        return "not installed"


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name.replace("-", "_")) is not None
