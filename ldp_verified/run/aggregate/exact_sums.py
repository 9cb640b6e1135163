"""States that are integer sums over reports, one or more for each coordinate of a mean."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.origin import ReportOrigin, checked_total
from ldp_verified.run.aggregate.saved import Saved, check_identity, check_mean, identity_made
from ldp_verified.run.aggregate.serial import (
    identity_record,
    integers_of,
    list_of,
    unwrap,
    wrap,
)
from ldp_verified.run.aggregate.shared import InPlace

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.reports import Reports

Ends = tuple[Fraction, Fraction]
"""The smallest and the largest number."""


class ExactSums(InPlace, Saved):
    """Integer sums over reports, exact; a commutative monoid under `merge`.

    A subclass is a frozen dataclass with these attributes, in this order: `mechanism`, `n`, those
    that `summed` names, `simulated`, `batches`. It refuses sums that no reports have.

    Attributes:
        kind: of the saved bytes.
        summed: names of what is added up, a tuple of integers each.
    """

    kind: ClassVar[str]
    summed: ClassVar[tuple[str, ...]]

    mechanism: Any
    n: int
    simulated: bool
    batches: frozenset[str]

    @property
    @abstractmethod
    def _ends(self) -> tuple[Ends, Ends]:
        """The ends of a number that a report stands for, and those of its mean."""

    @abstractmethod
    def _means(self) -> Iterator[tuple[str, Fraction]]:
        """Yield, for each sum, its name in messages and the sum of what its reports stand for."""

    @property
    def _origin(self) -> ReportOrigin:
        return ReportOrigin(self.simulated, self.batches)

    def to_bytes(self) -> bytes:
        """The state as bytes: all of it is in the header, and there is no body."""
        sums = {name: list(getattr(self, name)) for name in self.summed}
        header = identity_record(self.mechanism.identity) | self._origin.record()
        return wrap(self.kind, header | {"n": self.n} | sums)

    @classmethod
    def from_bytes(cls, data: bytes, made: Any, *, implausible: bool = False) -> Self:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the mechanism.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`.
        """
        header, body = unwrap(cls.kind, data)
        check_identity(identity_made(made), header)
        (n,) = integers_of(header, "n")
        sums = [list_of(header, name) for name in cls.summed]
        if body:
            raise ReportError("data", "must end after its header")
        own: Any = cls
        try:
            state: Self = own(made, n, *sums, *ReportOrigin.of_record(header, n))
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if implausible is not True:
            every = [*state._means()]
            for what, total in every:
                check_mean(what, n, total, *state._ends, len(every))
        return state

    @abstractmethod
    def update(self, reports: Reports, batch: str | None = None, repeated: str = "refuse") -> Self:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

        Args:
            reports: what is added.
            batch: an id of the batch, a text of up to 64 characters; None for a batch without one.
            repeated: what happens if that id was counted before: "refuse" raises, "ignore" counts
                nothing.

        Raises:
            ReportError: the reports belong to another mechanism, or one is no output; or they are
                simulated and those of the state are not, or the other way round.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """

    def merge(self, other: Self, batch: str | None = None, repeated: str = "refuse") -> Self:
        """A new state that has seen the reports of both.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: they belong to different mechanisms, or hold one simulated and one real
                reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        if not isinstance(other, type(self)):
            raise ReportError("other", f"must be a {type(self).__name__}", type(other))
        difference = self.mechanism.identity.difference(other.mechanism.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        origin = self._origin.merged(other._origin, batch, repeated)
        if origin is None:
            return self
        return self._with(other.n, {name: getattr(other, name) for name in self.summed}, origin)

    def _add(
        self,
        reports: Reports,
        sums: Mapping[str, Iterable[int]],
        batch: str | None,
        repeated: str,
    ) -> Self:
        """Add a batch in place.

        Args:
            reports: the batch. sums: theirs, as in `_with`. batch, repeated: as in `update`.
        """

        def added(now: Self) -> Self:
            origin = now._origin.joined(reports.simulated, len(reports), batch, repeated)
            return now if origin is None else now._with(len(reports), sums, origin)

        return self._become(added)

    def _with(self, n: int, sums: Mapping[str, Iterable[int]], origin: ReportOrigin) -> Self:
        """A new state with so many reports more.

        Args:
            n: how many. sums: theirs, by the names of `summed`; one that is not there is 0.
            origin: of both.
        """
        both = {
            name: tuple(map(operator.add, getattr(self, name), more)) if self.n else tuple(more)
            for name, more in sums.items()
        }
        own: Any = self
        found: Self = replace(own, n=checked_total(self.n, n), **both, **origin._asdict())
        return found
