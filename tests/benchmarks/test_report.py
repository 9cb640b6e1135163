from __future__ import annotations

from datetime import date

import pytest

from benchmarks.environments import OURS, PEERS
from benchmarks.markdown import table
from benchmarks.report import how, page
from benchmarks.run import MECHANISMS, Results
from benchmarks.spread import summary


def test_a_table_has_as_many_cells_in_each_row() -> None:
    assert table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |\n"
    with pytest.raises(ValueError, match="2 cells"):
        table(["a", "b"], [["x"]])


def test_the_page_shows_every_number_and_leaves_a_gap_where_there_is_none() -> None:
    results = Results()
    for mechanism in MECHANISMS:
        for stage in ("client", "single", "server"):
            key = (OURS.name, mechanism, stage)
            results.timings[key] = summary([10.0, 11.0, 12.0])
            results.users[key] = 1000
        results.memory[mechanism] = {"before": 2**20, "reports": 3 * 2**20, "peak": 9 * 2**20}
    key = (PEERS[0].name, "GRR", "server")
    results.timings[key], results.users[key] = summary([7.0]), 50
    for cache in ("cold", "warm"):
        for step in ("import", "single", "bulk"):
            results.startup[cache, step] = summary([0.25])
    written = page(results, date(2026, 1, 31), "0123abcd", "a machine", 9.6)
    assert "on 2026-01-31 at commit 0123abcd.\nIt took 10 minutes." in written
    assert "a machine" in written
    ours = "11.0 (10.0-12.0), n = 1,000"
    assert f"| GRR | {ours} | 7.00 (7.00-7.00), n = 50 | - |" in written
    assert f"| OUE | {ours} | - | - |" in written
    assert "| OUE | 1.00 | 3.00 | 9.00 | 5.00 |" in written


def test_every_package_says_what_was_called() -> None:
    assert "privatise" in how(PEERS[0].worker)
    assert "_Client" in how(PEERS[1].worker)
    assert "privatize" in how(OURS.worker)
