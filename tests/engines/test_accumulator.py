"""Whatever the partitions, batches and trees: the bytes are those of one process."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import AccumulatorPart, Counting, in_tree
from ldp_verified.deploy.engines.columns import report_column
from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.run.mechanisms import GRR, OUE
from tests.deploy.deployed import DEPLOYMENTS, name_of, reports_of

if TYPE_CHECKING:
    from ldp_verified.deploy import Collector

PLAIN = Deployment(GRR(1.0, 5))
ROWS = 12
"""Reports of each example, at most: enough for every tree of several partitions."""


@cache
def sent(deployment: Deployment) -> tuple[bytes, ...]:
    """A dozen real reports, or as many as there are in two batches."""
    batches = [reports_of(deployment.mechanism, first=first) for first in (0, 100)]
    return tuple(each for batch in batches for each in deployment.to_bytes(batch))[:ROWS]


def whole(counting: Counting, reports: list[bytes]) -> bytes:
    """What one process counts, in one batch."""
    return counting.extract(counting.add(counting.create(), reports)).to_bytes()


def counted(counting: Counting, reports: list[bytes], data: st.DataObject) -> Collector:
    """The state of a partition, in batches of any size."""
    state = counting.create()
    ends = sorted(data.draw(st.lists(st.integers(0, len(reports)), max_size=3)))
    for start, end in zip([0, *ends], [*ends, len(reports)], strict=True):
        state = counting.add(state, reports[start:end])
    return state


def merged(counting: Counting, states: list[Collector], data: st.DataObject) -> Collector:
    """The states merged in any tree, each of them moved to another process or not."""
    left = list(states)
    while len(left) > 1:
        first = left.pop(data.draw(st.integers(0, len(left) - 1)))
        second = left.pop(data.draw(st.integers(0, len(left) - 1)))
        both = counting.merge(first, second)
        if data.draw(st.booleans()):
            both = counting.unpack(counting.pack(both))
        left.append(both)
    return left[0]


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
@settings(max_examples=15)
@given(data=st.data())
def test_partitions_and_trees_do_not_show(deployment: Deployment, data: st.DataObject) -> None:
    counting, reports = Counting(deployment), list(sent(deployment))
    shuffled = data.draw(st.permutations(reports))
    places = data.draw(st.lists(st.integers(0, 4), min_size=len(reports), max_size=len(reports)))
    parts: list[list[bytes]] = [[] for _ in range(5)]
    for report, place in zip(shuffled, places, strict=True):
        parts[place].append(report)
    states = [counted(counting, part, data) for part in parts]
    found = counting.extract(merged(counting, states, data))
    assert found.to_bytes() == whole(counting, reports)


@settings(max_examples=30)
@given(
    attempts=st.lists(st.integers(0, 5), max_size=12),
    order=st.randoms(use_true_random=False),
    mark=st.booleans(),
)
def test_a_task_that_ran_again_counts_once(attempts: list[int], order: Any, mark: bool) -> None:
    """Six tasks, each at least once, some several times, in any order."""
    counting, reports = Counting(PLAIN), list(sent(PLAIN))
    tasks = [*range(6), *attempts]
    order.shuffle(tasks)
    parts = (packed(counting, reports[2 * i : 2 * i + 2], f"job/{i}", mark) for i in tasks)
    found = counting.merged(parts)
    assert found.n == len(reports)
    assert (len(found.marks), len(found.batches)) == (6 if mark else 0, 0)
    if not mark:
        assert found.to_bytes() == whole(counting, reports)


def packed(
    counting: Counting, reports: list[bytes], task: str, mark: bool = False
) -> AccumulatorPart:
    return counting.pack(counting.add(counting.create(), reports), task, mark=mark)


def test_attempts_that_differ_are_refused() -> None:
    counting, reports = Counting(PLAIN), list(sent(PLAIN))
    first, second = packed(counting, reports[:2], "7"), packed(counting, reports[:3], "7")
    with pytest.raises(ReplayError, match="drawn twice"):
        counting.merged([first, second])


def test_tasks_without_a_name_all_count() -> None:
    counting, reports = Counting(PLAIN), list(sent(PLAIN))
    assert counting.merged([packed(counting, reports[:2], "")] * 2).n == 4
    with pytest.raises(ParameterError, match="must name the task"):
        packed(counting, reports[:2], "", mark=True)


def test_a_marked_task_is_not_counted_by_another_run() -> None:
    counting, reports = Counting(PLAIN), list(sent(PLAIN))
    runs = [counting.merged([packed(counting, reports[:2], "day 1/7", True)]) for _ in range(2)]
    with pytest.raises(ReplayError, match="counted here"):
        counting.merge(*runs)


def test_a_damaged_part_is_refused() -> None:
    counting = Counting(PLAIN)
    part = packed(counting, list(sent(PLAIN)), "7")
    bad = part.state[:-40] + bytes([part.state[-40] ^ 1]) + part.state[-39:]
    with pytest.raises(ReportError, match="damaged"):
        counting.merged([part._replace(state=bad)])
    other = Counting(Deployment(GRR(1.0, 5), round=1))
    with pytest.raises(ReportError, match="foreign"):
        other.merged([part])


def test_the_whole_is_what_must_be_plausible() -> None:
    """1000 reports of all bits: the chance of one is 1e-3 or less."""
    made = OUE(4.0, 16)
    fakes = made.reports(np.full((1000, 1), (1 << 16) - 1, np.uint64), simulated=False)
    deployment = Deployment(made)
    counting = Counting(deployment)
    column = report_column(deployment.to_rows(fakes))
    parts = [counting.pack(counting.add(counting.create(), column))]
    with pytest.raises(ReportError, match="implausible=True"):
        counting.merged(parts)
    assert counting.merged(parts, implausible=True).n == 1000


def test_it_travels_as_the_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting(PLAIN, simulated=True)
    assert pickle.loads(pickle.dumps(counting)) == copy.deepcopy(counting) == counting
    sent_to_worker = pickle.dumps(counting)
    monkeypatch.setattr(GRR, "law_sha256", "0" * 64)
    with pytest.raises(ReportError, match="law"):
        pickle.loads(sent_to_worker)


@pytest.mark.parametrize("states", [0, 1, 2, 3, 7, 8, 100])
def test_a_tree_holds_few_states(states: int) -> None:
    """Merging pairs of equal size: no state is merged more than log2(n) + 1 times."""
    alive: list[int] = []
    merges = Merges(alive)

    def given() -> Any:
        for _ in range(states):
            alive.append(1)
            yield 0, 1

    depth, size = in_tree(merges, given())
    assert size == states
    assert depth <= states.bit_length()
    assert merges.most <= states.bit_length() + 1


class Merges:
    """States are (depth of the tree, leaves)."""

    def __init__(self, alive: list[int]) -> None:
        self.alive, self.most = alive, 0

    def create(self) -> tuple[int, int]:
        return 0, 0

    def add(self, state: tuple[int, int], batch: object) -> tuple[int, int]:
        raise AssertionError(state, batch)

    def merge(self, first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        self.most = max(self.most, len(self.alive))
        self.alive.pop()
        return max(first[0], second[0]) + 1, first[1] + second[1]

    def extract(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


def test_simulated_reports_are_counted_as_such_only() -> None:
    drawn = [PLAIN.client().report(1, rng=1)]
    with pytest.raises(ReportError, match="simulated"):
        Counting(PLAIN).add(PLAIN.collector(), drawn)
    counting = Counting(PLAIN, simulated=True)
    assert counting.add(counting.create(), drawn).n == 1
    with pytest.raises(ReportError, match="are real"):
        counting.add(counting.create(), list(sent(PLAIN)))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="deployment"):
        Counting(GRR(1.0, 5))  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ParameterError, match="simulated"):
        Counting(PLAIN, 1)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ReportError, match="binaries"):
        Counting(PLAIN).add(PLAIN.collector(), pa.array([1, 2]))
