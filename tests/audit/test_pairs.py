"""Bounds for all pairs: counts as each pair's own event has them, and a leak that pooling hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, Tally, lower_bound, power
from ldp_verified.check.audit.bounds.pairs import Featured, PooledPairs, all_pairs
from ldp_verified.check.audit.claim import Claim, ErrorLevels
from ldp_verified.check.audit.events.events import DuelEvent, PooledEvent, read
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.sources import from_callable
from tests.broken.audit.randomizers import grr

if TYPE_CHECKING:
    from ldp_verified.check.audit.bounds.pairs import InputPairs

LEVEL = 1e-9
K = 12


def counted(pairs: InputPairs, batch: Batch, event: PooledEvent | None) -> None:
    sides = None if event is None else event.sides(batch, np.random.default_rng(1))
    pairs.see(batch, sides)


def test_single_values_are_counted_as_each_pairs_own_event_counts_them() -> None:
    generator = np.random.default_rng(4)
    batch = Batch(generator.integers(0, 4, 500), generator.integers(0, 5, 500).tolist())
    event = PooledEvent(OutputReading("same", (0, 1, 2, 3)))
    pairs = PooledPairs(event)
    counted(pairs, batch, event)
    for x, x2, tally in pairs.tallies():
        assert pairs.event(x, x2).count(batch, generator) == tally


def test_values_of_a_feature_are_counted_as_each_pairs_own_event_counts_them() -> None:
    generator = np.random.default_rng(4)
    batch = Batch(generator.integers(0, 3, 500), generator.integers(0, 4, 500).tolist())
    shares = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.3, 0.2, 0.1, 0.4]])
    pairs = Featured("value", tuple(f"int {v}" for v in range(4)), shares, 300)
    counted(pairs, batch, None)
    found = list(pairs.tallies())
    assert len(found) == 3
    for x, x2, tally in found:
        assert pairs.event(x, x2).count(batch, generator) == tally


def test_sides_of_a_pooled_event_add_up_to_its_count() -> None:
    generator = np.random.default_rng(2)
    batch = Batch(generator.integers(0, 3, 400), generator.integers(0, 2, (400, 3)))
    event = PooledEvent(OutputReading("bits", (0, 1, 2)))
    pairs = PooledPairs(event)
    counted(pairs, batch, event)
    whole = sum((tally for _, _, tally in pairs.tallies()), Tally(0, 0, 0))
    assert whole == event.count(batch, np.random.default_rng(1))


def test_the_level_is_shared_by_all_pairs() -> None:
    levels = ErrorLevels.of(0.01, pairs=True)
    assert levels.events + levels.pairs + levels.witnesses == pytest.approx(0.01)
    event = PooledEvent(OutputReading("same", (0, 1, 2)))
    pairs = PooledPairs(event)
    counted(pairs, Batch(np.arange(300) % 3, (np.arange(300) % 3).tolist()), event)

    def bound(tally: Tally, stake: Stake, level: float) -> float:
        assert level == pytest.approx(levels.pairs / 3)
        return lower_bound(tally, stake, level, 0.0, METHODS[0])

    found = all_pairs(pairs, levels.pairs, bound)
    assert [pair.bound for pair in found] == sorted((p.bound for p in found), reverse=True)


def test_a_leak_between_two_of_many_inputs_is_found(rng: np.random.Generator) -> None:
    """One of 12 inputs is told in 0.4 of its reports; the pooled event alone would pass it.

    Exact, for input 3 and another: plus 0.38 of the pair's samples, minus 0.065.
    """

    def leaky(value: int) -> int:
        return 3 if value == 3 and rng.random() < 0.4 else grr(value, K, 1.0, rng)

    n = 60_000
    found = audit(
        from_callable(leaky, range(K)), Claim(1.2, n=n, level=LEVEL), mechanism="grr", seed=1
    )
    assert found.verdict is AuditVerdict.VIOLATED
    assert isinstance(found.tested[0].event, DuelEvent)
    assert found.tested[1].bound < 1.2
    assert {found.pairs[0].x, found.pairs[0].x2} & {3}
    again = read(found.tested[0].event.document(), found.inputs)
    assert again == found.tested[0].event
    truth = np.e / (np.e + K - 1)
    lie = 1 / (np.e + K - 1)
    plus, minus = (0.4 + 0.6 * truth + truth) / 2, (lie + 0.6 * lie) / 2
    own = ErrorLevels.of(LEVEL, pairs=True).pairs / (K * (K - 1) / 2)
    fewest = 9_000  # 2/12 of 60,000 is 10,000: fewer than this below 1e-20
    assert power(plus, minus, fewest, Stake(), own, target=1.2) > 1 - 2e-9
