from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.exchange import exchanges
from benchmarks.run import Results
from benchmarks.spread import summary
from benchmarks.workers import exchange

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("RUNS", 1), ("USERS", 2000), ("DRAWN", 1000), ("POPULATIONS", (10**4,))):
        monkeypatch.setattr(exchange, name, size)


@pytest.mark.usefixtures("small")
def test_everything_that_is_named_is_measured(tmp_path: Path) -> None:
    simulated = exchange.simulations()
    assert set(simulated) == {*exchange.SIMULATED, "RAPPOR"}
    assert all(set(row) == {"n = 10,000", "by drawing a million"} for row in simulated.values())
    filed, kept = exchange.files(tmp_path), exchange.states(tmp_path)
    assert (set(filed), set(kept)) == (set(exchange.FILED), set(exchange.KEPT))
    assert filed["OUE"]["bytes"] == 128
    assert kept["GRR"]["counters"] == 1024
    assert len(exchange.columns()) == 7
    every = [*simulated.values(), *filed.values(), *kept.values(), *exchange.columns().values()]
    assert all(found > 0 for row in every for found in row.values())


def test_a_row_has_a_gap_where_nothing_was_measured() -> None:
    results = Results()
    results.exchange["states"] = {
        "GRR": {"save": summary([1.0, 2.0, 3.0])},
        "CMS": {"save": summary([5.0]), "counters": summary([64.0])},
    }
    written = exchanges(results)
    assert "| GRR | 2.00 (1.00-3.00) | - |" in written
    assert "| CMS | 5.00 (5.00-5.00) | 64.0 (64.0-64.0) |" in written
