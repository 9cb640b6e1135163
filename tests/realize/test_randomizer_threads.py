"""Threads share out values and reports; what they give does not depend on how many there are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import CMS, GRR, OLH, OUE
from ldp_verified.aggregate import reports as shares
from ldp_verified.aggregate.reports import Reports, split
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.kernels.threads import Team
from ldp_verified.realize import values as encoding

if TYPE_CHECKING:
    from ldp_verified.realize.randomizer import Randomizer

MECHANISMS = [GRR(1.0, 50), OUE(1.0, 70), OLH(1.0, 50), CMS(1.0, 50, 16, 8)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "LEAST_PART_BYTES", 64)
    monkeypatch.setattr(encoding, "LEAST_SHARED", 10)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_the_state_is_the_same_with_any_number_of_threads(mechanism: Randomizer, seed: int) -> None:
    batches = [mechanism.privatize(np.arange(n) % 50, seed + n) for n in (0, 1, 999, 5000)]
    expected = mechanism.aggregate(batches)
    assert (expected.n, expected.simulated) == (6000, True)
    for threads in (2, 3, 7):
        assert mechanism.aggregate(iter(batches), threads) == expected
        assert mechanism.aggregate(batches[-1], threads) == mechanism.aggregate(batches[-1])


def test_parts_are_all_rows_in_order() -> None:
    reports = OUE(1.0, 70).privatize(np.zeros(300_000, dtype=np.int64), 5)
    parts = split(reports, 70, 2)
    assert len(parts) == 3, "2 MiB each, though there might be four"
    assert len(split(reports, 200_000, 2)) == 2, "a part has no fewer reports than counters"
    assert len(split(reports, 70, 1)) == len(split(reports, 10**6, 2)) == 1
    assert all(part.simulated and part.identity == reports.identity for part in parts)
    np.testing.assert_array_equal(np.concatenate([part.data for part in parts]), reports.data)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("threads", [1, 3])
def test_foreign_and_damaged_reports_are_refused(threads: int) -> None:
    mechanism = GRR(1.0, 50)
    good = mechanism.privatize(np.zeros(5000, dtype=np.int64), 1)
    wrong = good.data.copy()
    wrong[4321] = 50
    cases: list[Any] = [Reports(wrong, good.identity), OUE(1.0, 50).privatize([1]), 5]
    for bad in cases:
        with pytest.raises(ReportError):
            mechanism.aggregate([good, bad], threads)


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, "2"])
def test_threads_are_a_positive_integer(threads: Any) -> None:
    with pytest.raises(ParameterError, match="threads"):
        GRR(1.0, 5).aggregate([], threads)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("place", [0, 77, 99])
@pytest.mark.parametrize("value", [-1, 50])
def test_a_value_out_of_the_domain_is_found_by_its_place(place: int, value: int) -> None:
    held = np.zeros(100, dtype=np.int16)
    held[place] = value
    with pytest.raises(DomainError, match=rf"values\[{place}\]"):
        GRR(1.0, 50).privatize_in_threads(held, 3)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("values", [[[1, 2]] * 20, [0.5] * 20, [True] * 20, ["a"] * 20])
def test_threads_take_no_more_than_one_thread(values: Any) -> None:
    with pytest.raises(DomainError):
        GRR(1.0, 50).privatize_in_threads(np.array(values), 3)


def test_a_team_does_everything_once_and_is_used_again() -> None:
    done: list[int] = []
    with Team(3) as team:
        for _ in range(5):
            team.each(done.append, range(40))
            team.each(done.append, [])
    assert sorted(done) == sorted(list(range(40)) * 5)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_ends_the_work(threads: int) -> None:
    done: list[int] = []

    def work(item: int) -> None:
        if item == 3:
            raise ValueError("three")
        time.sleep(0.001 * (item > 3))
        done.append(item)

    with Team(threads) as team:
        with pytest.raises(ValueError, match="three"):
            team.each(work, range(100_000))
        assert len(done) < 50_000, "what waited is not begun"
        assert 3 not in done
        team.each(done.append, [3])
    assert 3 in done
