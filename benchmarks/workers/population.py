"""Many users in bounded memory: `python -m benchmarks.workers.population NAME USERS THREADS`.

Chunks of values go through `privatize_stream` into `aggregate`, or with threads through
`privatize_in_threads`. A chunk is a million values, or as many as 16 MiB of reports hold, shared
among the threads: memory of that size is used again, not given back and asked for. Prints the
seconds that took and the peak of resident memory in bytes, numba and everything else included.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.workers.memory import peak
from benchmarks.workers.ours import REPORT_BYTES, mechanisms
from benchmarks.workload import values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

CHUNK = 1_000_000


def chunks(users: int, k: int, size: int = CHUNK) -> Iterator[NDArray[np.int64]]:
    """The values of `users` users, so many at a time; the same ones over and over."""
    held = values(min(users, size), k)
    for start in range(0, users, size):
        yield held[: min(size, users - start)]


def main(name: str, users: int, threads: int) -> None:
    """Run one population through and print one JSON object."""
    mechanism = mechanisms()[name]
    size = min(CHUNK, REPORT_BYTES // threads // mechanism.privatize(0).data.nbytes)
    held = chunks(users, mechanism.k, size)
    begin = time.perf_counter()
    if threads == 1:
        state = mechanism.aggregate(mechanism.privatize_stream(held))
    else:
        drawn = (mechanism.privatize_in_threads(chunk, threads) for chunk in held)
        state = mechanism.aggregate(drawn, threads)
    estimates = state.estimate().counts
    seconds = time.perf_counter() - begin
    if state.n != users or int(estimates.argmax()) != 0:
        raise RuntimeError(f"{name}: the estimates do not fit the data: {estimates}")
    print(json.dumps({"seconds": seconds, "peak": peak()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
