"""Threads share out values and reports; what they give does not depend on how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import CMS, GRR, OLH, OUE
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.run.aggregate import reports as shares
from ldp_verified.run.aggregate.reports import Reports, split
from ldp_verified.run.kernels import threads

if TYPE_CHECKING:
    from ldp_verified.run.realize.randomizer import Randomizer

MECHANISMS = [GRR(1.0, 50), OUE(1.0, 70), OLH(1.0, 50), CMS(1.0, 50, 16, 8)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "LEAST_PART_BYTES", 64)
    monkeypatch.setattr(threads, "LEAST_WORDS", 10)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: type(each).__name__)
def test_the_state_is_the_same_with_any_number_of_threads(mechanism: Randomizer, seed: int) -> None:
    batches = [mechanism.privatize(np.arange(n) % 50, seed + n) for n in (0, 1, 999, 5000)]
    expected = mechanism.aggregate(batches, simulated=True)
    assert (expected.n, expected.simulated) == (6000, True)
    for many in (2, 3, 7):
        assert mechanism.aggregate(iter(batches), many, simulated=True) == expected
        last = mechanism.aggregate(batches[-1], simulated=True)
        assert mechanism.aggregate(batches[-1], many, simulated=True) == last


def test_parts_are_all_rows_in_order() -> None:
    reports = OUE(1.0, 70).privatize(np.zeros(300_000, dtype=np.int64), 5)
    parts = split(reports, 70, 2)
    assert [len(part) for part in parts] == [150_000] * 2, "2 MiB each, though there might be four"
    assert [len(part) for part in split(reports, 9_000, 4)] == [150_000] * 2
    assert [len(part) for part in split(reports, 25_000, 2)] == [300_000], "eight for each counter"
    assert len(split(reports, 70, 1)) == len(split(reports, 10**6, 2)) == 1
    assert all(part.simulated and part.identity == reports.identity for part in parts)
    np.testing.assert_array_equal(np.concatenate([part.data for part in parts]), reports.data)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("many", [1, 3])
def test_foreign_and_damaged_reports_are_refused(many: int) -> None:
    mechanism = GRR(1.0, 50)
    good = mechanism.privatize(np.zeros(5000, dtype=np.int64))
    assert mechanism.aggregate([good, good], many).n == 10_000
    wrong = good.data.copy()
    wrong[4321] = 50
    cases: list[Any] = [Reports(wrong, good.identity), OUE(1.0, 50).privatize([1]), 5]
    for bad in cases:
        with pytest.raises(ReportError):
            mechanism.aggregate([good, bad], many)


@pytest.mark.parametrize("many", [0, -1, 1.0, True, "2"])
def test_threads_are_a_positive_integer(many: Any) -> None:
    with pytest.raises(ParameterError, match="threads"):
        GRR(1.0, 5).aggregate([], many)
    with pytest.raises(ParameterError, match="threads"):
        GRR(1.0, 5).privatize_in_threads([1], many)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("dtype", [np.int16, np.int64, ">i8"])
@pytest.mark.parametrize("place", [0, 77, 99])
@pytest.mark.parametrize("value", [-1, 50])
def test_a_value_out_of_the_domain_is_found_by_its_place(
    place: int, value: int, dtype: Any
) -> None:
    held = np.zeros(100, dtype=dtype)
    held[place] = value
    with pytest.raises(DomainError, match=rf"values\[{place}\]"):
        GRR(1.0, 50).privatize_in_threads(held, 3)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("values", [[[1, 2]] * 20, [0.5] * 20, [True] * 20, ["a"] * 20])
def test_threads_take_no_more_than_one_thread(values: Any) -> None:
    with pytest.raises(DomainError):
        GRR(1.0, 50).privatize_in_threads(np.array(values), 3)


@pytest.mark.usefixtures("small")
def test_labels_and_lists_are_taken_too() -> None:
    named = GRR(40.0, 3, categories=["a", "b", "c"])
    held = ["c", "a", "b"] * 20
    assert named.privatize_in_threads(held, 2).data.tolist() == [2, 0, 1] * 20
    plain = GRR(40.0, 3)
    for values in ([2, 0, 1] * 20, np.array([2, 0, 1] * 20, dtype=np.uint8)):
        assert plain.privatize_in_threads(values, 2).data.tolist() == [2, 0, 1] * 20
    with pytest.raises(DomainError, match=r"values\[4\]"):
        plain.privatize_in_threads([0, 0, 0, 0, 3], 2)
