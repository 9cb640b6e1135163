"""States of tuples: all attributes or none, bytes and back, and labels of attributes."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from ldp_verified import GRR, HalfPlus
from ldp_verified.deploy import Deployment
from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import (
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
    TupleState,
)
from ldp_verified.run.aggregate.state import State
from tests.broken.tuples import AttributeByAttribute

if TYPE_CHECKING:
    from pathlib import Path

SIZES = (("firefox", "chrome", "edge"), 2)
WITH_STATES = (Split, SampleAmongFakes, SampleAmongFakeBits)
PEOPLE = [("firefox", 1)] * 300 + [("edge", 0)] * 200


@pytest.mark.parametrize("kind", WITH_STATES)
def test_a_state_is_saved_merged_and_copied(kind: Any, tmp_path: Path) -> None:
    made = kind(2.0, SIZES)
    state = made.empty(simulated=True).update(made.privatize(PEOPLE, 1), batch="one")
    assert isinstance(state, TupleState)
    assert state.n == 500
    assert repr(state) == "<TupleState of 500 simulated reports on each of 2 attributes>"
    state.save(tmp_path / "state")
    assert made.load(tmp_path / "state") == state
    assert pickle.loads(pickle.dumps(state)) == state
    other = copy.copy(state)
    with pytest.raises(ReplayError):
        state.update(made.privatize(PEOPLE, 2), batch="one")
    state.update(made.privatize(PEOPLE, 2), batch="two")
    assert (state.n, other.n) == (1000, 500)
    with pytest.raises(ReplayError):
        state.merge(other)
    more = made.empty(simulated=True).update(made.privatize(PEOPLE, 3))
    assert state.merge(more).n == 1500
    assert state.estimate(1).n == 1000
    with pytest.raises(ParameterError, match="attribute"):
        state.estimate(2)
    with pytest.raises(ReportError, match="foreign"):
        kind(2.0, (("firefox", "chrome", "opera"), 2)).load(tmp_path / "state")
    with pytest.raises(ReportError, match="3 parts"):
        kind(2.0, (*SIZES, 2)).load(tmp_path / "state")


def half_counted(state: TupleState, made: Split) -> bool:
    """Whether a batch whose second attribute is foreign leaves a trace."""
    first, second = made.privatize(PEOPLE, 1)[0], GRR(3.0, 2).privatize([1] * 500, 1)
    with pytest.raises(ReportError):
        state.update((first, second))
    return any(each.n for each in state)


def test_a_refused_batch_changes_nothing() -> None:
    made = Split(2.0, SIZES)
    assert not half_counted(made.empty(simulated=True), made)
    twin = AttributeByAttribute(made.empty(simulated=True))
    assert half_counted(twin, made)
    state = made.empty(simulated=True)
    first, second = made.privatize(PEOPLE, 1)
    few = made.privatize(PEOPLE[:9], 1)[1]
    for wrong in ((first, few), (first,), first, None, (second, first)):
        with pytest.raises(ReportError):
            state.update(wrong)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ReportError, match="simulated"):
        state.update(made.privatize(PEOPLE))
    with pytest.raises(ReportError, match="TupleState"):
        state.merge(None)  # type: ignore[arg-type]  # what is wrong
    assert state.n == 0


class InterruptError(Exception):
    """Ctrl-C, or no memory left."""


@pytest.mark.parametrize("kind", WITH_STATES)
def test_an_interrupted_batch_changes_nothing(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever call on a part is interrupted, all attributes have as many users."""
    made, interrupted = kind(2.0, SIZES), 0
    for name in ("update", "merge"):
        whole = getattr(State, name)
        for last in range(8):
            state, left = made.empty(simulated=True), [last]
            reports = made.privatize(PEOPLE, 1)

            def stopped(
                *given: Any, whole: Any = whole, left: list[int] = left, **named: Any
            ) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    raise InterruptError
                return whole(*given, **named)

            monkeypatch.setattr(State, name, stopped)
            try:
                state.update(reports, batch="monday")
            except InterruptError:
                interrupted += 1
                assert {each.n for each in state} == {0}
            monkeypatch.undo()
            again = TupleState.from_bytes(state.to_bytes(), made)
            assert again.update(reports, batch="monday", repeated="ignore").n == 500
    assert interrupted > 2


def test_threads_update_and_save_one_state() -> None:
    """Every batch is counted, and what is saved in between has as many users of each attribute."""
    made = Split(2.0, SIZES)
    state, reports = made.empty(simulated=True), made.privatize(PEOPLE, 1)
    saved: list[bytes] = []

    def count() -> None:
        for _ in range(40):
            state.update(reports)
            saved.append(state.to_bytes())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert state.n == 4 * 40 * 500
    assert all(TupleState.from_bytes(each, made).n % 500 == 0 for each in saved)


def test_parts_are_copies() -> None:
    made = Split(2.0, SIZES)
    state = made.empty(simulated=True)
    state[0].update(made.privatize(PEOPLE, 1)[0])
    assert [each.n for each in state] == [0, 0]
    assert len(state) == len(state[0:2]) == 2
    assert state != tuple(state)


@pytest.mark.parametrize("kind", [*WITH_STATES, SampleOne])
def test_attributes_have_labels(kind: Any, seed: int) -> None:
    """Null: the stated errors; 8 sd of 2 counts of 4 schemes: below 1e-13."""
    made = kind(4.0, SIZES)
    assert made.ks == (3, 2)
    state = made.empty(simulated=True).update(made.privatize(PEOPLE * 10, seed))
    found = state.estimate(0)
    assert found.names == ("firefox", "chrome", "edge")
    assert state.estimate(1).names == range(2)
    for label, held in (("firefox", 3000), ("chrome", 0)):
        assert abs(found[label].value - held) < 8 * found[label].std_error
    assert made.influence(0, ["edge"]) == made.influence(0)
    frame = pd.DataFrame(PEOPLE, columns=["browser", "mobile"])
    mine, theirs = (
        made.empty(simulated=True).update(made.privatize(each, 1)) for each in (PEOPLE, frame)
    )
    assert mine.to_bytes() == theirs.to_bytes()
    assert Deployment(made).text != Deployment(kind(4.0, (3, 2))).text
    assert Deployment.from_text(Deployment(made).text).mechanism == made


def test_planted_labels_that_reports_do_not_carry_are_refused() -> None:
    """The reports of one list of labels are not counted under another one."""
    for kind in WITH_STATES:
        made, other = kind(2.0, SIZES), kind(2.0, (SIZES[0][::-1], 2))
        with pytest.raises(ReportError, match="foreign"):
            other.empty(simulated=True).update(made.privatize(PEOPLE, 1))


@pytest.mark.parametrize("kind", [*WITH_STATES, SampleOne])
@pytest.mark.parametrize(
    "values",
    [
        [("opera", 1)],
        [("firefox", 2)],
        [("firefox",)],
        [("firefox", 1, 1)],
        ["firefox"],
        "firefox",
        None,
        [(0, 1)],
        [("firefox", True)],
        np.zeros((3, 2)),
    ],
)
def test_other_values_are_refused_and_not_shown(kind: Any, values: Any) -> None:
    with pytest.raises(DomainError) as error:
        kind(2.0, SIZES).privatize(values)
    assert "opera" not in str(error.value)


@pytest.mark.parametrize(
    "sizes", [(("a", "a"), 2), (("a",), 2), ((1.5, 2), 2), (("a", True), 2), "ab", {"a": 2}, ()]
)
def test_no_such_sizes(sizes: Any) -> None:
    with pytest.raises(ParameterError, match="sizes"):
        Split(1.0, sizes)


def test_no_users_are_no_reports() -> None:
    made = Split(1.0, SIZES)
    assert made.empty(simulated=True).update(made.privatize([], 1)).n == 0


def test_a_table_with_labels_of_its_own_takes_others() -> None:
    made = Split(0.5, (("no", "yes"),), lambda eps, _k: HalfPlus(eps / 4))
    state = made.empty(simulated=True).update(made.privatize([("no",)] * 10, 1))
    assert state.estimate(0).names == ("no", "yes")
