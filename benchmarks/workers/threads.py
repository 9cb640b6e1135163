"""One thread against two: `python -m benchmarks.workers.threads`.

The client is `privatize_in_threads`; on the server each thread counts half of the reports in a
state of its own, and the states are merged. Prints the median ratio of the times, taken in turn.
"""

from __future__ import annotations

import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from benchmarks.workers.ours import mechanisms
from benchmarks.workload import values
from ldp_verified.aggregate.reports import Reports

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.aggregate.state import State
    from ldp_verified.realize.randomizer import Randomizer

RUNS = 7
USERS = {"GRR": 1 << 22, "OUE": 1 << 17, "SubsetSelection": 1 << 17, "OLH": 1 << 20}


def seconds(run: Callable[[], object]) -> float:
    """The time of one call."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def counted(mechanism: Randomizer, reports: Reports, threads: int) -> State:
    """The state of all reports, counted in as many parts as there are threads."""
    size = -(-len(reports) // threads)
    parts = [
        Reports(reports.data[i * size : (i + 1) * size], reports.identity) for i in range(threads)
    ]
    with ThreadPoolExecutor(threads) as pool:
        first, *others = pool.map(mechanism.aggregate, parts)
    for other in others:
        first = first.merge(other)
    return first


def gains(mechanism: Randomizer, users: int) -> dict[str, float]:
    """The time with one thread over the time with two, client and server."""
    held = values(users, mechanism.k)
    reports = mechanism.privatize_in_threads(held, 2)

    def client(threads: int) -> float:
        return seconds(lambda: mechanism.privatize_in_threads(held, threads))

    def server(threads: int) -> float:
        return seconds(lambda: counted(mechanism, reports, threads))

    pairs = [(client(1) / client(2), server(1) / server(2)) for _ in range(RUNS)]
    medians = (statistics.median(each) for each in zip(*pairs, strict=True))
    return dict(zip(("client", "server"), medians, strict=True))


def main() -> None:
    """Measure each mechanism and print one JSON object."""
    made = mechanisms()
    print(json.dumps({name: gains(made[name], users) for name, users in USERS.items()}))


if __name__ == "__main__":
    main()
