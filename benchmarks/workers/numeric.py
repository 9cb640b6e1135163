"""Our mechanisms for numbers and vectors: `python -m benchmarks.workers.numeric`.

`privatize` for all users with the secure source, then `mean_estimate`, which reads all reports; the
square wave's server is `distribution`, its histogram by expectation maximisation. `single` is
`privatize` of one number. Numbers are uniform in the bounds.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ldp_verified
from benchmarks.workers.words import Counting
from benchmarks.workload import EPSILON
from ldp_verified.protocols import DuchiVector, Gaussian

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

USERS = 1 << 20
DELTA = 1e-6
SIZES = (4, 62)
"""Coordinates of Duchi's vectors."""
REPEATS = 3
SINGLES = 500
LIKELY = 8
"""An estimate further off than so many of its standard errors is no timing but an error."""


@dataclass(frozen=True)
class Numeric:
    """One mechanism.

    Attributes:
        made: the object.
        columns: numbers of a user; 0 for one number on its own.
        users: how many are timed at once.
        server: what reads the reports; None for `mean_estimate`.
    """

    made: Any
    columns: int = 0
    users: int = USERS
    server: Callable[[Any], Any] | None = None

    def held(self) -> NDArray[np.float64]:
        """The users' numbers, uniform in the bounds; the same in every round."""
        shape = (self.users, self.columns) if self.columns else (self.users,)
        low, high = map(float, self.made.bounds)
        return np.asarray(np.random.default_rng(20170816).uniform(low, high, shape))

    def estimate(self, reports: Any) -> Any:
        """What the server makes of the reports."""
        return (self.server or self.made.mean_estimate)(reports)


def mechanisms() -> dict[str, Numeric]:
    """The mechanisms at eps = 1, and delta = 10^-6 where there is one."""
    wave = ldp_verified.SquareWave(EPSILON)
    found = {
        "Laplace": Numeric(ldp_verified.Laplace(EPSILON)),
        "Geometric": Numeric(ldp_verified.Geometric(EPSILON)),
        "TruncatedGeometric": Numeric(ldp_verified.TruncatedGeometric(EPSILON)),
        "Staircase": Numeric(ldp_verified.Staircase(EPSILON)),
        "Gaussian": Numeric(Gaussian(EPSILON, DELTA)),
        "Duchi": Numeric(ldp_verified.Duchi(EPSILON)),
        "Piecewise": Numeric(ldp_verified.Piecewise(EPSILON)),
        "Hybrid": Numeric(ldp_verified.Hybrid(EPSILON)),
        "SquareWave": Numeric(wave, server=wave.distribution),
    }
    vectors = {
        f"DuchiVector, d = {d}": Numeric(DuchiVector(EPSILON, d), d, USERS // d) for d in SIZES
    }
    return {**found, **vectors}


def check(name: str, numeric: Numeric, held: NDArray[np.float64], found: Any) -> None:
    """Refuse estimates that do not fit the numbers.

    Raises:
        RuntimeError: they do not.
    """
    if numeric.columns:
        off = np.abs(found.means - held.mean(axis=0)) / found.std_errors
        fits = float(off.max()) <= LIKELY
    elif numeric.server is None:
        fits = abs(found.mean - held.mean()) <= LIKELY * found.std_error
    else:  # a uniform density, smoothed
        fits = bool(np.abs(found.shares * len(found.shares) - 1).max() < 1)
    if not fits:
        raise RuntimeError(f"{name}: the estimates do not fit the data: {found}")


def measure(name: str, numeric: Numeric) -> dict[str, float]:
    """Nanoseconds of client, server and single, words and bytes of a report."""
    held = numeric.held()
    reports = numeric.made.privatize(held)
    check(name, numeric, held, numeric.estimate(reports))
    client, server = [], []
    for _ in range(REPEATS):
        begin = time.process_time_ns()
        reports = numeric.made.privatize(held)
        middle = time.process_time_ns()
        numeric.estimate(reports)
        client.append((middle - begin) / numeric.users)
        server.append((time.process_time_ns() - middle) / numeric.users)
    size = reports.data.nbytes / numeric.users
    del reports
    some = [held[i : i + 1] if numeric.columns else float(held[i]) for i in range(SINGLES)]
    begin = time.process_time_ns()
    for value in some:
        numeric.made.privatize(value)
    single = (time.process_time_ns() - begin) / SINGLES
    source = Counting()
    few = held[: 1 << 17]
    numeric.made.privatize(few, source)
    return {
        "client": statistics.median(client),
        "server": statistics.median(server),
        "single": single,
        "words": source.total / len(few),
        "bytes": size,
        "users": numeric.users,
    }


def numpys_own() -> dict[str, float]:
    """Nanoseconds of NumPy's Laplace noise added to numbers in -1..1, and of their mean."""
    held = Numeric(ldp_verified.Laplace(EPSILON)).held()
    generator = np.random.default_rng()
    client, server = [], []
    for _ in range(REPEATS):
        begin = time.process_time_ns()
        reports = held + generator.laplace(0, 2 / EPSILON, len(held))
        middle = time.process_time_ns()
        reports.mean()
        client.append((middle - begin) / len(held))
        server.append((time.process_time_ns() - middle) / len(held))
    return {"client": statistics.median(client), "server": statistics.median(server)}


def main() -> None:
    """Measure each once and print one JSON object: mechanism -> what was measured."""
    found = {"NumPy's Laplace": numpys_own()}
    for name, numeric in mechanisms().items():
        found[name] = measure(name, numeric)
        print(name, file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
