"""How the cost grows with users and with sizes: `python -m benchmarks.workers.growth`.

For each family of kernels the seconds of client and server, the least of several runs after one
that is not timed: for more and more users at one size, and for more and more values (or buckets,
bits, coordinates, numbers) at a fixed number of users.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ldp_verified
from benchmarks.workload import COHORTS, DOMAIN, EPSILON, HASHES, NOISE, ROWS, values
from ldp_verified.protocols import DuchiVector, Rappor, RapporPopulation
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3
LEAST_USERS = 1 << 12
SIZES = tuple(4**e for e in (2, 3, 4, 5, 6, 7))
COORDINATES = (2, 4, 8, 16, 32, 62)
TRANSFORMS = tuple(4**e for e in (6, 7, 8, 9, 10, 11))
FEW_STRINGS = 64


@dataclass(frozen=True)
class Stages:
    """What is timed at one size.

    Attributes:
        held: what the users hold, given their number.
        client: from that to reports.
        server: from reports to what is counted; None where there is none.
    """

    held: Callable[[int], Any]
    client: Callable[[Any], Any]
    server: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Family:
    """One family of kernels.

    Attributes:
        made: what is timed at one size.
        sizes: the sizes. size: the one at which there are more and more users.
        most: users, at most. fixed: users at which the sizes vary. Both 0: there are no users.
    """

    made: Callable[[int], Stages]
    sizes: tuple[int, ...] = SIZES
    size: int = DOMAIN
    most: int = 1 << 20
    fixed: int = 1 << 14


def oracle(make: Callable[[float, int], Any]) -> Callable[[int], Stages]:
    """A frequency oracle of k values."""

    def made(k: int) -> Stages:
        mechanism = make(EPSILON, k)
        return Stages(
            lambda users: values(users, mechanism.k),
            mechanism.privatize,
            lambda reports: mechanism.aggregate(reports).estimate(),
        )

    return made


def rappor(bits: int) -> Stages:
    """RAPPOR with so many bits; its server counts."""
    strings = tuple(str(value) for value in range(FEW_STRINGS))
    population = RapporPopulation(Rappor(NOISE, 0, 1, bits, HASHES, COHORTS), strings)
    return Stages(
        lambda users: values(users, FEW_STRINGS), population.first_reports, population.count
    )


def vectors(d: int) -> Stages:
    """Vectors of d numbers."""
    made = DuchiVector(EPSILON, d)

    def held(users: int) -> Any:
        return np.random.default_rng(1).uniform(-1, 1, (users, d))

    return Stages(held, made.privatize, made.mean_estimate)


def transform(size: int) -> Stages:
    """The transform of so many numbers, which the servers of Hadamard forms need once."""
    numbers = values(size, 1000)
    return Stages(lambda _: numbers, walsh_hadamard)


FAMILIES = {
    "k-RR": Family(oracle(ldp_verified.GRR), most=1 << 24),
    "unary encoding (OUE)": Family(oracle(ldp_verified.OUE), most=1 << 18),
    "subset selection": Family(oracle(ldp_verified.SubsetSelection), most=1 << 16, fixed=1 << 12),
    "local hashing (OLH)": Family(oracle(ldp_verified.OLH)),
    "hash cohorts": Family(oracle(ldp_verified.HashCohorts), most=1 << 24),
    "Hadamard response": Family(oracle(ldp_verified.HadamardResponse), most=1 << 24),
    "CMS": Family(oracle(lambda e, g: ldp_verified.CMS(e, DOMAIN, g, ROWS)), most=1 << 18),
    "HCMS": Family(oracle(lambda e, g: ldp_verified.HCMS(e, DOMAIN, g, ROWS)), most=1 << 22),
    "RAPPOR": Family(rappor, size=128, most=1 << 18),
    "Duchi's vectors": Family(vectors, COORDINATES, 16, most=1 << 18),
    "transform": Family(transform, TRANSFORMS, most=0, fixed=0),
}


def times(stages: Stages, users: int) -> dict[str, float]:
    """Seconds of client and server once warm: the least of several runs."""
    held = stages.held(users)
    spent: dict[str, list[float]] = {"client": [], "server": []}
    for _ in range(RUNS + 1):
        begin = time.process_time()
        reports = stages.client(held)
        middle = time.process_time()
        spent["client"].append(middle - begin)
        if stages.server is not None:
            stages.server(reports)
            spent["server"].append(time.process_time() - middle)
    return {stage: min(each[1:]) for stage, each in spent.items() if each}


def measure(family: Family) -> dict[str, dict[str, list[list[float]]]]:
    """Axis -> stage -> [size, seconds] in turn."""
    found: dict[str, dict[str, list[list[float]]]] = {"users": {}, "sizes": {}}

    def note(axis: str, size: int, spent: dict[str, float]) -> None:
        for stage, seconds in spent.items():
            found[axis].setdefault(stage, []).append([size, seconds])

    if family.most:
        stages, users = family.made(family.size), LEAST_USERS
        while users <= family.most:
            note("users", users, times(stages, users))
            users *= 4
    for size in family.sizes:
        note("sizes", size, times(family.made(size), family.fixed))
    return found


def main() -> None:
    """Measure all and print one JSON object: family -> axis -> stage -> [size, seconds] in turn."""
    found = {}
    for name, family in FAMILIES.items():
        found[name] = measure(family)
        print(name, file=sys.stderr, flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
