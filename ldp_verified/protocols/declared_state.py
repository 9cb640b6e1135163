"""The server's side of protocols that were generated from a declaration."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.protocols.declared_counts import (
    CountedOracle,
    CountedReports,
    CountedSupports,
    StatePart,
)
from ldp_verified.protocols.exact_terms import at_least, whole
from ldp_verified.protocols.hashed_values import several
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.origin import HasOrigin, ReportOrigin
from ldp_verified.run.aggregate.reports import Reports, SentReports
from ldp_verified.run.aggregate.saved import Saved, check_identity, identity_made
from ldp_verified.run.aggregate.serial import identity_record, list_of, split, unwrap, wrap
from ldp_verified.run.aggregate.shared import Shared
from ldp_verified.run.aggregate.state import State
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from typing import Self

    from ldp_verified.protocols.declared import DeclaredProtocol

KIND = "reports of a declared protocol"


@dataclass(frozen=True)
class StatePlace:
    """The place where a report stands: all that is public of it.

    Attributes:
        round, turn, send: of the declaration. group: of its user.
        published: what the server published last; None for nothing.
    """

    round: int
    turn: int
    send: int
    group: int
    published: int | None = None

    @property
    def seen(self) -> int:
        """Return what was published.

        Raises:
            ParameterError: nothing was, and the report is about it.
        """
        if self.published is None:
            raise ParameterError("published", "must be given: this report looks at it")
        return self.published


class Answerable:
    """The base of `DeclaredProtocol` alone, which `DeclaredClient` answers and which imports it."""


@dataclass(frozen=True, eq=False)
class DeclaredReports(SentReports):
    """Reports of some users in one round.

    Attributes:
        identity: the protocol and its parameters. step: the round. published: what it follows.
        groups: of the users, whether they send something or not. users: how many do.
        parts: the reports by their place.
        simulated: whether the words were those of a seed: then they protect nobody.
    """

    identity: Identity
    step: int
    published: int | None
    groups: tuple[int, ...]
    users: int
    parts: tuple[tuple[StatePart, Reports], ...]
    simulated: bool

    def __len__(self) -> int:
        return self.users


class DeclaredState(HasOrigin[CountedReports], Saved):
    """Reports of all rounds, counted by their places.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: `simulated` is no bool.
    """

    def __init__(self, protocol: DeclaredProtocol, simulated: bool = False) -> None:
        self.protocol = protocol
        self._seen = Shared(
            CountedReports({}, {}, {}, ReportOrigin.checked(simulated, frozenset()))
        )

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self.protocol.identity

    @property
    def users(self) -> dict[int, int]:
        """How many users sent something in each round that anybody answered."""
        return dict(self._seen.now.users)

    @property
    def histories(self) -> dict[int, int | None]:
        """Round -> what its reports follow."""
        return dict(self._seen.now.histories)

    @property
    def parts(self) -> dict[StatePart, State]:
        """A copy of the state of each place, as it is at this moment."""
        return {part: copy.copy(state) for part, state in self._seen.now.parts.items()}

    @property
    def n(self) -> int:
        """Users who sent something in the first round that anybody answered."""
        users = self._seen.now.users
        return users[min(users)] if users else 0

    def update(
        self, reports: DeclaredReports, batch: str | None = None, repeated: str = "refuse"
    ) -> Self:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Threads may update one state together: every batch is counted, once.

        Args:
            reports: what is added. batch, repeated: as in `State.update`.

        Raises:
            ReportError: they are of another protocol, parameters or history, of no place, or
                simulated where this state is not; or they are not as many as their users send.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """
        check_kind("reports", reports, DeclaredReports, ReportError)
        difference = self.identity.difference(reports.identity)
        if difference is not None:
            raise ReportError("reports", f"are foreign: {difference}")
        if bool(reports.simulated) != self.simulated:
            raise ReportError("reports", "must be simulated if and only if the state is")
        self._check_step(reports.step)
        added: dict[StatePart, State] = {}
        for part, some in reports.parts:
            if part.step != reports.step or part.published != reports.published:
                raise ReportError("reports", "must be of the round that they say", part.step)
            if part in added:
                raise ReportError("reports", "must have each place once", part.group)
            added[part] = self._empty(part).update(some)
        step, origin = reports.step, ReportOrigin(self.simulated)
        more = CountedReports({step: reports.users}, {step: reports.published}, added, origin)
        self._check_users("reports", more)
        self._seen.change(lambda seen: seen.with_others(more, batch, repeated))
        return self

    def _check_users(self, argument: str, seen: CountedReports) -> None:
        """Refuse what no users send: each of them all reports of the round, or the one asked for.

        Raises:
            ReportError: it is.
        """
        for step, users in seen.users.items():
            asked = self.protocol.asks[self.protocol.steps[step][0]]
            sent: dict[int, list[int]] = {}
            for part, state in seen.parts.items():
                if part.step == step:
                    sent.setdefault(part.group, [0] * asked.sends)[part.send] += state.n
            if asked.either:
                fits = users == sum(map(sum, sent.values()))
            else:
                fits = users == sum(map(max, sent.values())) == sum(map(min, sent.values()))
            if not fits:
                rule = f"must be as many as the users of round {step} send"
                raise ReportError(argument, rule, users)

    def _check_step(self, step: int) -> None:
        try:
            self.protocol.check_step(step)
        except ParameterError as error:
            raise ReportError("step", error.rule, step) from None

    def _empty(self, part: StatePart) -> State:
        number, turn = self.protocol.steps[part.step]
        if not 0 <= part.send < self.protocol.asks[number].sends:
            raise ReportError("reports", "must be of declared reports", part.send)
        place = StatePlace(number, turn, part.send, part.group, part.published)
        return self.protocol.randomizer(place).empty(simulated=self.simulated)

    def merge(self, other: Self, batch: str | None = None, repeated: str = "refuse") -> Self:
        """A new state that has seen what both have.

        Args:
            other: the other state. batch, repeated: as in `State.merge`.

        Raises:
            ReportError: the other is no such state, or its reports cannot be counted with these.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        check_kind("other", other, DeclaredState, ReportError)
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"is foreign: {difference}")
        if other.simulated != self.simulated:
            raise ReportError("other", "must be simulated if and only if the state is")
        return self._with(self._seen.now.with_others(other._seen.now, batch, repeated))

    def _with(self, seen: CountedReports) -> Self:
        found = type(self)(self.protocol, seen.origin.simulated)
        found._seen = Shared(seen)
        return found

    def __copy__(self) -> Self:
        return self._with(self._seen.now)

    def estimate(self, values: object) -> Estimate:
        """Estimated counts of any values, among the users who were asked for those reports.

        Unbiased for values that are fixed before the reports are looked at, over the draw of
        groups and of public functions.

        Args:
            values: several values of the domain, each once, public ones; numbers of things where
                the declaration counts what users have sets of.

        Raises:
            DomainError: one is none of the domain, or there are none.
            ParameterError: one stands there twice, the declaration says of no report that it counts
                values, or the randomizer's outputs support none.
            ReportError: no report that counts has been seen.
        """
        mine = self.protocol
        if mine.counted is None:
            rule = "must be declared: say in `counted` which reports count values"
            raise ParameterError("counted", rule)
        listed = several(values)
        known = mine.check_counted([*listed])  # type: ignore[list-item]  # looked at there
        check_each_once(known)
        support = np.zeros(len(known), dtype=np.int64)
        m = n = 0
        chances: set[tuple[Any, Any]] = set()
        seen = self._seen.now
        steps = {step for step, (number, _) in enumerate(mine.steps) if number == mine.counted[0]}
        for part, state in seen.parts.items():
            counts = part.step in steps and part.send == mine.counted[1]
            if counts and mine.counts_in(part.group):
                support += self._supports(part, state, known)
                m += state.n
                oracle = state.oracle
                assert isinstance(oracle, FrequencyOracle)
                chances.add((oracle.p_star, oracle.q_star))
        n = sum(users for step, users in seen.users.items() if step in steps)
        if m == 0:
            raise ReportError("state", "must hold reports that count values", n)
        if len(chances) > 1:
            rule = "must be reports of one p* and q*: those of several groups are not"
            raise ParameterError("counted", rule)
        ((p, q),) = chances
        supports = CountedSupports.of(mine, Fraction(p), Fraction(q))
        added = at_least(mine.collisions)
        least = min(float(q), supports.absent)
        oracle_of_all = CountedOracle(supports, n, m, len(known), collisions=added, least=least)
        return Estimate(oracle_of_all, n, support, self.simulated, listed)

    def _supports(self, part: StatePart, state: State, values: list[int]) -> Any:
        if not isinstance(state.oracle, FrequencyOracle):
            rule = "must be a report whose outputs support values"
            raise ParameterError("counted", rule)
        number, turn = self.protocol.steps[part.step]
        place = StatePlace(number, turn, part.send, part.group, part.published)
        inputs = [whole("input", self.protocol.counted_input(place, value)) for value in values]
        different = sorted(set(inputs))
        found = dict(zip(different, state.estimate(different).support_counts, strict=True))
        return np.array([found[each] for each in inputs], dtype=np.int64)

    def to_bytes(self) -> bytes:
        """The state as bytes: a header, and the states of its parts one after the other."""
        seen = self._seen.now
        places = sorted(seen.parts, key=repr)
        bodies = [seen.parts[part].to_bytes() for part in places]
        header = identity_record(self.identity) | {
            "users": [[step, seen.users[step]] for step in sorted(seen.users)],
            "histories": [[step, seen.histories[step]] for step in sorted(seen.histories)],
            "places": [[*part] for part in places],
            "lengths": [len(body) for body in bodies],
        }
        return wrap(KIND, header | seen.origin.record(), b"".join(bodies))

    @classmethod
    def from_bytes(cls, data: bytes, made: Any, /, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the protocol. implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: the bytes are damaged, or the state is of other reports, or of none that
                users send.
        """
        header, body = unwrap(KIND, data)
        check_identity(identity_made(made), header)
        try:
            users, histories = (_by_step(header[name]) for name in ("users", "histories"))
            places = [_place(*place) for place in header["places"]]
            bodies = split(body, list_of(header, "lengths"))
            origin = ReportOrigin.of_record(header, len(places))
            empty, parts = cls(made, origin.simulated), {}
            if users.keys() != histories.keys() or len(set(places)) < len(places):
                raise ReportError("data", "must say of each round and place once what was seen")
            for step in users:
                empty._check_step(step)
            if any(part.published != histories[part.step] for part in places):
                raise ReportError("data", "must have the history of its rounds in all parts")
            for part, each in zip(places, bodies, strict=True):
                oracle = empty._empty(part).oracle
                parts[part] = State.from_bytes(each, oracle, implausible=implausible)
                if parts[part].simulated is not origin.simulated:
                    raise ReportError("data", "must have the flag simulated of its parts")
            seen = CountedReports(users, histories, parts, origin)
            empty._check_users("data", seen)
        except (KeyError, TypeError, ValueError, ParameterError) as error:
            if isinstance(error, ReportError):
                raise
            raise ReportError("data", f"must hold a state of {type(made).__name__}") from None
        return empty._with(seen)


def _place(step: Any, published: Any, group: Any, send: Any) -> StatePart:
    """The place that a saved round, history, group and number of a report name.

    Raises:
        ValueError: they are no integers.
    """
    if not all(map(is_integer, (step, group, send))):
        raise ValueError(step, group, send)
    return StatePart(step, published, group, send)


def _by_step(pairs: Any) -> dict[int, Any]:
    """Integers, or nothing, by the number of a round, each once.

    Raises:
        ValueError: they are something else.
    """
    found = dict(pairs)
    known = (each for pair in found.items() for each in pair if each is not None)
    if len(found) < len(pairs) or None in found or not all(map(is_integer, known)):
        raise ValueError(pairs)
    return found
