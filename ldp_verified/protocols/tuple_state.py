"""A server's state of tuples where every user reports on every attribute: one state for each."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, Self, overload

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.origin import one_kind
from ldp_verified.run.aggregate.saved import Saved
from ldp_verified.run.aggregate.serial import list_of, split, unwrap, wrap
from ldp_verified.run.aggregate.shared import Shared
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.oracle import Oracle
    from ldp_verified.run.aggregate.reports import Reports

KIND = "tuples"


class TupleScheme(Protocol):
    """The scheme that made the reports: `Split`, `SampleAmongFakes` or `SampleAmongFakeBits`."""

    @property
    def attribute_oracles(self) -> tuple[Oracle, ...]:
        """The oracle of each attribute's reports."""


class TupleState(Sequence[State], Saved):
    """The states of all attributes, which update, merge and are saved together.

    It is a sequence of copies: `state[0]` is the state of the first attribute, as it is at this
    moment. Threads may update one state together: every batch is counted, once.

    Args:
        iterable: the states, one for each attribute. Copied.
    """

    def __init__(self, iterable: Iterable[State]) -> None:
        # Nobody updates these: a batch replaces all of them, so that none has more users.
        self._seen = Shared(tuple(map(copy.copy, iterable)))

    def __len__(self) -> int:
        return len(self._seen.now)

    @overload
    def __getitem__(self, place: int) -> State: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[State, ...]: ...
    def __getitem__(self, place: int | slice) -> State | tuple[State, ...]:
        found = self._seen.now[place]
        return tuple(map(copy.copy, found)) if isinstance(found, tuple) else copy.copy(found)

    def __iter__(self) -> Iterator[State]:
        return iter(self[:])

    @property
    def n(self) -> int:
        """The number of users, each of whom reported on every attribute."""
        return min(state.n for state in self._seen.now)

    @property
    def simulated(self) -> bool:
        """Return whether the state's reports are simulated: all or none."""
        return bool(one_kind(state.simulated for state in self._seen.now))

    def update(
        self, reports: tuple[Reports, ...], batch: str | None = None, repeated: str = "refuse"
    ) -> TupleState:
        """Count a batch, in place, and return the state itself; a refused batch changes nothing.

        Args:
            reports: of each attribute, of the same users.
            batch, repeated: as in `State.update`.

        Raises:
            ReportError: they are not as many, or one attribute's are none of its mechanism, of
                fewer users, or simulated ones beside real ones.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """
        if not isinstance(reports, tuple | list) or len(reports) != len(self):
            rule = f"must be a tuple of {len(self)} Reports, one for each attribute"
            raise ReportError("reports", rule, type(reports))
        added = tuple(
            State(mine.oracle, simulated=mine.simulated).update(each)
            for mine, each in zip(self._seen.now, reports, strict=True)
        )
        if len({state.n for state in added}) > 1:
            raise ReportError("reports", "must be of as many users for each attribute")
        self._seen.change(lambda seen: _together(seen, added, batch, repeated))
        return self

    def merge(
        self, other: TupleState, batch: str | None = None, repeated: str = "refuse"
    ) -> TupleState:
        """A new state that has seen what both have.

        Args and Raises: as `State.merge`, of every attribute.
        """
        if not isinstance(other, TupleState) or len(other) != len(self):
            raise ReportError("other", "must be a TupleState of as many attributes", type(other))
        return TupleState(_together(self._seen.now, other._seen.now, batch, repeated))

    def estimate(self, attribute: int) -> Estimate:
        """Estimate how many users hold each value of an attribute.

        Args:
            attribute: which one, 0..d-1.

        Raises:
            ParameterError: no such attribute, or its mechanism has no unbiased estimator.
        """
        place = check_integer("attribute", attribute, 0, len(self) - 1)
        return self._seen.now[place].estimate()

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "tuples", the lengths of the parts' own bytes, then these."""
        parts = [state.to_bytes() for state in self._seen.now]
        return wrap(KIND, {"lengths": list(map(len, parts))}, b"".join(parts))

    @classmethod
    def from_bytes(cls, data: bytes, made: TupleScheme, /, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the scheme.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`, of any part; or the parts are of other users.
            ParameterError: `made` is no scheme.
        """
        header, body = unwrap(KIND, data)
        oracles = getattr(made, "attribute_oracles", None)
        if not isinstance(oracles, tuple):
            raise ParameterError("made", "must be a scheme of several attributes", type(made))
        texts = split(body, list_of(header, "lengths"))
        if len(texts) != len(oracles):
            raise ReportError("data", f"must have {len(oracles)} parts", len(texts))
        found = cls(
            State.from_bytes(text, oracle, implausible=implausible)
            for text, oracle in zip(texts, oracles, strict=True)
        )
        if len({(state.n, state.simulated, state.batches) for state in found._seen.now}) > 1:
            raise ReportError("data", "must have the same users and batches in all parts")
        return found

    def __reduce__(self) -> tuple[type[TupleState], tuple[tuple[State, ...]]]:
        return TupleState, (self._seen.now,)

    def __eq__(self, other: object) -> bool:
        return (
            self._seen.now == other._seen.now if isinstance(other, TupleState) else NotImplemented
        )

    def __repr__(self) -> str:
        simulated = "simulated " if self.simulated else ""
        return f"<TupleState of {self.n} {simulated}reports on each of {len(self)} attributes>"


def _together(
    first: tuple[State, ...], second: tuple[State, ...], batch: str | None, repeated: str
) -> tuple[State, ...]:
    pairs = zip(first, second, strict=True)
    return tuple(mine.merge(theirs, batch, repeated) for mine, theirs in pairs)


def empty_states(scheme: TupleScheme, simulated: bool) -> TupleState:
    """The state that has seen nothing.

    Raises:
        ParameterError: `simulated` is no bool.
    """
    check_kind("simulated", simulated, bool)
    return TupleState(State(oracle, simulated=simulated) for oracle in scheme.attribute_oracles)
