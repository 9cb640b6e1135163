"""Every engine does four things with states: create, add, merge, extract.

The result does not depend on how reports were split into partitions and batches, nor on the order
or the tree in which states were merged: it is, bit for bit, that of one process.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from ldp_verified.deploy.collector import Collector
from ldp_verified.deploy.deployment import Deployment
from ldp_verified.deploy.engines.columns import octets
from ldp_verified.deploy.wire import ID_BYTES
from ldp_verified.errors import ParameterError, ReplayError, check_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.deploy.engines.columns import Column

S = TypeVar("S")
B = TypeVar("B", contravariant=True)
E = TypeVar("E", covariant=True)


class Accumulator(Protocol[S, B, E]):
    """A commutative monoid of states S that takes batches B and gives a result E."""

    def create(self) -> S:
        """The state that has seen nothing."""

    def add(self, state: S, batch: B) -> S:
        """The state that has seen a batch, too; it may be the same object, changed."""

    def merge(self, first: S, second: S) -> S:
        """The state that has seen what both have; neither is used any more."""

    def extract(self, state: S) -> E:
        """The result, the same whatever the batches, the order and the tree of merging were."""


class AccumulatorPart(NamedTuple):
    """The state of one task, as it travels.

    Attributes:
        task: the name of what was counted, the same for each attempt at the task; "" where the
            engine gives out no attempt but one and says no name.
        state: what `Counting.pack` gave.
    """

    task: str
    state: bytes


@dataclass(frozen=True)
class Counting:
    """The accumulator of a deployment: columns of its reports add up to a `Collector`.

    It is pickled as the descriptor's text, which the worker reads again: a worker whose program
    finds another law or other thresholds refuses to start.

    Attributes:
        deployment: whose reports are counted.
        simulated: whether they are simulated ones; others are refused.

    Raises:
        ParameterError: no deployment, or no bool.
    """

    deployment: Deployment
    simulated: bool = False

    def __post_init__(self) -> None:
        """Check the types."""
        check_kind("deployment", self.deployment, Deployment)
        check_kind("simulated", self.simulated, bool)

    def __reduce__(self) -> tuple[object, tuple[str, bool]]:
        return _counting, (self.deployment.text, self.simulated)

    @cached_property
    def _width(self) -> int:
        return self.deployment.report_bytes

    def create(self) -> Collector:
        """The collector that has seen nothing."""
        return self.deployment.collector(simulated=self.simulated)

    def add(self, state: Collector, batch: Column) -> Collector:
        """Count a column of reports, in place. A batch that is refused may be counted in part.

        Args:
            state: what is added to.
            batch: an Arrow array of binaries, each a report as `Deployment.to_bytes` writes it; or
                a list of such bytes.

        Raises:
            ReportError: a null, another type, or as `Collector.add_rows`.
        """
        for rows in octets(batch, self._width):
            state.add_rows(rows)
        return state

    def merge(self, first: Collector, second: Collector) -> Collector:
        """The collector that has counted what both have.

        Raises:
            ReportError, ReplayError: as `Collector.merge`.
        """
        return first.merge(second)

    def extract(self, state: Collector) -> Collector:
        """The collector in its one order: equal bytes for equal reports."""
        return state.in_order()

    def pack(self, state: Collector, task: str = "", *, mark: bool = False) -> AccumulatorPart:
        """A state as it travels.

        Args:
            state: of one task. task: the name of what it counted, the same for each attempt.
            mark: whether the task's name goes into the state for good, 16 bytes for each task. Then
                states of different runs cannot count a task twice either, whenever they are merged.

        Raises:
            ParameterError: there is to be a mark, and no name.
        """
        if mark and not task:
            raise ParameterError("task", "must name the task that is to be marked", task)
        marked = state.marked(_mark(task)) if mark else state
        return AccumulatorPart(task, marked.in_order().to_bytes())

    def unpack(self, part: AccumulatorPart) -> Collector:
        """The state of a part. Whether honest reports add up to it is asked of the whole only.

        Raises:
            ReportError: damaged, foreign, or of no reports at all.
        """
        return Collector.from_bytes(part.state, self.deployment, implausible=True)

    def merged(self, parts: Iterable[AccumulatorPart], *, implausible: bool = False) -> Collector:
        """Merge parts in a tree; a task of which several attempts are there is counted once.

        At most log2(number of parts) + 1 states are held at a time, and 32 bytes for each name.

        Args:
            parts: in any order.
            implausible: whether to take what honest reports hardly ever add up to, as in
                `Collector.from_bytes`.

        Raises:
            ReplayError: two attempts at one task differ. The same reports give the same state, so
                the reports were drawn twice, or two tasks have one name.
            ReportError: as `unpack` and `merge`, or the whole is implausible.
        """
        whole = self.extract(in_tree(self, map(self.unpack, _once(parts))))
        return Collector.from_bytes(whole.to_bytes(), self.deployment, implausible=implausible)


def in_tree(accumulator: Accumulator[S, B, E], states: Iterable[S]) -> S:
    """Merge states two by two, those of as many states each, so that few are held at a time.

    Args:
        accumulator: makes and merges states. states: any number, read once.

    Returns:
        One state; one that has seen nothing if there are none.
    """
    held: list[tuple[int, S]] = []
    for state in states:
        size, whole = 1, state
        while held and held[-1][0] == size:
            whole = accumulator.merge(held.pop()[1], whole)
            size *= 2
        held.append((size, whole))
    if not held:
        return accumulator.create()
    _, whole = held.pop()
    while held:
        whole = accumulator.merge(held.pop()[1], whole)
    return whole


def _once(parts: Iterable[AccumulatorPart]) -> Iterator[AccumulatorPart]:
    """Parts without what is another attempt at the task of one before."""
    known: dict[str, bytes] = {}
    for part in parts:
        digest = hashlib.sha256(part.state).digest()
        if part.task in known:
            if known[part.task] != digest:
                rule = "has two attempts that differ: its reports were drawn twice, or another task"
                raise ReplayError("task", f"{rule} has its name", part.task)
            continue
        if part.task:
            known[part.task] = digest
        yield part


def _counting(text: str, simulated: bool) -> Counting:
    return Counting(Deployment.from_text(text), simulated)


def _mark(task: str) -> bytes:
    return hashlib.sha256(b"ldp_verified task " + task.encode()).digest()[:ID_BYTES]
