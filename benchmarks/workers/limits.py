"""What the machine allows, and what our kernels need of it: `python -m benchmarks.workers.limits`.

Measured in one process: the keystream (AES-256-CTR as `SecureWords` gives it, 1 MiB at a time),
reading and copying memory that no cache holds (256 MiB), and comparing bytes that a cache does hold
(what the server of local hashing does for each report and value), and writing memory that the
system has to hand out first (64 MiB). Prints rates, the median of several runs; for each mechanism
the words that a report takes and the bytes that it has; and for unary encodings at several epsilons
the share of a client's time that its keystream alone would take.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.workers.ours import mechanisms, population
from benchmarks.workers.words import Counting
from benchmarks.workload import DOMAIN, EPSILON, HASHES, UNARY, UNARY_EPSILONS
from ldp_verified.protocols import SHE
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.randomness import SecureWords

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

RUNS = 15
KEYSTREAM_WORDS = 1 << 17
MEMORY_BYTES = 1 << 28
COMPARED_BYTES = 1 << 16
TOUCHED_BYTES = 1 << 26
COUNTED = 100_000
"""Users whose words are counted."""
UNARY_USERS = 1 << 16
"""Users of a unary encoding at some eps."""


def rate(run: Callable[[], object], amount: int, repeats: int = 1) -> float:
    """Amount per nanosecond: the median over some runs, after one that is not timed."""
    run()
    seen = []
    for _ in range(RUNS):
        begin = time.process_time_ns()
        for _ in range(repeats):
            run()
        seen.append(amount * repeats / (time.process_time_ns() - begin))
    return statistics.median(seen)


def compare_rows(table: NDArray[np.uint8], sought: NDArray[np.uint8]) -> int:
    """How many bytes of each row equal those sought; for numba."""
    total = 0
    for row in range(len(table)):
        hits = np.uint8(0)
        for place in range(len(sought)):
            hits = np.uint8(hits + (table[row, place] == sought[place]))
        total += int(hits)
    return total


def words_per_report(name: str) -> float:
    """Words of keystream that a report takes on average, counted."""
    source = Counting()
    mechanisms()[name].privatize(np.zeros(COUNTED, dtype=np.int64), source)
    return source.total / COUNTED


def rappor() -> dict[str, float]:
    """What a report of RAPPOR takes: as of the others."""
    source = Counting()
    batch = population().first_reports(np.zeros(COUNTED, dtype=np.int64), source)
    size = (batch.bits.nbytes + batch.cohorts.nbytes) / COUNTED
    return {"words": source.total / COUNTED, "bytes": size, "values": DOMAIN}


def summation() -> dict[str, float]:
    """What a report of noisy sums takes: as of the others."""
    source, users = Counting(), 500
    reports = SHE(EPSILON, DOMAIN).privatize(np.zeros(users, dtype=np.int64), source)
    return {"words": source.total / users, "bytes": reports.data.nbytes / users, "values": DOMAIN}


def keystream_shares(stream: float) -> dict[str, dict[str, float]]:
    """The share of the keystream in a unary client's time, by mechanism and eps.

    Args:
        stream: the keystream's rate, in bytes per nanosecond.
    """
    found: dict[str, dict[str, float]] = {}
    for epsilon in UNARY_EPSILONS:
        made = mechanisms(epsilon)
        noise = 2 / (1 + math.exp(epsilon / (2 * HASHES)))
        clients = {name: made[name].privatize for name in UNARY if name in made}
        for name, client in {**clients, "RAPPOR": population(noise).first_reports}.items():
            source = Counting()
            held = np.arange(UNARY_USERS, dtype=np.int64) % DOMAIN
            client(held, source)
            # `rate` gives the words' bytes per nanosecond of the whole client.
            share = rate(partial(client, held), 8 * source.total) / stream
            found.setdefault(name, {})[f"{epsilon:g}"] = share
    return found


def main() -> None:
    """Measure everything and print one JSON object."""
    source, words = SecureWords(), np.empty(KEYSTREAM_WORDS, dtype=np.uint64)
    memory = np.ones(MEMORY_BYTES // 8, dtype=np.uint64)
    target = np.empty_like(memory)
    table = np.zeros((COMPARED_BYTES // 128, 128), dtype=np.uint8)
    compare = compiled(compare_rows)
    limits = {
        "keystream": rate(lambda: source.fill(words), 8 * KEYSTREAM_WORDS, 20),
        "read": rate(memory.max, MEMORY_BYTES),
        "copy": rate(lambda: np.copyto(target, memory), 2 * MEMORY_BYTES),
        "compare": rate(lambda: compare(table, table[0]), table.size, 50),
        "touch": rate(lambda: np.empty(TOUCHED_BYTES // 8).fill(1), TOUCHED_BYTES),
    }
    needs = {
        name: {
            "words": words_per_report(name),
            "bytes": mechanism.privatize(np.zeros(1, dtype=np.int64)).data.nbytes,
            "values": mechanism.k,
        }
        for name, mechanism in mechanisms().items()
    }
    needs |= {"SHE": summation(), "RAPPOR": rappor()}
    unary = keystream_shares(limits["keystream"])
    print(json.dumps({"limits": limits, "needs": needs, "unary": unary}))


if __name__ == "__main__":
    main()
