"""The server's state: a few integers that add up. A commutative monoid under `merge`, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import Honesty, honesty
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.listed import Listed, check_values
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.origin import (
    MOST_REPORTS,
    HasOrigin,
    ReportOrigin,
    check_number,
    checked_total,
)
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.aggregate.saved import Saved
from ldp_verified.run.aggregate.serial import Contents, pack, unpack
from ldp_verified.run.aggregate.shared import MadeOnce, Shared
from ldp_verified.run.aggregate.sketch_oracles import SummedSketch
from ldp_verified.run.aggregate.waiting import WaitingReports
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import Oracle
    from ldp_verified.run.kernels.look_ups import Told

LARGEST_COUNTERS = 1 << 28
"""Counters of a state, at most: larger domains are for heavy hitters, not for a table of counts."""

_PLENTY = MOST_REPORTS // 2
"""Reports of a state that lets no more wait: those that come are added up one by one."""

_OF_ORACLES = ("layout", "labels", "no_estimator", "implausible")


class _Seen(NamedTuple):
    """The content of a state.

    `n` and `counts` are without the reports that wait to be counted. Their bytes are `waiting`, the
    only part that changes in place: a thread that has its turn adds a report at the end, until
    another content replaces this one.
    """

    n: int
    counts: NDArray[np.int64]
    origin: ReportOrigin
    waiting: bytearray


class State(HasOrigin[_Seen], Saved):
    """The number of reports seen, and how many of them support each value (or are each output).

    Two states of the same identity merge into what one state would hold after all the reports of
    both, in any order. Threads may update one state together: every batch is counted, once.

    Args:
        oracle: the one whose reports are counted.
        n: reports seen so far.
        counts: the layout's counters so far, shape (counters,), integers in 0..n; None for zeros.
            Copied.
        simulated: whether the reports are simulated ones, those so far and those to come.
        batches: the ids of the batches seen so far.

    Raises:
        ParameterError: an argument is not of that shape or range, or there would be more than 2^28
            counters.
    """

    def __init__(
        self,
        oracle: Oracle,
        n: int = 0,
        counts: NDArray[np.integer[Any]] | None = None,
        simulated: bool = False,
        batches: frozenset[str] = frozenset(),
    ) -> None:
        if not is_integer(n):
            raise ParameterError("n", "must be an integer in 0..2^63-1", n)
        check_number(int(n))
        _check_oracle(oracle)
        origin = ReportOrigin.checked(simulated, batches)
        if oracle.layout.counters > LARGEST_COUNTERS:
            rule = (
                "must leave at most 2^28 counters (2 GiB) to be aggregated here; a KeptState keeps "
                f"the reports instead; k = {oracle.k}"
            )
            raise ParameterError("k", rule, oracle.layout.counters)
        if counts is None:
            support = np.zeros(oracle.layout.counters, dtype=np.int64)
        else:
            plain = isinstance(counts, np.ndarray) and not isinstance(counts, np.ma.MaskedArray)
            if not plain or counts.dtype.kind not in "iu":
                raise ParameterError("counts", "must be an integer array", type(counts))
            if counts.shape != (oracle.layout.counters,):
                rule = f"must have shape ({oracle.layout.counters},)"
                raise ParameterError("counts", rule, counts.shape)
            if int(counts.min()) < 0 or int(counts.max()) > n:
                raise ParameterError("counts", f"must lie in 0..n = 0..{n}")
            support = counts.astype(np.int64)
        impossible = oracle.layout.impossible(int(n), support)
        if impossible is not None:
            raise ParameterError("counts", impossible)
        self._oracle = oracle
        self._seen = Shared(_Seen(int(n), _frozen(support), origin, bytearray()))

    @MadeOnce
    def _waiting(self) -> WaitingReports:
        return WaitingReports(self._oracle.layout)

    @property
    def _now(self) -> _Seen:
        """The content, with every report counted."""
        seen = self._seen.now
        return self._seen.change(self._all_counted) if seen.waiting else seen

    def _all_counted(self, seen: _Seen) -> _Seen:
        if not seen.waiting:
            return seen
        rows = self._waiting.reports(seen.waiting)
        counted = self._oracle.layout.count(rows)
        counts = np.add(seen.counts, counted, out=counted)
        return _Seen(seen.n + len(rows), _frozen(counts), seen.origin, bytearray())

    @property
    def oracle(self) -> Oracle:
        """The oracle whose reports are counted."""
        return self._oracle

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self._oracle.identity

    @property
    def n(self) -> int:
        """The number of reports seen."""
        seen = self._seen.now
        return seen.n + len(seen.waiting) // self._waiting.size

    @property
    def counts(self) -> NDArray[np.int64]:
        """The layout's counters, int64: support counts of the k values, or counts of outputs.

        Read-only, as they are at this moment: later updates do not change them.
        """
        return self._now.counts

    def update(self, reports: Reports, batch: str | None = None, repeated: str = "refuse") -> State:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

        Args:
            reports: what is added.
            batch: an id of the batch, a text of up to 64 characters; None for a batch without one.
            repeated: what happens if that id was counted before: "refuse" raises, "ignore" counts
                nothing.

        Raises:
            ReportError: the reports belong to another mechanism, parameters, law or thresholds, do
                not fit the layout, or are simulated and those of the state are not, or the other
                way round.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """
        if batch is None and repeated == "refuse" and self._let_wait(reports):
            return self
        check_batch(self.identity, reports)
        counted = self._oracle.layout.tally(reports.data)

        def with_batch(seen: _Seen) -> _Seen:
            seen = self._all_counted(seen)
            origin = seen.origin.joined(reports.simulated, len(reports), batch, repeated)
            if origin is None:
                return seen
            total = checked_total(seen.n, len(reports))
            # The batch's own array: a state of many counters is not held a third time.
            counts = np.add(seen.counts, counted, out=counted)
            return _Seen(total, _frozen(counts), origin, bytearray())

        self._seen.change(with_batch)
        return self

    def _let_wait(self, reports: Reports) -> bool:
        """Take one report to be counted with others; False if a closer look is due."""
        if type(reports) is not Reports:
            return False
        mine, theirs = self._oracle.identity, reports.identity
        if theirs is not mine and theirs != mine:
            return False
        looked, shared = self._waiting, self._seen
        row = looked.admits(reports.data)
        if not row:
            return False
        with shared.turns.taken():
            seen = shared.now
            if reports.simulated != seen.origin.simulated or seen.n >= _PLENTY:
                return False
            if len(seen.waiting) >= looked.room:
                seen = shared.now = self._all_counted(seen)
            waiting = seen.waiting
            waiting += row
            return True

    def merge(self, other: State, batch: str | None = None, repeated: str = "refuse") -> State:
        """A new state that has seen what both have.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: the states count reports of different identities, or one simulated and one
                real reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        if not isinstance(other, State):
            raise ReportError("other", "must be a State", type(other))
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"is foreign: {difference}")
        mine, theirs = self._now, other._now
        origin = mine.origin.merged(theirs.origin, batch, repeated)
        if origin is None:
            return State(self._oracle, mine.n, mine.counts, *mine.origin)
        total = checked_total(mine.n, theirs.n)
        return State(self._oracle, total, mine.counts + theirs.counts, *origin)

    def estimate(self, values: object = None, told: Told | None = None) -> Estimate:
        """Unbiased estimates from what has been seen so far.

        Args:
            values: one or more integers in 0..k-1, each once, public ones and fixed before the
                reports are seen; None for all k. A sketch then looks up these only.
            told: is called with how many rows of a sketch are done, and of how many, now and then
                where it takes long; None to be told nothing.

        Raises:
            ParameterError: there is no unbiased estimator, which the message says why; or values
                are given where outputs support none, or one of them twice.
            DomainError: they are no such integers.
        """
        if self._oracle.no_estimator is not None:
            raise ParameterError("estimator", f"does not exist: {self._oracle.no_estimator}")
        seen, layout = self._now, self._oracle.layout
        simulated = bool(seen.origin.simulated)
        if values is None:
            if isinstance(layout, SummedSketch):
                supports = layout.supports_told(seen.counts, None, told)
            else:
                supports = layout.supports(seen.counts.copy())
            labels = self._oracle.labels
            return Estimate(self._oracle, seen.n, supports, simulated, labels, seen.counts)
        if not isinstance(self._oracle, FrequencyOracle):
            raise ParameterError("values", "must be left out where outputs support no value")
        listed = check_values(values, self._oracle.k)
        found = Listed(self._oracle, len(listed))
        if isinstance(layout, SummedSketch):
            supports = layout.supports_told(seen.counts, listed, told)
        else:
            supports = layout.supports_of(seen.counts, listed)
        named = self._oracle.named(listed)
        return Estimate(found, seen.n, supports, simulated, named, seen.counts)

    def honesty(self) -> Honesty:
        """Test whether honest reports add up to this state, whatever their users hold.

        Returns:
            The tests that the counters allow, with p-values that hold for every n.
        """
        seen = self._now
        supports = self._oracle.layout.supports(seen.counts.copy())
        return honesty(self._oracle, seen.n, supports, seen.counts)

    def to_bytes(self) -> bytes:
        """The state as bytes, for another process or a disk: format of `run.aggregate.serial`."""
        seen = self._now
        return pack(Contents(self.identity, seen.n, seen.counts, seen.origin))

    @classmethod
    def from_bytes(cls, data: bytes, oracle: Oracle, *, implausible: bool = False) -> State:
        """The state that `to_bytes` was called on; a mechanism's `.oracle` says what it counts.

        Args:
            data: what it gave.
            oracle: of the reports that are counted.
            implausible: whether to take counters that honest reports give with a chance below
                2^-100 only, as reports that somebody made up may.

        Raises:
            ReportError: the bytes are damaged, the state belongs to another mechanism, parameters,
                law or thresholds, or no reports add up to it (honest ones hardly ever do).
        """
        _check_oracle(oracle)
        held = unpack(data)
        difference = oracle.identity.difference(held.identity)
        if difference is not None:
            raise ReportError("data", f"is foreign: {difference}")
        try:
            state = cls(oracle, held.n, held.counts, *held.origin)
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        doubt = None if implausible is True else oracle.implausible(state.n, state.counts)
        if doubt is not None:
            rule = f"is read with implausible=True only: {doubt}"
            raise ReportError("data", rule)
        return state

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], oracle: Oracle, *, implausible: bool = False
    ) -> State:
        """The state in a file that `save` wrote: see `Saved.load` and `from_bytes`."""
        return super().load(path, oracle, implausible=implausible)

    def __reduce__(self) -> tuple[type[State], tuple[object, ...]]:
        # A copy, and what is read from a pickle, is checked as any state is.
        seen = self._now
        return State, (self._oracle, seen.n, seen.counts, *seen.origin)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        mine, theirs = self._now, other._now
        return (
            self.identity == other.identity
            and mine.n == theirs.n
            and mine.origin == theirs.origin
            and bool(np.array_equal(mine.counts, theirs.counts))
        )

    def __repr__(self) -> str:
        seen = self._now
        simulated = "simulated " if seen.origin.simulated else ""
        return (
            f"<State of {seen.n} {simulated}{self.identity.mechanism} reports, k={self.oracle.k}>"
        )


def check_state(identity: Identity, state: object, other: type[Saved] = State) -> None:
    """Refuse what a protocol may not estimate from.

    Args:
        identity: of the protocol. state: what is given as a state of it.
        other: another class that it may have.

    Raises:
        ParameterError: it is no `State`, or of another protocol.
    """
    if not isinstance(state, other):
        check_kind("state", state, State)
    held: Any = state
    difference = identity.difference(held.identity)
    if difference is not None:
        raise ParameterError("state", f"must be of this protocol: {difference}")


def _check_oracle(oracle: object) -> None:
    plain = isinstance(getattr(oracle, "identity", None), Identity)
    # A protocol has an identity and a layout, too.
    if not plain or not all(hasattr(oracle, name) for name in _OF_ORACLES):
        raise ParameterError("oracle", "must be a mechanism's `.oracle`", type(oracle))


def _frozen(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    counts.flags.writeable = False
    return counts
