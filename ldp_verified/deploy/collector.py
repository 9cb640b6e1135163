"""The server's side of a deployment: bytes in, counts and estimates out."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.deploy.wire import ID_BYTES
from ldp_verified.errors import ParameterError, ReplayError, ReportError, check_kind, size_or_type
from ldp_verified.protocols.rappor_decoding import KnownDomain
from ldp_verified.protocols.rappor_state import RapporState
from ldp_verified.protocols.sampled import SampledState
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.aggregate.origin import REPEATED, ReportOrigin
from ldp_verified.run.aggregate.saved import Saved, named_made
from ldp_verified.run.aggregate.serial import (
    flag_of,
    integers_of,
    list_of,
    split,
    unwrap,
    wrap,
)
from ldp_verified.run.aggregate.shared import Turns

if TYPE_CHECKING:
    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.deploy.wire import Given, Octets, WireBatch


class _Seen(NamedTuple):
    """The content of a collector at a moment; its states are copies."""

    state: Any
    batches: frozenset[bytes]
    marks: frozenset[bytes]
    n: int


class Collector(Saved):
    """Counts what has been received so far. Threads may share one: every report is counted, once.

    Args:
        deployment: whose reports are counted.
        simulated: whether simulated ones are, and no others; they are refused otherwise.
    """

    def __init__(self, deployment: Deployment, *, simulated: bool = False) -> None:
        check_kind("simulated", simulated, bool)
        self.deployment = deployment
        self.simulated = simulated
        self._turns = Turns()
        self._hold(_Seen(deployment.format.empty(simulated), frozenset(), frozenset(), 0))

    def __reduce__(self) -> tuple[object, tuple[bytes, type[Deployment], str]]:
        # A copy, and what is read from a pickle, is checked as any state is.
        return _restored, (self.to_bytes(), type(self.deployment), self.deployment.text)

    def _hold(self, seen: _Seen) -> None:
        self._state, self._n = seen.state, seen.n
        self._batches, self._marks = set(seen.batches), seen.marks

    def _now(self) -> _Seen:
        with self._turns.taken():
            state = self._state
            copied = tuple(map(copy, state)) if isinstance(state, tuple) else copy(state)
            return _Seen(copied, frozenset(self._batches), self._marks, self._n)

    @property
    def n(self) -> int:
        """Return the number of reports that were counted."""
        return self._n

    @property
    def state(self) -> Any:
        """The state of the mechanism, a copy; a tuple of them where each attribute has one."""
        return self._now().state

    @property
    def batches(self) -> frozenset[bytes]:
        """The ids of the batches that were counted, which those who sent them chose."""
        return self._now().batches

    @property
    def marks(self) -> frozenset[bytes]:
        """The marks of `marked`, which the server chose: no batch can have one as its id."""
        return self._marks

    def add(self, data: Given, repeated: str = "refuse") -> int:
        """Count a report, or a batch: all of it or nothing.

        Args:
            data: what a client sent: bytes of either form, or JSON.
            repeated: what happens to a batch whose id was counted already: "refuse" raises,
                "ignore" counts nothing. Single reports have no id.

        Returns:
            Return the number of reports that were counted.

        Raises:
            ReportError: malformed, damaged, foreign, or simulated where that was not asked for (or
                the other way round).
            ReplayError: the batch was counted already.
            ParameterError: `repeated` is something else.
        """
        if repeated not in REPEATED:
            raise ParameterError("repeated", f"must be one of {', '.join(REPEATED)}", repeated)
        return self._count(*self.deployment.read(data), repeated)

    def add_report(self, data: Given) -> int:
        """Count one report, and never a batch, whose size and id whoever sends it may choose.

        Args:
            data: what one client sent: bytes, or JSON.

        Returns:
            Return 1.

        Raises:
            ReportError: as in `add`, or a batch.
        """
        return self._count(*self.deployment.read(data, single=True), "refuse")

    def add_rows(self, rows: Octets) -> int:
        """Count many single reports at once: all of them or none.

        Args:
            rows: uint8 (n, bytes of a report), as `Deployment.to_rows` gives them: a column of a
                table. None are counted where n is 0.

        Returns:
            Return n.

        Raises:
            ReportError: as in `add`, of any row.
        """
        if isinstance(rows, np.ndarray) and rows.ndim and not len(rows):
            return 0
        return self._count(*self.deployment.of_rows(rows), "refuse")

    def _count(self, reports: Any, batch: WireBatch, repeated: str) -> int:
        ReportOrigin(self.simulated).refuse_other_kind(batch.simulated)
        with self._turns.taken():
            if batch.id in self._batches:
                if repeated == "refuse":
                    raise ReplayError("batch", "was counted already", batch.id.hex())
                return 0
            self._state = self.deployment.format.counted(self._state, reports)
            if batch.id:
                self._batches.add(batch.id)
            self._n += len(batch.payload)
        return len(batch.payload)

    def merge(self, other: Collector) -> Collector:
        """A new collector that has counted what both have.

        Args:
            other: a state of the same deployment.

        Raises:
            ReportError: the other is none, or of another deployment; or one is for simulated and
                one for real reports.
            ReplayError: both counted one batch, or have one mark, and would count it twice.
        """
        if not isinstance(other, Collector) or other.deployment.digest != self.deployment.digest:
            raise ReportError("other", "must be a collector of the same deployment", type(other))
        mine, theirs = self._now(), other._now()
        both = mine.batches & theirs.batches or mine.marks & theirs.marks
        if both or self is other:
            shown = min(both).hex() if both else "all of them"
            raise ReplayError("other", "has counted a batch that is counted here", shown)
        ReportOrigin(self.simulated).refuse_other_kind(other.simulated)
        merged = Collector(self.deployment, simulated=self.simulated)
        state = self.deployment.format.merged(mine.state, theirs.state)
        batches, marks = mine.batches | theirs.batches, mine.marks | theirs.marks
        merged._hold(_Seen(state, batches, marks, mine.n + theirs.n))
        return merged

    def marked(self, mark: bytes) -> Collector:
        """A new collector with a mark for all that was counted so far.

        Whoever merges two collectors with one mark is refused: the same was counted twice. Marks
        are kept apart from the ids of batches, so that no client can send the mark of a server.

        Args:
            mark: 16 bytes, such as the first of a hash of a task's name.

        Raises:
            ParameterError: it has another length.
            ReplayError: it is there already.
        """
        if not isinstance(mark, bytes) or len(mark) != ID_BYTES:
            raise ParameterError("mark", f"must be {ID_BYTES} bytes", size_or_type(mark, bytes))
        seen = self._now()
        if mark in seen.marks:
            raise ReplayError("mark", "was counted already", mark.hex())
        found = Collector(self.deployment, simulated=self.simulated)
        found._hold(seen._replace(marks=seen.marks | {mark}))
        return found

    def in_order(self) -> Collector:
        """A new collector whose bytes do not depend on the order in which reports came.

        States that keep their reports have them sorted; all others are sums, and as they were.
        """
        seen = self._now()
        states = seen.state if isinstance(seen.state, tuple) else (seen.state,)
        ordered = tuple(
            each.in_order() if isinstance(each, KeptReports) else each for each in states
        )
        found = Collector(self.deployment, simulated=self.simulated)
        state = ordered if isinstance(seen.state, tuple) else ordered[0]
        found._hold(seen._replace(state=state))
        return found

    def to_bytes(self) -> bytes:
        """The collector as bytes: kind "collector"; states, ids of batches, and marks."""
        seen = self._now()
        states = seen.state if isinstance(seen.state, tuple) else (seen.state,)
        ids = b"".join([*sorted(seen.batches), *sorted(seen.marks)])
        parts = [*(state.to_bytes() for state in states), ids]
        header: dict[str, Any] = {
            "deployment": self.deployment.digest.hex(),
            "n": seen.n,
            "simulated": self.simulated,
            "lengths": list(map(len, parts)),
        }
        if ids:
            header["marks"] = len(seen.marks)
        return wrap("collector", header, b"".join(parts))

    @classmethod
    def from_bytes(cls, data: bytes, made: Deployment, *, implausible: bool = False) -> Collector:
        """The collector that `to_bytes` was called on.

        Args:
            data: what it gave. made: the deployment.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`. ParameterError: `made` is no deployment.
        """
        digest = named_made(made, "digest", bytes)
        header, body = unwrap("collector", data)
        if header.get("deployment") != digest.hex():
            raise ReportError("data", "is foreign: of another deployment")
        (n,) = integers_of(header, "n")
        found = cls(made, simulated=flag_of(header))
        *texts, listed = split(body, list_of(header, "lengths")) or [b""]
        state = made.format.restored(texts, implausible=implausible)
        if "marks" in header:
            (number,) = integers_of(header, "marks")
            start = len(listed) - ID_BYTES * number
            if not 0 <= start <= len(listed):
                raise ReportError("data", "must list as many marks as it says", number)
            batches, marks = _ids_of(listed[:start]), _ids_of(listed[start:])
        else:  # an older state: an id may be of either kind, and stands for both
            batches = marks = _ids_of(listed)
        states = state if isinstance(state, tuple) else (state,)
        if {made.format.reports_in(each) for each in states} != {n}:
            raise ReportError("data", f"must hold states of n = {n} reports")
        if any(each.simulated is not found.simulated for each in states):
            raise ReportError("data", "holds other reports than it says that it counts")
        found._hold(_Seen(state, batches, marks, n))
        return found

    def estimate(self, values: Any = None) -> Any:
        """Return what the protocol estimates; a tuple where each attribute has an estimate.

        Args:
            values: candidates, where the domain is one that nobody can list; for RAPPOR all strings
                that users can hold; else None.

        Raises:
            ParameterError: this kind of state has other methods: see `state`; or `values` is left
                out where candidates are needed, or given where they are not.
            DomainError, ReportError: as the state's `estimate`.
        """
        state = self.state
        if isinstance(state, KeptReports):
            if values is None:
                rule = "must be candidates to be counted: nobody can list this domain"
                raise ParameterError("values", f"{rule}, see the methods of `state`")
            return state.estimate(values)
        if isinstance(state, RapporState):
            if values is None:
                rule = "must be the strings that users can hold: no estimate is made without them"
                raise ParameterError("values", rule)
            return KnownDomain(self.deployment.mechanism, values).decode(state)
        if values is not None:
            raise ParameterError("values", "must be left out: all values are counted")
        if isinstance(state, tuple):
            return tuple(each.estimate() for each in state)
        if isinstance(state, SampledState):
            return tuple(map(state.estimate, range(len(state.scheme.parts))))
        own = getattr(self.deployment.mechanism, "estimate", None)
        if (
            own is not None
        ):  # of items without the dummies, of values and not of all nodes of a tree
            return own(state)
        if not hasattr(state, "estimate"):
            raise ParameterError("state", "has no estimate of its own", type(state))
        return state.estimate()


def _ids_of(listed: bytes) -> frozenset[bytes]:
    """Return the ids that stand in a state one after the other.

    Raises:
        ReportError: one stands twice, is cut short, or is out of order.
    """
    ids = [listed[i : i + ID_BYTES] for i in range(0, len(listed), ID_BYTES)]
    if ids != sorted(set(ids)) or len(listed) % ID_BYTES:
        raise ReportError("data", "must list ids of batches, and marks, once each and in order")
    return frozenset(ids)


def _restored(data: bytes, kind: type[Deployment], text: str) -> Collector:
    return Collector.from_bytes(data, kind.from_text(text), implausible=True)
