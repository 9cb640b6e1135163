from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.environments import OURS
from benchmarks.growth import plot
from benchmarks.limits import populations, ratios, shares, threads
from benchmarks.run import Results
from benchmarks.spread import summary
from benchmarks.workers.population import CHUNK, chunks

if TYPE_CHECKING:
    from pathlib import Path


def test_ratios_show_their_spread_and_gaps() -> None:
    results = Results()
    results.ratios["GRR", "client"] = summary([100.0, 150.0, 170.0])
    results.ratios["OLH", "client"] = summary([100.0])
    results.ratios["BLH", "server"] = summary([7.0])
    written = ratios(results)
    assert "| GRR | client | 150 (100-170) | 150 |" in written
    assert "| OLH | client | 100 (100-100) | 250, below |" in written
    assert "| BLH | server | 7.00 (7.00-7.00) | - |" in written


def test_shares_are_those_of_the_limits() -> None:
    results = Results()
    results.limits = {
        "keystream": summary([4.0]),
        "read": summary([10.0]),
        "copy": summary([5.0]),
        "compare": summary([20.0]),
    }
    results.needs = {
        "GRR": {"words": 1.0, "bytes": 2, "values": 1024},
        "OLH": {"words": 2.0, "bytes": 12, "values": 1000},
    }
    for name, client, server in (("GRR", 8.0, 1.0), ("OLH", 20.0, 100.0)):
        results.timings[OURS.name, name, "client"] = summary([client])
        results.timings[OURS.name, name, "server"] = summary([server])
    written = shares(results)
    assert "| GRR | 1.00 | 25 % | 25 % | 20 % | - | checking" in written
    assert "| OLH | 2.00 | 20 % | 20 % | 1 % | 50 % | a store" in written


def test_threads_and_populations() -> None:
    results = Results()
    results.threads = {("OLH", "client"): summary([1.8]), ("OLH", "server"): summary([1.9])}
    results.population["GRR", 10**9] = {"seconds": 12.3, "peak": 200 * 2**20}
    assert "| OLH | 1.80 (1.80-1.80) | 1.90 (1.90-1.90) |" in threads(results)
    assert "| GRR, n = 1,000,000,000 | 12.3 | 200 |" in populations(results)


def test_chunks_are_all_users() -> None:
    lengths = [len(chunk) for chunk in chunks(2 * CHUNK + 5, 9)]
    assert lengths == [CHUNK, CHUNK, 5]
    assert [len(chunk) for chunk in chunks(7, 9)] == [7]


def test_the_plot_has_every_mechanism(tmp_path: Path) -> None:
    rows = [[10.0, 0.1, 0.2], [100.0, 1.0, 2.0]]
    path = tmp_path / "growth.svg"
    plot({"GRR": {"users": rows, "values": rows}, "OLH": {"users": rows, "values": rows}}, path)
    text = path.read_text()
    assert "GRR" in text
    assert "OLH" in text
    assert "values (20,000 users)" in text
