from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bounds import CLIENT, SERVER
from benchmarks.environments import OURS
from benchmarks.limits import numbers, populations, ratios, shares, threads
from benchmarks.run import MECHANISMS, Results
from benchmarks.spread import summary
from benchmarks.workers import numeric
from benchmarks.workers.ours import mechanisms
from benchmarks.workers.population import CHUNK, chunks


def measured() -> Results:
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
    for name, client, server in (("GRR", 8.0, 0.25), ("OLH", 20.0, 100.0)):
        results.timings[OURS.name, name, "client"] = summary([client])
        results.timings[OURS.name, name, "server"] = summary([server])
    return results


def test_ratios_show_their_spread_and_gaps() -> None:
    results = Results()
    results.ratios["GRR", "client"] = summary([100.0, 150.0, 170.0])
    results.ratios["OLH", "client"] = summary([100.0])
    results.ratios["BLH", "server"] = summary([7.0])
    written = ratios(results)
    assert "| GRR | client | 150 (100-170) | 150 |" in written
    assert "| OLH | client | 100 (100-100) | 250, below |" in written
    assert "| BLH | server | 7.00 (7.00-7.00) | none |" in written


def test_shares_are_those_of_the_limits() -> None:
    results = measured()
    results.needs["RAPPOR"] = {"words": 10.0, "bytes": 24, "values": 1024}
    results.timings[OURS.name, "RAPPOR", "client"] = summary([100.0])
    results.unary["OUE", "4"] = summary([27.0])
    written = shares(results)
    assert "| GRR | 1.00 | 25 % | 25 % | 80 % | no hashing |" in written
    assert "| OUE | - | 27.0 (27.0-27.0) | - |" in written
    assert "| OLH | 2.00 | 20 % | 20 % | 1 % | 50 % |" in written
    assert "| OLH server: hashes of a value, compared | 10.0 |" in written
    assert "| RAPPOR | 10.0 | 20 % | 6 % | not timed | no hashing |" in written
    assert f"| OLH | {CLIENT['OLH']} | {SERVER['OLH']} |" in written


def test_threads_are_held_to_the_aim_where_memory_does_not_bound_them() -> None:
    results = measured()
    for name, client, server in (("GRR", 1.5, 1.2), ("OLH", 1.8, 1.6)):
        results.threads[name, "client"] = summary([client])
        results.threads[name, "server"] = summary([server])
        results.beside[name, "client"] = results.beside[name, "server"] = summary([1.9])
    results.threads["copy", "work"] = summary([1.7])
    results.beside["copy", "work"] = summary([2.0])
    written = threads(results)
    beside = "1.90 (1.90-1.90)"
    assert "| not ours: copying memory | 1.70 (1.70-1.70) | 2.00 (2.00-2.00) |" in written
    bounded = "1.20 (1.20-1.20), memory-bound"
    assert f"| GRR | 1.50 (1.50-1.50), below | {beside} | {bounded} | {beside} |" in written
    assert f"| OLH | 1.80 (1.80-1.80) | {beside} | 1.60 (1.60-1.60) | {beside} |" in written


def test_populations_name_their_threads() -> None:
    results = Results()
    results.population["GRR", 10**9, 2] = {"seconds": 12.3, "peak": 200 * 2**20}
    assert "| GRR, n = 1,000,000,000 | 2 | 12.3 | 200 |" in populations(results)


def test_numbers_have_a_row_each() -> None:
    results = measured()
    for stage, spent in {"client": 40.0, "server": 5.0, "single": 9e4, "words": 2.0}.items():
        results.numeric["Duchi", stage] = summary([spent])
    row = "| Duchi | 40.0 (40.0-40.0) | 5.00 (5.00-5.00) | 90,000 (90,000-90,000) | 10 % |"
    assert row in numbers(results)


def test_numpys_own_noise_has_a_row() -> None:
    results = measured()
    for stage in ("client", "server"):
        results.numeric["NumPy's Laplace", stage] = summary([7.0])
    row = "| NumPy's Laplace | 7.00 (7.00-7.00) | 7.00 (7.00-7.00) | - | - | - | - |"
    assert row in numbers(results)


def test_what_bounds_each_mechanism_is_said() -> None:
    named = {*MECHANISMS, *numeric.mechanisms()}
    assert set(CLIENT) == set(SERVER) == named
    assert {*mechanisms(), "SHE", "RAPPOR"} == set(MECHANISMS)


def test_chunks_are_all_users() -> None:
    lengths = [len(chunk) for chunk in chunks(2 * CHUNK + 5, 9)]
    assert lengths == [CHUNK, CHUNK, 5]
    assert [len(chunk) for chunk in chunks(7, 9)] == [7]
    assert [len(chunk) for chunk in chunks(7, 9, 3)] == [3, 3, 1]


@pytest.mark.parametrize("name", ["Duchi", "SquareWave", "DuchiVector, d = 4"])
def test_estimates_of_other_numbers_are_no_timing(name: str) -> None:
    subject = numeric.mechanisms()[name]
    held = subject.held()[:20_000]
    found = subject.estimate(subject.made.privatize(held))
    numeric.check(name, subject, held, found)
    ends = np.full_like(held, subject.made.bounds[1])
    found = subject.estimate(subject.made.privatize(ends))
    with pytest.raises(RuntimeError, match="do not fit the data"):
        numeric.check(name, subject, held, found)
