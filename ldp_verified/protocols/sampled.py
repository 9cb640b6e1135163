"""Reports of users who sampled one attribute each, and the server's state of them."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.asked import AskedOracle
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.origin import (
    MOST_REPORTS,
    HasOrigin,
    ReportOrigin,
    checked_total,
    one_kind,
)
from ldp_verified.run.aggregate.reports import Reports, SentReports
from ldp_verified.run.aggregate.saved import Saved
from ldp_verified.run.aggregate.serial import integers_of, list_of, split, unwrap, wrap
from ldp_verified.run.aggregate.shared import Shared
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.realize.tables.table import RoundedTable


class Scheme(ABC):
    """The base of `SampleOne` alone, which imports its states from here.

    `Split` has parts as well, but its users report on all of them.

    Attributes:
        about: what the attributes stand for.
    """

    about: str

    @property
    @abstractmethod
    def parts(self) -> tuple[RoundedTable, ...]:
        """The mechanism of each attribute."""


@dataclass(frozen=True, repr=False)
class SampledReports(SentReports):
    """The reports of users who sampled one attribute each.

    Attributes:
        users: how many there are.
        reports: for each attribute, those who sampled it.
        about: what the attributes stand for, as the scheme has it.
    """

    users: int
    reports: tuple[Reports, ...]
    about: str = ""

    def __len__(self) -> int:
        return self.users

    @property
    def simulated(self) -> bool:
        """Return whether the reports are simulated, as far as there are any."""
        return any(each.simulated for each in self.reports if len(each))


class _Sampled(NamedTuple):
    """The contents of a sampled state; nobody updates the inner states, which know no batches."""

    users: int
    states: tuple[State, ...]
    batches: frozenset[str] = frozenset()

    @property
    def origin(self) -> ReportOrigin:
        return ReportOrigin(bool(one_kind(state.simulated for state in self.states)), self.batches)


class SampledState(HasOrigin[_Sampled], Saved):
    """The number of users, and the states of those who sampled each attribute.

    Threads may update one state together: every batch is counted, once.

    Args:
        scheme: what the reports are made with.
        users: who reported, on whatever attribute.
        states: of each attribute.
        batches: the ids of the batches seen so far.

    Raises:
        ParameterError: the scheme is none whose users report once, or the states are none of its
            attributes, or of other users.
        ReportError: one of them holds simulated and one real reports.
    """

    def __init__(
        self,
        scheme: Scheme,
        users: int,
        states: tuple[State, ...],
        batches: frozenset[str] = frozenset(),
    ) -> None:
        _check_scheme("scheme", scheme)
        if not isinstance(states, tuple) or len(states) != len(scheme.parts):
            raise ParameterError("states", "must be one for each attribute of the scheme")
        for part, state in zip(scheme.parts, states, strict=True):
            if not isinstance(state, State) or part.identity != state.identity:
                raise ParameterError("states", "must be of the scheme's attributes", state)
        if check_integer("users", users, 0, MOST_REPORTS) != sum(state.n for state in states):
            raise ParameterError("users", "must be as many as the reports of all states", users)
        self._scheme = scheme
        held = _Sampled(int(users), tuple(map(copy.copy, states)), batches)
        ReportOrigin.checked(held.origin.simulated, batches)
        self._seen = Shared(held)

    @property
    def scheme(self) -> Scheme:
        """Return the scheme that made the reports."""
        return self._scheme

    @property
    def users(self) -> int:
        """Return the number of users who reported, on any attribute."""
        return self._seen.now.users

    @property
    def n(self) -> int:
        """Return the number of users, as every state has it."""
        return self.users

    @property
    def states(self) -> tuple[State, ...]:
        """Return a copy of each attribute's state, as it is at this moment."""
        return tuple(map(copy.copy, self._seen.now.states))

    def update(
        self, reports: SampledReports, batch: str | None = None, repeated: str = "refuse"
    ) -> SampledState:
        """Count a batch, in place, and return the state itself.

        Args:
            reports: what is added.
            batch: an id of the batch, a text of up to 64 characters; None for a batch without one.
            repeated: what happens if that id was counted before: "refuse" raises, "ignore" counts
                nothing.

        Raises:
            ReportError: reports of another mechanism, or about other attributes, or simulated ones
                beside real ones; nothing of the batch is counted then.
            ReplayError: the batch was counted already.
            ParameterError: users and reports are not as many; no such id or `repeated`.
        """
        parts = self._scheme.parts
        if not isinstance(reports, SampledReports) or len(reports.reports) != len(parts):
            rule = "must be SampledReports with reports on each attribute"
            raise ReportError("reports", rule, type(reports))
        _check_about("reports", self._scheme.about, reports.about)
        kind = one_kind(each.simulated for each in reports.reports if len(each))
        kind = self.simulated if kind is None else kind
        added = tuple(
            part.empty(kind).update(each) for part, each in zip(parts, reports.reports, strict=True)
        )
        if sum(state.n for state in added) != reports.users:
            raise ParameterError("reports", "must have one report of every user", reports.users)
        more = _Sampled(reports.users, added)
        self._seen.change(lambda seen: _together(seen, more, batch, repeated))
        return self

    def merge(
        self, other: SampledState, batch: str | None = None, repeated: str = "refuse"
    ) -> SampledState:
        """A new state that has seen what both have.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: the other is no such state, or counts reports of different mechanisms; or
                one of them holds simulated and one real reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        if not isinstance(other, SampledState) or len(other._seen.now.states) != len(self.states):
            raise ReportError("other", "must be a SampledState of as many attributes", type(other))
        _check_about("other", self._scheme.about, other._scheme.about)
        both = _together(self._seen.now, other._seen.now, batch, repeated)
        return SampledState(self._scheme, *both)

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "sampled", the lengths of the parts' own bytes, then these."""
        seen = self._seen.now
        parts = [state.to_bytes() for state in seen.states]
        held = {"users": seen.users, "lengths": list(map(len, parts))}
        if self._scheme.about:  # what says nothing of it keeps the bytes that it always had
            held["about"] = self._scheme.about
        header = held | seen.origin.record()
        return wrap("sampled", header, b"".join(parts))

    @classmethod
    def from_bytes(cls, data: bytes, made: Scheme, *, implausible: bool = False) -> SampledState:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the scheme.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`, of any part. ParameterError: `made` is no scheme.
        """
        _check_scheme("made", made)
        header, body = unwrap("sampled", data)
        (users,), texts = integers_of(header, "users"), split(body, list_of(header, "lengths"))
        _check_about("data", made.about, header.get("about", ""))
        if len(texts) != len(made.parts):
            raise ReportError("data", f"must have {len(made.parts)} parts", len(texts))
        states = tuple(
            State.from_bytes(text, part.oracle, implausible=implausible)
            for text, part in zip(texts, made.parts, strict=True)
        )
        try:
            state = cls(made, users, states, ReportOrigin.of_record(header, users).batches)
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if state.simulated is not header["simulated"]:
            raise ReportError("data", "must have the flag simulated of its parts")
        return state

    def __reduce__(self) -> tuple[type[SampledState], tuple[object, ...]]:
        # A copy, and what is read from a pickle, is checked as any state is.
        return SampledState, (self._scheme, *self._seen.now)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SampledState):
            return NotImplemented
        return self._scheme == other._scheme and self._seen.now == other._seen.now

    def __repr__(self) -> str:
        return f"<SampledState of {self.users} users, {len(self._scheme.parts)} attributes>"

    def estimate(self, attribute: int) -> Estimate:
        """Estimate how many of all users hold each value of an attribute.

        d times the estimate among those who sampled it. Errors and intervals count the sampling of
        the attribute too, and are those of `SampleOne.variance`.

        Args:
            attribute: which one, 0..d-1.

        Raises:
            ParameterError: no such attribute, or its mechanism has no unbiased estimator.
        """
        seen = self._seen.now
        place = check_integer("attribute", attribute, 0, len(seen.states) - 1)
        own = seen.states[place].estimate()
        oracle = AskedOracle(own.oracle, own.n, Fraction(1, len(seen.states)))
        return Estimate(
            oracle, seen.users, own.support_counts, own.simulated, own.labels, own.counters
        )

    def counts(self, attribute: int) -> NDArray[np.float64]:
        """The counts of `estimate`, float64 (k,). Args and Raises: as there."""
        return self.estimate(attribute).counts


def _check_scheme(argument: str, scheme: object) -> None:
    """Refuse a scheme whose users do not report once.

    Raises:
        ParameterError: it does not.
    """
    if not isinstance(scheme, Scheme):
        raise ParameterError(argument, "must be a scheme whose users report once", type(scheme))


def _check_about(argument: str, mine: str, theirs: object) -> None:
    """Refuse what is about other attributes: its numbers mean something else.

    Raises:
        ReportError: it is.
    """
    if theirs != mine:
        rule = "must be about the same attributes, labels and sets of them, in the same order"
        raise ReportError(argument, rule)


def _together(first: _Sampled, second: _Sampled, batch: str | None, repeated: str) -> _Sampled:
    origin = first.origin.merged(second.origin, batch, repeated)
    if origin is None:
        return first
    states = tuple(a.merge(b) for a, b in zip(first.states, second.states, strict=True))
    return _Sampled(checked_total(first.users, second.users), states, origin.batches)
