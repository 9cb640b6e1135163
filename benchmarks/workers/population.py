"""Many users in bounded memory: `python -m benchmarks.workers.population NAME USERS`.

Chunks of a million values go through `privatize_stream` into `aggregate`. Prints the seconds that
took and the peak of resident memory in bytes, numba and everything else included.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.workers.memory import peak
from benchmarks.workers.ours import mechanisms
from benchmarks.workload import values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

CHUNK = 1_000_000


def chunks(users: int, k: int) -> Iterator[NDArray[np.int64]]:
    """The values of `users` users, a million at a time; the same million over and over."""
    held = values(min(users, CHUNK), k)
    for start in range(0, users, CHUNK):
        yield held[: min(CHUNK, users - start)]


def main(name: str, users: int) -> None:
    """Run one population through and print one JSON object."""
    mechanism = mechanisms()[name]
    begin = time.perf_counter()
    state = mechanism.aggregate(mechanism.privatize_stream(chunks(users, mechanism.k)))
    estimates = state.estimate().counts
    seconds = time.perf_counter() - begin
    if state.n != users or int(estimates.argmax()) != 0:
        raise RuntimeError(f"{name}: the estimates do not fit the data: {estimates}")
    print(json.dumps({"seconds": seconds, "peak": peak()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
