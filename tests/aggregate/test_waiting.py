"""Reports that come one by one: what is taken without a closer look is valid, and counted once."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import (
    CMS,
    GRR,
    OLH,
    OUE,
    PGR,
    SUE,
    HadamardResponse,
    HashCohorts,
    SubsetSelection,
)
from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import State
from ldp_verified.run.aggregate.layouts import BitLayout, Indexed, OutputLayout
from ldp_verified.run.aggregate.waiting import LEAST_ROWS, WaitingReports, quick_look

if TYPE_CHECKING:
    from collections.abc import Callable

MADE: list[Any] = [
    *(GRR(1.0, 5), GRR(1.0, 300), OUE(1.0, 64), SUE(1.0, 70), OLH(1.0, 40), OLH(1.0, 40, g=300)),
    *(HadamardResponse(1.0, 5), PGR(2.0, 30), SubsetSelection(1.0, 70), HashCohorts(1.0, 40)),
]


def changed(data: Any) -> list[Any]:
    """Arrays that differ from one report in one thing."""
    wide = data.astype(np.int64) if data.dtype != np.uint64 else data.astype(np.float64)
    found = [data[:0], np.concatenate([data, data]), data[0], data[np.newaxis], wide]
    for value in (0, 1, 255, 2**16 - 1, 2**63, 2**64 - 1):
        if value <= np.iinfo(data.dtype).max:
            for place in {(0,) * data.ndim, (0,) * (data.ndim - 1) + (-1,)}:
                other = data.copy()
                other[place] = value
                found.append(other)
    return [*found, data.astype(data.dtype.newbyteorder())]


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_what_a_quick_look_admits_is_valid_and_all_real_reports_are_admitted(made: Any) -> None:
    look = quick_look(made.layout)
    assert look is not None
    for value in range(min(made.k, 20)):
        data = made.privatize(value).data
        assert look(data) == data.tobytes()
    refused = 0
    for data in changed(made.privatize(0).data):
        if look(data):
            assert made.layout.check(data) is data or made.layout.check(data).tolist()
            assert len(data) == 1
        else:
            refused += 1
    assert refused >= 6


@dataclass(frozen=True)
class Choosy(OutputLayout):
    """Refuses zeros."""

    def check(self, data: object) -> Any:
        array = super().check(data)
        if not np.all(array):
            raise ReportError("reports", "must not be 0")
        return array


@dataclass(frozen=True)
class ChoosyBits(BitLayout):
    """Refuses all of them."""

    def check(self, data: object) -> Any:
        raise ReportError("reports", "must be others", type(data))


def test_a_layout_with_a_check_of_its_own_has_no_quick_look() -> None:
    for layout in (Choosy(3, 3), ChoosyBits(64), CMS(1.0, 9, 2, 4).layout):
        assert not isinstance(layout, Indexed) or type(layout).check is not Indexed.check
        assert quick_look(layout) is None
        waiting = WaitingReports(layout)
        assert waiting.room == 0
        assert not waiting.admits(np.zeros(1, np.uint8))


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_one_by_one_is_all_at_once(made: Any) -> None:
    reports = made.privatize(np.arange(50) % made.k)
    state = made.empty()
    for place, row in enumerate(reports.data):
        state.update(made.reports(row[np.newaxis], simulated=False))
        assert state.n == place + 1 + 50 * (place > 20)
        if place == 20:
            state.update(reports)
    assert state == made.aggregate([reports, reports])
    assert repr(state) == repr(made.aggregate([reports, reports]))


def test_more_reports_than_may_wait_are_counted() -> None:
    made = GRR(1.0, 4)
    reports = [made.privatize(v) for v in range(4)]
    state, n = made.empty(), 3 * LEAST_ROWS + 7
    for place in range(n):
        state.update(reports[place % 4])
    assert state.n == n
    assert state.counts.sum() == n
    counted = made.aggregate(reports[place % 4] for place in range(n))
    assert state == counted


def test_a_report_that_waits_is_a_copy() -> None:
    made = GRR(1.0, 4)
    said = np.array([1], np.uint8)
    reports = made.privatize(0)
    object.__setattr__(reports, "data", said)
    state = made.empty().update(reports)
    said[0] = 3
    assert state.counts.tolist() == [0, 1, 0, 0]


def test_what_may_not_be_counted_does_not_wait() -> None:
    made, other = GRR(1.0, 4), GRR(1.0, 5)
    state = made.empty()
    for wrong in (other.privatize(0), made.privatize(0, rng=1)):
        with pytest.raises(ReportError):
            state.update(wrong)
    bad = made.privatize(0)
    object.__setattr__(bad, "data", np.array([4], np.uint8))
    with pytest.raises(ReportError):
        state.update(bad)
    assert state.n == 0
    full = State(made.oracle, 2**63 - 1, np.array([2**63 - 1, 0, 0, 0]))
    with pytest.raises(ReportError, match="more than 2"):
        full.update(made.privatize(0))


@pytest.mark.parametrize("made", MADE, ids=repr)
@pytest.mark.parametrize("failing", [KeyboardInterrupt, MemoryError])
def test_what_waits_is_still_there_where_counting_was_broken_off(
    made: Any, failing: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = made.privatize(np.arange(5) % made.k)
    state = made.empty()
    for row in reports.data[:4]:
        state.update(made.reports(row[np.newaxis], simulated=False))

    def broken(*_: Any) -> Any:
        raise failing

    with monkeypatch.context() as breaking:
        breaking.setattr(type(made.layout), "count", broken)
        with pytest.raises(failing) as caught:
            _ = state.counts
    assert caught.tb is not None
    assert state.n == 4
    # The traceback holds all that was looked at meanwhile, and keeps nobody from adding to it.
    state.update(made.reports(reports.data[4:], simulated=False))
    assert state == made.aggregate(reports)


def test_threads_lose_no_report() -> None:
    made = GRR(1.0, 3)
    state, reports = made.empty(), [made.privatize(v) for v in range(3)]

    def send() -> None:
        for place in range(3000):
            state.update(reports[place % 3])
            if place % 500 == 0:
                assert state.counts.sum() <= 12_000

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.n == state.counts.sum() == 12_000


class Unlocked:
    """`cached_property` as it is from Python 3.12 on: two threads may both make the value."""

    def __init__(self, made: Callable[[Any], Any], name: str) -> None:
        self._made, self._name = made, name

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        vars(instance)[self._name] = found = self._made(instance)
        return found


def test_threads_that_come_first_together_share_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is made twice is kept once: each thread waits until the other makes one, too."""
    for name, held in list(vars(State).items()):
        if isinstance(held, cached_property):
            monkeypatch.setattr(State, name, Unlocked(held.func, name))
    made = OUE(1.0, 64)
    state, reports = made.empty(), [made.privatize(v) for v in (3, 60)]
    both = threading.Barrier(2)
    plain = WaitingReports.__init__

    def together(self: WaitingReports, layout: Any) -> None:
        plain(self, layout)
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(timeout=10)  # nobody else comes where a lock keeps them out

    with monkeypatch.context() as slowed:
        slowed.setattr(WaitingReports, "__init__", together)
        threads = [threading.Thread(target=state.update, args=(each,)) for each in reports]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = np.concatenate([each.data for each in reports])
    assert state.counts.tolist() == made.layout.count(rows).tolist()
