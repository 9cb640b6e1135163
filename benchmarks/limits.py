"""The sections about ratios, the machine's limits, threads and large populations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.environments import OURS
from benchmarks.markdown import table
from benchmarks.run import AIMS, MECHANISMS
from benchmarks.spread import rounded
from benchmarks.workload import TRANSFORM

if TYPE_CHECKING:
    from benchmarks.run import Results

_RATES = {
    "keystream": "AES-256-CTR keystream, 256 KiB at a time",
    "read": "reading memory (256 MiB, no cache holds it)",
    "copy": "copying memory, read and written bytes",
    "compare": "comparing bytes in the cache, and counting",
    "touch": "writing memory that the process has not held before",
}
_SHARES = """\
The client cannot be faster than its words come (`keystream`) nor than its values are read and its
reports written (`memory`: 8 bytes and the report, at the rate of copying); the server not than the
reports are read, nor, with local hashing, than a byte is compared for each report and value
(`compare`). Each number is the share of the measured time that the limit alone would take; the
larger it is, the less there is left to gain. What is in neither is instructions, named in the last
column where a profile of the kernel shows them. `touch` is what reports in new memory cost on top:
it is left out of the timings, which use memory over and over.
"""
_PLANES = "planes of 64 lanes: a mispredicted branch for each block that is not decided after 8"
_CALLS = "checking the range of values, and calls for each chunk"
_BOUNDS = {
    "GRR": _CALLS,
    "SUE": _PLANES,
    "OUE": _PLANES,
    "HistogramRR": _PLANES,
    "THE": _PLANES,
    "CMS": _PLANES,
    "OLH": "a store for each of 11 bytes of a report",
    "BLH": "a store for each of 11 bytes of a report",
    "SubsetSelection": "a chain of loads and stores of the bits of one set",
    "HadamardResponse": _CALLS,
    "HRR": _CALLS,
    "HCMS": "two look-ups of a bucket, and a parity",
}
"""Seen by leaving steps out of a kernel and timing what is left."""


def ratios(results: Results) -> str:
    """Time of the faster peer over ours, the median over rounds, beside what is aimed at."""
    rows = []
    for mechanism in (*MECHANISMS, TRANSFORM):
        for stage in ("client", "server", "transform"):
            ratio, aim = results.ratios.get((mechanism, stage)), AIMS.get((mechanism, stage))
            if ratio is None:
                continue
            verdict = "" if aim is None or ratio.median >= aim else ", below"
            shown = "-" if aim is None else f"{aim:,}{verdict}"
            rows.append([mechanism, stage, str(ratio), shown])
    return table(["mechanism", "stage", "ratio", "aim"], rows)


def shares(results: Results) -> str:
    """Rates of the machine, and the share of each kernel's time that they account for."""
    rates = table(
        ["measured in the same run", "bytes per ns"],
        [[_RATES[name], str(spent)] for name, spent in results.limits.items()],
    )
    rows = []
    for mechanism in MECHANISMS:
        need = results.needs.get(mechanism)
        if need is None:
            continue
        least = {name: 1 / rate.median for name, rate in results.limits.items()}
        client = results.timings[OURS.name, mechanism, "client"].median
        server = results.timings[OURS.name, mechanism, "server"].median
        hashed = mechanism in ("OLH", "BLH")
        rows.append(
            [
                mechanism,
                rounded(need["words"]),
                _percent(8 * need["words"] * least["keystream"] / client),
                _percent((8 + need["bytes"]) * least["copy"] / client),
                _percent(need["bytes"] * least["read"] / server),
                _percent(need["values"] * least["compare"] / server) if hashed else "-",
                _BOUNDS.get(mechanism, "-"),
            ]
        )
    head = [
        *("mechanism", "words per report", "client: keystream", "client: memory"),
        *("server: memory", "server: compare", "the rest of the client's time"),
    ]
    return "\n".join([rates, _SHARES, table(head, rows)])


def threads(results: Results) -> str:
    """How many times faster two threads are."""
    names = sorted({mechanism for mechanism, _ in results.threads})
    rows = [
        [name, *(str(results.threads[name, stage]) for stage in ("client", "server"))]
        for name in names
    ]
    text = (
        "Time with one thread over time with two; the memory is shared, the code holds no lock.\n"
    )
    return text + "\n" + table(["mechanism", "client", "server"], rows)


def populations(results: Results) -> str:
    """Seconds and peak memory of whole populations."""
    rows = [
        [f"{mechanism}, n = {users:,}", rounded(run["seconds"]), rounded(run["peak"] / 2**20)]
        for (mechanism, users), run in results.population.items()
    ]
    text = "`privatize_stream` into `aggregate`, one thread, once; the peak is the whole process.\n"
    return text + "\n" + table(["population", "s", "peak MiB"], rows)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
