"""The three kinds of trust are compared at one epsilon, on one population."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks import local_cost
from ldp_verified.analysis.account import shuffled_epsilon


def users(n: int = 2000) -> local_cost.Users:
    """Half of them late, at three airports."""
    delays = np.where(np.arange(n) % 2 == 0, 40.0, -5.0)
    return local_cost.Users(delays, np.arange(n) % 3, 3)


def test_the_flights_are_clamped_and_counted() -> None:
    found = local_cost.flights(1000, seed=1)
    assert 95 <= found.k <= 110
    assert found.delays.min() >= local_cost.LEAST
    assert found.delays.max() <= local_cost.MOST
    again = local_cost.flights(1000, seed=1)
    assert np.array_equal(again.delays, found.delays)


def test_true_answers_are_those_computed_by_hand() -> None:
    some = users(6)
    assert some.truth(local_cost.COUNT).tolist() == [3]
    assert some.truth(local_cost.HISTOGRAM).tolist() == [2, 2, 2]
    assert some.truth(local_cost.MEAN).tolist() == [17.5]


@pytest.mark.parametrize("binary", [False, True])
def test_shuffled_users_pay_what_the_accountant_allows(binary: bool) -> None:
    local = local_cost.randomized(1.0, 2000, binary)
    assert local > 1.0
    level = np.exp(local) * (1 - 1e-6)
    clone = 2 / (Fraction(level) + 1) if binary else None
    found = shuffled_epsilon(local_cost.DELTA, Fraction(level), 2000, clone)
    assert 0.9 < found <= 1.0 + 1e-3


@pytest.mark.parametrize("task", local_cost.TASKS)
def test_errors_are_as_stated_and_grow_with_less_trust(task: str) -> None:
    """Fixed seeds: 20 runs, so the measured root mean square is within a factor 2.5."""
    rows = local_cost.measure(users(), task, 1.0, 20)
    errors = {row.trust: row.answer.error for row in rows}
    assert errors["central"] < errors["shuffled"] < errors["local"]
    for row in rows:
        assert 0.4 < row.measured / row.answer.error < 2.5


def test_a_page_and_a_plot_have_all_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_cost, "EPSILONS", (1.0, 2.0))
    some = users(500)
    rows = [row for task in local_cost.TASKS for row in local_cost.measure(some, task, 1.0, 2)]
    text = local_cost.page(rows, some, 2)
    for trust in local_cost.TRUST:
        assert text.count(f"| {trust} |") == 3
    local_cost.draw(rows, tmp_path / "plot.svg")
    assert "</svg>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
