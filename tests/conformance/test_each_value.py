"""Tasks of many values: which are drawn, how often each is asked for, and what is compared."""

from __future__ import annotations

from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance.each_value import (
    LEAST_EACH,
    EachValueSubject,
    EachValueTask,
    different,
    each_value_task,
)
from ldp_verified.check.conformance.results import ConformanceOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence


def subject(agreement: Fraction, count: int = 10**6, own: Fraction = Fraction(0)) -> Any:
    def alike(values: Sequence[int]) -> Any:
        return np.array(values)

    return EachValueSubject(
        "a client", count, different(count), alike, lambda _: agreement, own=own
    )


@pytest.mark.parametrize("count", [1, 5, 20, 1 << 40, 1 << 64, 1 << 128])
def test_different_values_are_drawn(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = different(count)(10, rng)
    assert len({*found}) == len(found) == min(count, 10)
    assert all(0 <= value < count for value in found)
    if count >= 1 << 40:  # 10 values of 2^40 come again with probability below 1e-10
        assert found != different(count)(10, rng)


def test_as_many_values_as_can_be_asked_often_enough() -> None:
    """Rare lies need many answers: of 0.9 it takes 608 pairs until all are equal by e^-64."""
    rng = np.random.default_rng(0)
    for agreement, own, least in (
        (Fraction(1, 10), Fraction(0), LEAST_EACH),
        (Fraction(9, 10), Fraction(0), 2 * 608),
        (Fraction(1, 10), Fraction(9, 10), 608),
    ):
        task = each_value_task(subject(agreement, own=own), 40_000, rng)
        assert len(task.values) == 20_000 // least
        assert task.each == 20_000 // len(task.values)
    assert each_value_task(subject(Fraction(1, 10), 3), 40_000, rng).values == (0, 1, 2)
    assert len(each_value_task(subject(Fraction(1, 10)), 10**8, rng).values) == 1000


def test_the_level_is_exact_and_a_small_run_says_nothing() -> None:
    """All of N pairs are equal with the N-th power of the chance that one is, times the values."""
    task = EachValueTask(subject(Fraction(24, 25)), (3, 5), 1000)
    (found,) = task.run(np.random.default_rng(0), 1e-7, 1e-8)
    assert isclose(found.p_value, 2 * 0.96**500, rel_tol=1e-6)
    assert found.outcome is ConformanceOutcome.REJECTED
    few = EachValueTask(subject(Fraction(24, 25)), (3, 5), 100)
    (found,) = few.run(np.random.default_rng(0), 1e-7, 1e-8)
    assert found.outcome is ConformanceOutcome.INCONCLUSIVE
