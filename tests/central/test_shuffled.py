"""The promise of a batch, and what it says that it assumes."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified import GRR
from ldp_verified.analysis.central import Shuffled
from ldp_verified.errors import ParameterError

MADE = GRR(3.0, 4)


def batch(n: int) -> Shuffled:
    return Shuffled(MADE.privatize(np.zeros(n, dtype=int), 1), MADE.realized_epsilon)


def test_the_promise_names_its_numbers_and_what_it_assumes() -> None:
    made = batch(2000)
    said = made.promise(1e-6)
    assert f"({made.epsilon(1e-6):.4g}, 1e-06)-private" in said
    assert "2,000 reports" in said
    assert "2,000 of the users work with nobody" in said
    assert "the shuffler is honest" in said
    assert said.endswith("epsilon = 3, which each report keeps against everybody.")


def test_fewer_honest_users_are_said_and_cost_more() -> None:
    made = batch(2000)
    assert "500 of the users work with nobody" in made.promise(1e-6, honest=500)
    levels = [made.epsilon(1e-6, honest) for honest in (2000, 500, 50, 1)]
    assert levels == sorted(levels)
    assert levels[-1] == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize(
    ("delta", "honest"), [(0.0, None), (1.0, None), (1e-6, 0), (1e-6, 2001), (1e-6, 1.5)]
)
def test_what_is_out_of_range_is_refused(delta: float, honest: int) -> None:
    with pytest.raises(ParameterError):
        batch(2000).promise(delta, honest)


@pytest.mark.parametrize("local", [600.5, 700.0, 1e5, 1e308])
def test_reports_that_hide_nothing_cost_what_each_costs(local: float) -> None:
    made = Shuffled(batch(20).reports, local)
    assert made.epsilon(1e-6) == local
    assert f"({local:.4g}, 1e-06)-private" in made.promise(1e-6)
    for delta, honest in ((0.0, None), (1e-6, 21)):
        with pytest.raises(ParameterError):
            made.epsilon(delta, honest)
