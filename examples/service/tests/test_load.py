"""The load test at a small size: workers and database are killed; a store loses reports."""

from __future__ import annotations

import pytest
from load.__main__ import DAYS, LostError, Plan, loaded

SMALL = Plan(users=600, batch=20, connections=32)


def test_nothing_is_lost_and_nothing_counts_twice() -> None:
    """`loaded` fails otherwise."""
    rows = loaded(SMALL)
    assert len(rows) == DAYS
    assert sum("database away" in row for row in rows) == 2


def test_workers_that_answer_too_early_are_found() -> None:
    with pytest.raises(LostError, match=r"lost|differs|not acknowledged"):
        loaded(SMALL, "load.planted:create")
