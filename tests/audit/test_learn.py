"""Learning: what is chosen is promising, and nothing that is tested chose it."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from ldp_verified.check.audit.bounds.bounds import Stake, Tally, predicted
from ldp_verified.check.audit.events import classifier
from ldp_verified.check.audit.events.events import PairEvent
from ldp_verified.check.audit.events.learn import CAUTION, TESTED, Goal, learn
from ldp_verified.check.audit.targets.batch import Batch

GOAL = Goal(10_000, 0.005, 0.0)


def drawn(rng: np.random.Generator, n: int = 12_000) -> Batch:
    """Item 3 of 6 fair bits is the value, 3 times in 4."""
    inputs = rng.integers(0, 2, n)
    rows = rng.integers(0, 2, (n, 6))
    rows[:, 3] = np.where(rng.random(n) < 0.75, inputs, 1 - inputs)
    return Batch(inputs, rows.tolist())


def test_the_item_that_leaks_is_chosen(rng: np.random.Generator) -> None:
    """ln 3 against ln 1 elsewhere; a wrong choice would need an error of 20 deviations.

    The order of a row's items tells item 3 too, as do the scores of classifiers and its value.
    """
    found = learn(drawn(rng), (0, 1), GOAL, rng)
    assert 1 <= len(found.candidates) <= TESTED
    best = found.candidates[0].event
    assert isinstance(best, PairEvent)
    assert "3" in best.feature or best.feature.startswith(("score", "value", "order"))
    fresh = best.count(drawn(rng), rng)
    assert fresh.point(best.stake) > 0.8
    assert found.looked_at > 50
    assert found.covered == 1.0


def test_outputs_that_never_repeat_are_not_covered(rng: np.random.Generator) -> None:
    batch = Batch(rng.integers(0, 2, 2000), rng.random(2000).tolist())
    found = learn(batch, (0, 1), GOAL, rng)
    assert found.covered == 0.0
    assert found.candidates  # bins of the number, at least


def test_a_classifier_is_written_down(rng: np.random.Generator) -> None:
    assert importlib.util.find_spec("sklearn") is not None
    batch = drawn(rng, 3000)
    (name,) = classifier.candidates(batch, 2)
    found = classifier.scored(name.partition(":")[2], batch)
    assert len(found.codes) == 3000
    # The same row has the same score in a batch of any size, and as no part of a matrix.
    alone = classifier.scored(
        name.partition(":")[2], Batch(batch.inputs[:2], [batch.outputs[0], "x"])
    )
    assert alone.codes[0] == found.codes[0]
    assert alone.labels[int(alone.codes[1])] == "none"


def test_a_feature_that_no_event_fits_leaves_the_others(rng: np.random.Generator) -> None:
    batch = Batch(rng.integers(0, 2, 500), [0] * 500)
    found = learn(batch, (0, 1), GOAL, rng)
    for candidate in found.candidates:
        assert candidate.event.count(batch, rng) != Tally(500, 0, 500)


def test_few_outputs_that_look_best_by_chance_do_not_win() -> None:
    """Of 16 outputs with the ratio e each, four show a ratio of 3.09: the 16 promise more.

    By the planted rule, which looks at the ranking samples alone, the four would.
    """
    few, many = (np.array([990.0]), np.array([320.0])), (np.array([3655.0]), np.array([1345.0]))
    goal, ranked = Goal(30_000, 1e-10, 0.0), 10_000
    for level, wins in ((goal.careful(ranked).level, many), (CAUTION, few)):
        promised = [predicted(*each, ranked, Stake(), level, 0.0) for each in (few, many)]
        assert (promised[0] > promised[1]) == (wins is few)
    assert Goal(10**9, 1e-10, 0.0).careful(ranked).level == pytest.approx(CAUTION, rel=0.1)


def test_where_no_time_is_left_what_was_looked_at_is_what_there_is(
    rng: np.random.Generator,
) -> None:
    batch = drawn(rng)
    found = learn(batch, (0, 1), GOAL, rng, left=lambda: 0.0)
    whole = learn(batch, (0, 1), GOAL, rng)
    assert 0 < found.looked_at < whole.looked_at / 2
    assert found.candidates
