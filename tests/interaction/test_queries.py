"""Algorithms run on private answers: within tolerance, one report for each user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from ldp_verified.analysis.interaction import LocalQueries, QuerySession, groups_of, local_queries
from ldp_verified.errors import DomainError, ParameterError, ReportError
from tests.interaction.test_asking import median

if TYPE_CHECKING:
    from collections.abc import Generator

PLAN = LocalQueries(2.0, 5, 0.1, beta=1e-10)
RECORDS = np.random.default_rng(5).uniform(-1, 1, PLAN.users + 100)


def test_all_answers_are_within_the_tolerance(seed: int) -> None:
    """Null: 5 answers of which any is off by 0.1 with probability <= 1e-10, proven.

    An answer that is biased by 0.15 is missed with probability < 1e-3 (its error is 0.015).
    """
    found = local_queries(median, RECORDS, PLAN, many_at_once=True, rng=seed)
    middle, low, high = 0.0, -1.0, 1.0
    for answer in found.answers:
        truth = (middle > RECORDS).mean()
        assert abs(answer.value - truth) < PLAN.tolerance
        low, high = (low, middle) if answer.value > 0.5 else (middle, high)
        middle = (low + high) / 2
    assert found.result == middle
    assert found.simulated


def test_every_user_answers_one_query_at_most(seed: int) -> None:
    found = local_queries(median, RECORDS, PLAN, many_at_once=True, rng=seed)
    assert np.bincount(found.ledger.asked + 1).tolist() == [100, *[PLAN.group_users] * 5]
    assert found.ledger.most == PLAN.randomizer.realized_epsilon <= 2.0
    assert "5 queries of 5" in str(found)
    assert "simulated" in str(found)


def test_a_list_of_records_is_asked_one_by_one(seed: int) -> None:
    small = LocalQueries.of_users(60, 1.0, 5)

    def asks() -> Generator[Any, float, float]:
        return (yield lambda record: record["x"])

    made = local_queries(asks, [{"x": 0.5}] * 60, small, rng=seed)
    assert made.result == made.answers[0].value
    assert made.ledger.answered == small.group_users


def test_vectors_are_answered_coordinate_by_coordinate(seed: int) -> None:
    """Null: 2 x 3 coordinates, any off by the tolerance with probability <= 1e-10, proven."""
    plan = LocalQueries.of_users(40_000, 4.0, 2, beta=1e-10, d=3)

    def asks() -> Generator[Any, Any, Any]:
        first = yield lambda x: np.stack([x, -x, 0 * x], axis=-1)
        return first + (yield lambda x: np.stack([0 * x, 0 * x, x], axis=-1))

    records = np.full(40_000, 0.75)
    found = local_queries(asks, records, plan, many_at_once=True, rng=seed)
    assert np.abs(found.result - [0.75, -0.75, 0.75]).max() < 2 * plan.tolerance < 0.75


def test_without_a_seed_reports_are_real() -> None:
    plan = LocalQueries.of_users(50, 1.0, 5)
    found = local_queries(median, RECORDS[:50], plan)
    assert not found.simulated
    assert "simulated" not in str(found)


def test_a_seed_gives_the_same_again_and_groups_differ(seed: int) -> None:
    one, other = (
        local_queries(median, RECORDS, PLAN, many_at_once=True, rng=seed) for _ in range(2)
    )
    assert one.answers == other.answers
    assert (groups_of(PLAN.users, PLAN, seed) != groups_of(PLAN.users, PLAN, seed + 1)).any()


def test_groups_are_of_different_users(seed: int) -> None:
    groups = groups_of(PLAN.users + 7, PLAN, seed)
    assert groups.shape == (5, PLAN.group_users)
    assert len(np.unique(groups)) == PLAN.users
    with pytest.raises(ParameterError, match="n:"):
        groups_of(PLAN.users - 1, PLAN, seed)


class Watched:
    """A source that counts what is drawn."""

    simulated = True

    def __init__(self) -> None:
        self.drawn = 0

    def fill(self, out: Any) -> None:
        out[:] = self.words(len(out))

    def words(self, count: int) -> Any:
        self.drawn += count
        return np.arange(self.drawn, self.drawn + count, dtype=np.uint64)


@pytest.mark.parametrize(
    ("algorithm", "records", "error", "match"),
    [
        (median, RECORDS[:10], DomainError, f"{PLAN.users} users or more, got 10"),
        (median, 3, DomainError, "a list, a tuple or a numpy array"),
        (median, np.array(3.0), DomainError, "a list, a tuple or a numpy array"),
        (median, pd.Series(RECORDS), DomainError, "a list, a tuple or a numpy array"),
        (lambda: 3, RECORDS, ParameterError, "generator"),
        ([1.0], RECORDS, ParameterError, "generator"),
    ],
)
def test_bad_input_is_named_before_anything_is_drawn(
    algorithm: Any, records: Any, error: type[Exception], match: str
) -> None:
    source: Any = Watched()
    with pytest.raises(error, match=match):
        local_queries(algorithm, records, PLAN, rng=source)
    assert source.drawn == 0


def test_a_query_out_of_bounds_is_named_before_its_reports_are_drawn(seed: int) -> None:
    def asks() -> Generator[Any, Any, None]:
        yield lambda x: x
        yield lambda x: 2 * x

    with pytest.raises(DomainError, match=r"query 1: must have values in -1.0..1.0"):
        local_queries(asks, RECORDS, PLAN, many_at_once=True, rng=seed)


def test_a_session_wants_enough_reports_of_its_mechanism() -> None:
    session = QuerySession(median, PLAN)
    few = PLAN.randomizer.privatize(np.zeros(PLAN.group_users - 1), rng=1)
    with pytest.raises(ReportError, match=f"must be {PLAN.group_users} or more"):
        session.take(few)
    other = LocalQueries(1.0, 5, 0.1).randomizer.privatize(np.zeros(PLAN.group_users), rng=1)
    with pytest.raises(ReportError):
        session.take(other)
    assert session.answers == ()
    assert session.number == 0
    enough = PLAN.randomizer.privatize(np.zeros(PLAN.group_users), rng=1)
    for _ in range(5):
        session.take(enough)
    assert session.question is None
    assert session.result is not None
    with pytest.raises(ParameterError, match="while the algorithm asks"):
        session.take(enough)
