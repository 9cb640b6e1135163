"""One thread against two: `python -m benchmarks.workers.threads`.

The client is `privatize_in_threads`, the server `aggregate(..., threads=)`. A batch has as many
users as 16 MiB of reports hold, and is drawn or counted over and over until a timing takes a while:
its memory is then that of the batch before, as where chunks are counted as they come. Prints the
median ratio of the times, taken in turn; and what the machine itself gives, by the same call that
shares out the work: arithmetic in registers, the keystream, and copying memory.
"""

from __future__ import annotations

import json
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.workers.ours import REPORT_BYTES, mechanisms
from benchmarks.workload import values
from ldp_verified.kernels.compiled import compiled
from ldp_verified.kernels.randomness import SecureWords
from ldp_verified.kernels.threads import Team

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.realize.randomizer import Randomizer

RUNS = 3
SECONDS = 0.15
"""A timing of one thread takes so long, at least: below that, waking a thread is what is timed."""
MOST_USERS = 1 << 22
PIECES = 16
STEPS = 1 << 21
WORDS = 1 << 17
COPIED_BYTES = 1 << 23


def arithmetic(steps: int) -> int:
    """A chain of shifts and exclusive ors (Marsaglia, 2003, "Xorshift RNGs"); for numba."""
    state = np.uint64(88172645463325252)
    for _ in range(steps):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
    return int(state)


def gain(run: Callable[[int, int], object]) -> float:
    """Time with one thread over time with two, the median of several, after one not timed.

    Args:
        run: does the work with so many threads, so many times over.
    """

    def seconds(threads: int, times: int) -> float:
        begin = time.perf_counter()
        run(threads, times)
        return time.perf_counter() - begin

    run(2, 1)
    times = max(1, round(SECONDS / seconds(1, 1)))
    return statistics.median(seconds(1, times) / seconds(2, times) for _ in range(RUNS))


def gains(mechanism: Randomizer) -> dict[str, float]:
    """Client and server."""
    users = min(MOST_USERS, REPORT_BYTES // mechanism.privatize(0).data.nbytes)
    held = values(users, mechanism.k)
    reports = mechanism.privatize_in_threads(held, 2)

    def client(threads: int, times: int) -> None:
        for _ in range(times):
            mechanism.privatize_in_threads(held, threads)

    def server(threads: int, times: int) -> None:
        mechanism.aggregate([reports] * times, threads)

    return {"client": gain(client), "server": gain(server)}


def ceilings() -> dict[str, float]:
    """What two threads gain where nothing is shared but the machine."""
    source, step = SecureWords(), compiled(arithmetic)
    words = np.ones((PIECES, WORDS), dtype=np.uint64)
    memory = np.ones((2, PIECES, COPIED_BYTES // 8), dtype=np.uint64)
    pieces: dict[str, Callable[[int], object]] = {
        "arithmetic": lambda _: step(STEPS),
        "keystream": lambda piece: source.fill(words[piece]),
        "copy": lambda piece: np.copyto(memory[0, piece], memory[1, piece]),
    }

    def shared(run: Callable[[int], object], threads: int, times: int) -> None:
        with Team(threads) as team:
            for _ in range(times):
                team.each(run, range(PIECES))

    return {name: gain(partial(shared, run)) for name, run in pieces.items()}


def main() -> None:
    """Measure everything and print one JSON object."""
    found = {name: gains(mechanism) for name, mechanism in mechanisms().items()}
    print(json.dumps({"ceilings": ceilings(), "gains": found}))


if __name__ == "__main__":
    main()
