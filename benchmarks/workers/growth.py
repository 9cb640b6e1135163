"""How the cost grows with users and with values: `python -m benchmarks.workers.growth`.

Client and server times in seconds, the least of several runs, for more and more users at 1,024
values, and for more and more values at a fixed number of users.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import ldp_verified
from benchmarks.workload import DOMAIN, EPSILON, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.realize.randomizer import Randomizer

RUNS = 3
USERS = tuple(10**e for e in (3, 4, 5, 6))
VALUES = tuple(4**e for e in (2, 3, 4, 5, 6, 7))
FIXED_USERS = 20_000
MADE: dict[str, Callable[[int], Randomizer]] = {
    "GRR": lambda k: ldp_verified.GRR(EPSILON, k),
    "OUE": lambda k: ldp_verified.OUE(EPSILON, k),
    "OLH": lambda k: ldp_verified.OLH(EPSILON, k),
}


def times(mechanism: Randomizer, users: int) -> dict[str, float]:
    """Client and server once warm: the least of several runs."""
    held = values(users, mechanism.k)
    client, server = [], []
    for _ in range(RUNS + 1):
        begin = time.perf_counter()
        reports = mechanism.privatize(held)
        middle = time.perf_counter()
        mechanism.aggregate(reports).estimate()
        client.append(middle - begin)
        server.append(time.perf_counter() - middle)
    return {"client": min(client[1:]), "server": min(server[1:])}


def main() -> None:
    """Measure all and print one JSON object: mechanism -> axis -> [[size, client, server], ...]."""
    found: dict[str, dict[str, list[list[float]]]] = {}
    for name, make in MADE.items():
        by_users, by_values = [], []
        for users in USERS:
            spent = times(make(DOMAIN), users)
            by_users.append([users, spent["client"], spent["server"]])
        for k in VALUES:
            spent = times(make(k), FIXED_USERS)
            by_values.append([k, spent["client"], spent["server"]])
        found[name] = {"users": by_users, "values": by_values}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
