"""How many values have a share: intervals cover it, and leave room for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import CMS, GRR, OLH
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import PaddedResponse
from ldp_verified.run.aggregate import KeptState, State
from ldp_verified.run.aggregate.distinct import Distinct, held_by
from tests.broken.distinct import as_estimated, one_at_a_time, room_for_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.aggregate.estimate import Estimate

MADE, SHARE, RUNS = GRR(2.0, 60), 0.02, 200
HELD = np.array([400] * 20 + [399] * 20 + [201] * 19 + [201])
"""20 of 60 values have just the share of 20,000 users; 20 lack one user."""


def missed(how: Callable[[Estimate], Distinct], seed: int) -> int:
    """In how many runs the truth, 20, lies outside."""
    wrong = 0
    for run in range(RUNS):
        found = how(MADE.simulate_counts(HELD, rng=seed + run).estimate())
        assert found.low <= found.value <= found.high
        wrong += not found.low <= 20 <= found.high
    return wrong


MOST = int(binom.isf(1e-10, RUNS, 0.05))


def test_intervals_cover_the_number_of_values(seed: int) -> None:
    """Null: an interval misses with chance 0.05 at most; n = 200 runs, level 1e-10."""
    assert HELD.sum() == 20_000
    assert missed(lambda found: found.held_by(SHARE), seed) <= MOST


def test_numbers_without_an_error_are_seen(seed: int) -> None:
    """The estimates of 40 values lie on either side of the share by chance."""
    assert missed(lambda found: as_estimated(found, SHARE), seed) > MOST


def test_intervals_of_one_value_at_a_time_are_shorter(seed: int) -> None:
    found = MADE.simulate_counts(HELD, rng=seed).estimate()
    short, safe = one_at_a_time(found, SHARE), found.held_by(SHARE)
    assert (short.high - short.low) <= (safe.high - safe.low)
    assert safe.unlisted == 0


def test_exact_counts_have_exact_numbers() -> None:
    counts = np.array([10.0, 5.0, 4.999, 0.0, 80.0])
    found = held_by(0.05, 100, counts, (counts, counts), complete=True, exclusive=True)
    assert (found.value, found.low, found.high, found.unlisted) == (3, 3, 3, 0)
    found = held_by(0.05, 100, counts[:3], (counts[:3],) * 2, complete=False, exclusive=True)
    assert (found.value, found.unlisted) == (2, 16)
    assert room_for_one(0.05, 100).unlisted == 0
    assert held_by(1.0, 100, counts, (counts, counts), complete=True, exclusive=True).high == 0
    assert (
        held_by(0.05, 100, counts[:1], (counts[:1],) * 2, complete=False, exclusive=False).unlisted
        is None
    )


@pytest.mark.parametrize("how", ["sketch", "kept"])
def test_listed_values_leave_room_for_others(how: str, seed: int) -> None:
    """Null: all counts of 3 listed values lie in intervals of the level 1 - 1e-9."""
    values = np.repeat([1, 2, 70, 99], [20_000, 10_000, 9_000, 11_000])
    made: Any = CMS(4.0, 1 << 20, 64, 512, seed=3) if how == "sketch" else OLH(4.0, 1 << 20)
    state: Any = (State if how == "sketch" else KeptState)(made.oracle, simulated=True)
    state.update(made.privatize(values, rng=seed))
    found = state.estimate([1, 2, 3]).held_by(0.15, level=1 - 1e-9)
    assert found.low <= 2 <= found.high
    assert found.unlisted is not None
    assert 1 <= found.unlisted <= 6


def test_of_sets_nothing_is_said_of_items_that_are_not_listed(seed: int) -> None:
    made = PaddedResponse(4.0, 6, 2)
    state = made.empty(simulated=True).update(made.privatize([(0, 1)] * 20_000, rng=seed))
    assert state.estimate([0, 1]).held_by(0.5).unlisted is None


def test_nobody_holds_nothing() -> None:
    assert MADE.empty().estimate().held_by(0.5) == Distinct(0.5, 0, 0, 0, 0)


def test_no_share_or_level() -> None:
    found = MADE.simulate_counts(HELD, rng=1).estimate()
    for share in (0, 1.5, -1, True, "a", None, float("nan")):
        wrong: Any = share
        with pytest.raises(ParameterError, match="share: must"):
            found.held_by(wrong)
    with pytest.raises(ParameterError, match="level: must"):
        found.held_by(0.5, level=1)
