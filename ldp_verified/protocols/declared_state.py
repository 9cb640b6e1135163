"""The server's side of protocols that were generated from a declaration."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.protocols.exact_terms import Number, at_least, at_most, power, whole
from ldp_verified.protocols.hashed_values import SampledOracle, several
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.reports import Reports, SentReports
from ldp_verified.run.aggregate.saved import Saved, check_identity, identity_made
from ldp_verified.run.aggregate.serial import identity_record, split, unwrap, wrap
from ldp_verified.run.aggregate.state import State

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


class StatePart(NamedTuple):
    """Reports that may be counted together: of one round, history, group and declared report."""

    step: int
    published: int | None
    group: int
    send: int


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


@dataclass(frozen=True)
class CountedSupports:
    """How often a report supports a value, as `SampledOracle` asks for it.

    Attributes:
        identity: of the reports. held, absent: chances for a value that is held, or is not.
    """

    identity: Identity
    held: float
    absent: float

    @classmethod
    def of(cls, protocol: DeclaredProtocol, p: Number, q: Number) -> CountedSupports:
        """The chances of a protocol whose randomizer has p and q."""
        absent = q + protocol.alike * (p + -1 * q)
        held = q + (p + -1 * q) * power(protocol.places, -1)
        return cls(protocol.identity, at_most(held), at_most(absent))

    @property
    def chance(self) -> float:
        """The probability that a report supports a value that its user does not hold."""
        return self.absent

    @property
    def chance_held(self) -> float:
        """The probability that a report supports the value that its user holds."""
        return self.held

    @property
    def gain(self) -> float:
        """The difference of the two probabilities, `chance_held` - `chance`."""
        return self.held - self.absent

    @property
    def variance_absent(self) -> float:
        """The variance that a report adds to the count of a value that its user does not hold."""
        return self.absent * (1 - self.absent) / self.gain**2

    @property
    def variance_held(self) -> float:
        """The variance that a report adds to the count of the value that its user holds."""
        return self.held * (1 - self.held) / self.gain**2


@dataclass(frozen=True)
class CountedOracle(SampledOracle):
    """Counts by reports whose public functions add to the errors, as all users share them.

    Attributes:
        collisions: the variance that they add to a count, at most, over n^2.
        least: the chance that a report supports an input that it is not about.
    """

    collisions: float = 0.0
    least: float = 0.0

    @property
    def _least_chance(self) -> float:
        """Functions are public, so that nobody may have the input of a value."""
        return self.least

    @property
    def _reported(self) -> tuple[float, float]:
        absent, slope = super()._reported
        return absent + self.n * self.collisions, slope


class DeclaredState(Saved):
    """Reports of all rounds, counted by their places.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: `simulated` is no bool.
    """

    def __init__(self, protocol: DeclaredProtocol, simulated: bool = False) -> None:
        check_kind("simulated", simulated, bool)
        self.protocol, self.simulated = protocol, simulated
        self.users: dict[int, int] = {}
        self.histories: dict[int, int | None] = {}
        self.parts: dict[StatePart, State] = {}

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self.protocol.identity

    @property
    def n(self) -> int:
        """Users who sent something in the first round that anybody answered."""
        return self.users[min(self.users)] if self.users else 0

    def update(self, reports: DeclaredReports) -> Self:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Raises:
            ReportError: they are of another protocol, parameters or history, of no place, or
                simulated where this state is not.
        """
        check_kind("reports", reports, DeclaredReports, ReportError)
        difference = self.identity.difference(reports.identity)
        if difference is not None:
            raise ReportError("reports", f"are foreign: {difference}")
        if bool(reports.simulated) != self.simulated:
            raise ReportError("reports", "must be simulated if and only if the state is")
        self._check_step(reports.step, reports.published)
        added: dict[StatePart, State] = {}
        for part, some in reports.parts:
            if part.step != reports.step or part.published != reports.published:
                raise ReportError("reports", "must be of the round that they say", part.step)
            if part in added:
                raise ReportError("reports", "must have each place once", part.group)
            added[part] = self._empty(part).update(some)
        merged = {p: self.parts[p].merge(s) if p in self.parts else s for p, s in added.items()}
        self.parts |= merged
        self.users[reports.step] = self.users.get(reports.step, 0) + reports.users
        self.histories[reports.step] = reports.published
        return self

    def _check_step(self, step: int, published: int | None) -> None:
        try:
            self.protocol.check_step(step)
        except ParameterError as error:
            raise ReportError("step", error.rule, step) from None
        if step in self.histories and self.histories[step] != published:
            rule = f"must be what the others of round {step} saw, {self.histories[step]}"
            raise ReportError("published", rule, published)

    def _empty(self, part: StatePart) -> State:
        number, turn = self.protocol.steps[part.step]
        if not 0 <= part.send < self.protocol.asks[number].sends:
            raise ReportError("reports", "must be of declared reports", part.send)
        place = StatePlace(number, turn, part.send, part.group, part.published)
        return self.protocol.randomizer(place).empty(simulated=self.simulated)

    def merge(self, other: Self) -> Self:
        """A new state that has seen what both have.

        Raises:
            ReportError: the other is no such state, or its reports cannot be counted with these.
        """
        check_kind("other", other, DeclaredState, ReportError)
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"is foreign: {difference}")
        if other.simulated != self.simulated:
            raise ReportError("other", "must be simulated if and only if the state is")
        found = type(self)(self.protocol, self.simulated)
        for state in (self, other):
            for step, published in state.histories.items():
                found._check_step(step, published)
            for part, some in state.parts.items():
                mine = found.parts.get(part)
                found.parts[part] = some if mine is None else mine.merge(some)
            for step, users in state.users.items():
                found.users[step] = found.users.get(step, 0) + users
            found.histories |= state.histories
        return found

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
        steps = {step for step, (number, _) in enumerate(mine.steps) if number == mine.counted[0]}
        for part, state in self.parts.items():
            counts = part.step in steps and part.send == mine.counted[1]
            if counts and mine.counts_in(part.group):
                support += self._supports(part, state, known)
                m += state.n
                oracle = state.oracle
                assert isinstance(oracle, FrequencyOracle)
                chances.add((oracle.p_star, oracle.q_star))
        n = sum(users for step, users in self.users.items() if step in steps)
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
        places = sorted(self.parts, key=repr)
        bodies = [self.parts[part].to_bytes() for part in places]
        header = identity_record(self.identity) | {
            "simulated": self.simulated,
            "users": [[step, self.users[step]] for step in sorted(self.users)],
            "histories": [[step, self.histories[step]] for step in sorted(self.histories)],
            "places": [[*part] for part in places],
            "lengths": [len(body) for body in bodies],
        }
        return wrap(KIND, header, b"".join(bodies))

    @classmethod
    def from_bytes(cls, data: bytes, made: Any, /, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the protocol. implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: the bytes are damaged, or the state is of other reports.
        """
        header, body = unwrap(KIND, data)
        check_identity(identity_made(made), header)
        try:
            state = cls(made, header["simulated"])
            state.users = {int(step): int(users) for step, users in header["users"]}
            state.histories = {int(step): seen for step, seen in header["histories"]}
            places = [StatePart(*place) for place in header["places"]]
            bodies = split(body, tuple(header["lengths"]))
            for step, seen in state.histories.items():
                state._check_step(step, seen)
            for part, each in zip(places, bodies, strict=True):
                oracle = state._empty(part).oracle
                state.parts[part] = State.from_bytes(each, oracle, implausible=implausible)
        except (KeyError, TypeError, ValueError, ParameterError) as error:
            if isinstance(error, ReportError):
                raise
            raise ReportError("data", f"must hold a state of {type(made).__name__}") from None
        return state
