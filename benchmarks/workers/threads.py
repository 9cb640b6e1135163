"""One thread against two: `python -m benchmarks.workers.threads`.

The client is `privatize` against `privatize_in_threads`, the server `aggregate` without and with
`threads=2`. A batch has as many users as 24 MiB of reports hold, and is drawn or counted over and
over until a timing takes a while: its memory is then that of the batch before, as where chunks are
counted as they come.

What two processors give changes from one moment to the next where the machine is a virtual one, and
waking the second one may take longer than many a batch. So a timing is long, there are several, and
beside each the same call shares out plain arithmetic, which needs nothing but processors. It has as
many independent steps as a processor takes at a time: two that are halves of one core gain less in
that than in steps that wait for each other. Prints the medians of the ratios: of each stage, and of
the arithmetic beside it. Also what the same call gives for other work that is not ours.
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.workers.ours import mechanisms
from benchmarks.workload import values
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.randomness import SecureWords
from ldp_verified.run.kernels.threads import share_out

if TYPE_CHECKING:
    from ldp_verified.run.realize.randomizer import Randomizer

RUNS = 3
SECONDS = 0.15
"""A timing of one thread takes so long, at least."""
REPORT_BYTES = 3 << 23
"""Of a batch. Twice as much would be new memory from the system each time."""
MOST_USERS = 1 << 23
PIECES = 16
STEPS = 1 << 19
WORDS = 1 << 18
MOVED_BYTES = 1 << 24

Share = Callable[[int, int], object]
"""Work for so many threads, so many times over."""


def arithmetic(steps: int) -> int:
    """Eight chains of shifts (Marsaglia, 2003, "Xorshift RNGs"), side by side; for numba."""
    a = b = c = d = e = f = g = h = np.uint64(1)
    left, right, again = np.uint64(13), np.uint64(7), np.uint64(17)
    for _ in range(steps):
        a ^= a << left
        b ^= b >> left
        c ^= c << right
        d ^= d >> right
        e ^= e << again
        f ^= f >> again
        g += g << left
        h += h << right
        a ^= a >> right
        b ^= b << again
        c ^= c >> left
        d ^= d << left
        e ^= e >> left
        f ^= f << right
        g ^= g >> again
        h ^= h >> left
    return int(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h)


def pieces_of(run: Callable[[int], object]) -> Share:
    """`run` for the numbers of the pieces, shared out."""

    def share(threads: int, times: int) -> None:
        numbers = itertools.chain.from_iterable(itertools.repeat(range(PIECES), times))
        share_out(lambda: nullcontext(run), numbers, threads)

    return share


def ratio(share: Share) -> float:
    """The time of one thread over the time of two."""
    begin = time.perf_counter()
    share(1, 1)
    times = math.ceil(SECONDS / (time.perf_counter() - begin))
    spent = []
    for threads in (1, 2):
        begin = time.perf_counter()
        share(threads, times)
        spent.append(time.perf_counter() - begin)
    return spent[0] / spent[1]


def gain(work: Share) -> dict[str, float]:
    """The median of several ratios, and of arithmetic's, taken in turn."""
    step = compiled(arithmetic)
    control = pieces_of(lambda _: step(STEPS))
    work(2, 1)
    control(2, 1)
    pairs = [(ratio(work), ratio(control)) for _ in range(RUNS)]
    return {
        "gain": statistics.median(found for found, _ in pairs),
        "arithmetic": statistics.median(beside for _, beside in pairs),
    }


def gains(mechanism: Randomizer) -> dict[str, dict[str, float]]:
    """Client and server."""
    users = min(MOST_USERS, REPORT_BYTES // mechanism.privatize(0).data.nbytes)
    held = values(users, mechanism.k)
    reports = mechanism.privatize_in_threads(held, 2)

    def client(threads: int, times: int) -> None:
        for _ in range(times):
            if threads == 1:
                mechanism.privatize(held)
            else:
                mechanism.privatize_in_threads(held, threads)

    def server(threads: int, times: int) -> None:
        mechanism.aggregate([reports] * times, threads)

    return {"client": gain(client), "server": gain(server)}


def elsewhere() -> dict[str, dict[str, dict[str, float]]]:
    """What two threads gain in work that is not ours."""
    source = SecureWords()
    words = np.ones((PIECES, WORDS), dtype=np.uint64)
    memory = np.ones((2, PIECES, MOVED_BYTES // 8), dtype=np.uint64)
    pieces: dict[str, Callable[[int], object]] = {
        "keystream": lambda piece: source.fill(words[piece]),
        "read": lambda piece: memory[0, piece].max(),
        "copy": lambda piece: np.copyto(memory[0, piece], memory[1, piece]),
    }
    return {name: {"work": gain(pieces_of(run))} for name, run in pieces.items()}


def main() -> None:
    """Measure everything and print one JSON object."""
    found = {name: gains(mechanism) for name, mechanism in mechanisms().items()}
    print(json.dumps(elsewhere() | found))


if __name__ == "__main__":
    main()
