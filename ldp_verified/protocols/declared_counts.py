"""What a state of a declared protocol has counted, and the oracle of its counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ldp_verified.errors import ReportError
from ldp_verified.protocols.exact_terms import Number, at_most, power
from ldp_verified.protocols.hashed_values import SampledOracle
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.origin import ReportOrigin
from ldp_verified.run.aggregate.state import State

if TYPE_CHECKING:
    from ldp_verified.protocols.declared import DeclaredProtocol


class StatePart(NamedTuple):
    """Reports that may be counted together: of one round, history, group and declared report."""

    step: int
    published: int | None
    group: int
    send: int


class CountedReports(NamedTuple):
    """The content of a state; nobody changes these, nor updates the inner states.

    Attributes:
        users: of each round that anybody answered. histories: what its reports follow.
        parts: the reports by their place. origin: of all of them.
    """

    users: Mapping[int, int]
    histories: Mapping[int, int | None]
    parts: Mapping[StatePart, State]
    origin: ReportOrigin

    def with_others(
        self, other: CountedReports, batch: str | None, repeated: str
    ) -> CountedReports:
        """The content with that of another state.

        Args:
            other: the other. batch, repeated: as in `State.merge`.

        Raises:
            ReportError: reports of a round follow something else, or are of the other kind.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        origin = self.origin.merged(other.origin, batch, repeated)
        if origin is None:
            return self
        for step, published in other.histories.items():
            before = self.histories.get(step, published)
            if before != published:
                rule = f"must be what the others of round {step} saw, {before}"
                raise ReportError("published", rule, published)
        users, parts = dict(self.users), dict(self.parts)
        for step, more in other.users.items():
            users[step] = users.get(step, 0) + more
        for part, some in other.parts.items():
            parts[part] = parts[part].merge(some) if part in parts else some
        return CountedReports(users, {**self.histories, **other.histories}, parts, origin)


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
