from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from benchmarks.workload import Case, measure, values

if TYPE_CHECKING:
    from numpy.typing import NDArray

K = 8


def count(reports: list[int]) -> NDArray[np.float64]:
    return np.bincount(reports, minlength=K).astype(np.float64)


def truth(held: NDArray[np.int64]) -> list[int]:
    return list(map(int, held))


CASE = Case("truth", 500, K, truth, count)


def test_values_cover_the_domain_and_half_of_them_are_zero() -> None:
    held = values(10_000, K)
    assert set(held.tolist()) == set(range(K))
    assert (held == 0).sum() > 5000
    np.testing.assert_array_equal(held, values(10_000, K))


def test_each_stage_is_timed_once_per_user() -> None:
    asked: list[Any] = []

    def client(held: NDArray[np.int64]) -> list[int]:
        asked.append(len(held))
        return truth(held)

    def single(value: int) -> int:
        asked.append(value)
        return value

    timings = measure(replace(CASE, client=client, single=single, warm_up=3, singles=20))
    assert asked[:2] == [3, 500]
    assert len(asked) == 2 + 1 + 20
    assert [(each["stage"], each["users"]) for each in timings] == [
        ("client", 500),
        ("server", 500),
        ("single", 20),
    ]


def test_estimates_that_do_not_fit_the_data_are_no_timing() -> None:
    with pytest.raises(RuntimeError, match="do not fit the data"):
        measure(replace(CASE, server=lambda reports: count(reports)[::-1].copy()))
    with pytest.raises(RuntimeError, match="do not fit the data"):
        measure(replace(CASE, server=lambda reports: count(reports)[:4]))
