"""The sections about ratios, the machine's limits, threads and large populations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.bounds import CLIENT, SERVER
from benchmarks.environments import OURS
from benchmarks.markdown import table
from benchmarks.run import AIMS, MECHANISMS, TIMED
from benchmarks.spread import rounded
from benchmarks.workload import TRANSFORM, UNARY, UNARY_EPSILONS

if TYPE_CHECKING:
    from benchmarks.run import Results

_RATES = {
    "keystream": "AES-256-CTR keystream, 1 MiB at a time",
    "read": "reading memory (256 MiB, no cache holds it)",
    "copy": "copying memory, read and written bytes",
    "compare": "comparing bytes in the cache, and counting",
    "touch": "writing memory that the process has not held before",
}
_CEILINGS = {
    "keystream": "not ours: keystream",
    "read": "not ours: reading memory",
    "copy": "not ours: copying memory",
}
THREADS_AIM = 1.6
_SHARES = """\
The client cannot be faster than its words come (`keystream`) nor than its values are read and its
reports written (`memory`: 8 bytes and the report, at the rate of copying); the server not than the
reports are read, nor, with local hashing, than a byte is compared for each report and value
(`compare`). Each number is the share of the measured time that the limit alone would take; the
larger it is, the less there is left to gain. What is in neither is instructions; the next table
names them. `touch` is what reports in new memory cost on top: it is left out of the timings, which
use memory over and over.
"""
_UNARY = """\
The share of the keystream in the client's time at larger epsilons, in per cent:
"""
_WORDS = """\
What takes the rest of the time, from timing the parts of a kernel and from reading it:
"""
_THREADS = f"""\
Time with one thread over time with two: `privatize` over `privatize_in_threads`, and `aggregate`
without and with `threads=2`, batch after batch of 24 MiB of reports, with memory used over and
over. Each number is the median of the rounds' medians. What two processors give changes from
one moment to the next where the host of a virtual machine has other work too, so each column has
beside it what arithmetic in registers, shared out by the same call, gained in the same moments:
that is what the machine had to give. A stage is compute-bound if memory takes less than half of its
time in the table above; there {THREADS_AIM} is aimed at, and `below` marks a median that does not
reach it.
"""
_POPULATIONS = """\
`privatize_stream` into `aggregate`, or with two threads `privatize_in_threads`; each once. A chunk
is a million users, or as many as 16 MiB of reports hold, 8 MiB with two threads. The peak is the
whole process.
"""
_NUMBERS = """\
Numbers are uniform in the bounds; neither peer has any of these. `NumPy's Laplace` adds
`Generator.laplace` to the numbers and takes the mean: it is what many write themselves, and its low
bits tell the number (Mironov, 2012). Times are nanoseconds for each
user, all coordinates together; `keystream` is its share of the client's time.
"""


def ratios(results: Results) -> str:
    """Time of the faster peer over ours, the median over rounds, beside what is aimed at."""
    rows = []
    for mechanism in (*TIMED, TRANSFORM):
        for stage in ("client", "server", "transform"):
            ratio, aim = results.ratios.get((mechanism, stage)), AIMS.get((mechanism, stage))
            if ratio is None:
                continue
            verdict = "" if aim is None or ratio.median >= aim else ", below"
            shown = "none" if aim is None else f"{aim:,}{verdict}"
            rows.append([mechanism, stage, str(ratio), shown])
    return table(["mechanism", "stage", "ratio", "aim"], rows)


def _least(results: Results) -> dict[str, float]:
    """Nanoseconds for a byte, at each limit."""
    return {name: 1 / rate.median for name, rate in results.limits.items()}


def _portions(results: Results, mechanism: str) -> dict[str, float]:
    """What share of a stage's time each limit accounts for, where the stage was timed."""
    need, least = results.needs[mechanism], _least(results)
    found = {}
    client = results.timings.get((OURS.name, mechanism, "client"))
    server = results.timings.get((OURS.name, mechanism, "server"))
    if client is not None:
        found["client: keystream"] = 8 * need["words"] * least["keystream"] / client.median
        found["client: memory"] = (8 + need["bytes"]) * least["copy"] / client.median
    if server is not None:
        found["server: memory"] = need["bytes"] * least["read"] / server.median
        if mechanism in ("OLH", "BLH"):
            found["server: compare"] = need["values"] * least["compare"] / server.median
    return found


def shares(results: Results) -> str:
    """Rates of the machine, and the share of each kernel's time that they account for."""
    rates = [[_RATES[name], f"{spent} bytes"] for name, spent in results.limits.items()]
    for mechanism in ("OLH", "BLH"):
        server = results.timings.get((OURS.name, mechanism, "server"))
        if server is not None and mechanism in results.needs:
            hashes = results.needs[mechanism]["values"] / server.median
            rates.append([f"{mechanism} server: hashes of a value, compared", rounded(hashes)])
    kinds = ("client: keystream", "client: memory", "server: memory", "server: compare")
    measured = [mechanism for mechanism in MECHANISMS if mechanism in results.needs]
    rows = []
    for mechanism in measured:
        portions = _portions(results, mechanism)
        words = rounded(results.needs[mechanism]["words"])
        missing = {kind: "no hashing" if kind == kinds[3] else "not timed" for kind in kinds}
        cells = (_percent(portions[kind]) if kind in portions else missing[kind] for kind in kinds)
        rows.append([mechanism, words, *cells])
    unary = [
        [name, *(str(results.unary.get((name, f"{each:g}"), "-")) for each in UNARY_EPSILONS)]
        for name in UNARY
    ]
    named = [[mechanism, CLIENT[mechanism], SERVER[mechanism]] for mechanism in measured]
    parts = [
        table(["measured in the same run", "per ns"], rates),
        _SHARES,
        table(["mechanism", "words per report", *kinds], rows),
        _UNARY,
        table(["mechanism", *(f"eps = {each:g}" for each in UNARY_EPSILONS)], unary),
        _WORDS,
        table(["mechanism", "client", "server"], named),
    ]
    return "\n".join(parts)


def threads(results: Results) -> str:
    """How many times faster two threads are."""
    rows = []
    for name, words in _CEILINGS.items():
        if (name, "work") in results.threads:
            gained, control = results.threads[name, "work"], results.beside[name, "work"]
            rows.append([words, *2 * [str(gained), str(control)]])
    for mechanism in MECHANISMS:
        if (mechanism, "client") not in results.threads:
            continue
        portions = _portions(results, mechanism)
        cells = []
        for stage in ("client", "server"):
            gained = results.threads[mechanism, stage]
            bound = portions[f"{stage}: memory"] >= 0.5
            slow = gained.median < THREADS_AIM
            cells.append(f"{gained}{', memory-bound' if bound else ', below' if slow else ''}")
            cells.append(str(results.beside[mechanism, stage]))
        rows.append([mechanism, *cells])
    beside = "arithmetic beside it"
    return _THREADS + "\n" + table(["mechanism", "client", beside, "server", beside], rows)


def numbers(results: Results) -> str:
    """Times of the mechanisms for numbers and vectors, and what bounds them."""
    rows = []
    for mechanism in dict.fromkeys(name for name, _ in results.numeric):
        if mechanism not in CLIENT:
            both = (str(results.numeric[mechanism, stage]) for stage in ("client", "server"))
            rows.append([mechanism, *both, *4 * ["-"]])
            continue
        spent = {
            stage: results.numeric[mechanism, stage]
            for stage in ("client", "server", "single", "words")
        }
        needed = 8 * spent["words"].median * _least(results)["keystream"]
        rows.append(
            [
                mechanism,
                *(str(spent[stage]) for stage in ("client", "server", "single")),
                _percent(needed / spent["client"].median),
                CLIENT[mechanism],
                SERVER[mechanism],
            ]
        )
    head = ["mechanism", "client", "server", "single", "keystream", "the client", "the server"]
    return _NUMBERS + "\n" + table(head, rows)


def populations(results: Results) -> str:
    """Seconds and peak memory of whole populations."""
    rows = [
        [
            f"{mechanism}, n = {users:,}",
            str(many),
            rounded(run["seconds"]),
            rounded(run["peak"] / 2**20),
        ]
        for (mechanism, users, many), run in results.population.items()
    ]
    return _POPULATIONS + "\n" + table(["population", "threads", "s", "peak MiB"], rows)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
