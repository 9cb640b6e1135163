"""Planted-wrong plans, ledgers, devices and functions of statistical queries."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.interaction import (
    FiniteTable,
    Ledger,
    LocalQueries,
    Offer,
    PartyTotal,
    QueryClient,
    Rejection,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.analysis.central.released import Release
    from ldp_verified.analysis.interaction.asking import Function
    from ldp_verified.analysis.interaction.curator import Transcript
    from ldp_verified.analysis.interaction.parties import Messages
    from ldp_verified.run.aggregate.reports import Reports


def centred(records: NDArray[np.float64]) -> NDArray[np.float64]:
    """Say of each user how far the record is from the others': that needs everybody's."""
    return np.asarray((records - records.mean()) / 2)


class NoUnionBound(LocalQueries):
    """Each answer fails with probability beta, not all of them together."""

    @property
    def group_users(self) -> int:
        return LocalQueries(self.epsilon, 1, self.tolerance, self.beta, self.bounds).group_users


class Forgetful(Ledger):
    """A ledger that takes down whatever it is told."""

    def charge(self, users: NDArray[np.int64], query: int) -> None:
        self._asked[users] = query


class Refusing(QueryClient):
    """A device that sends nothing where the function fails on its record."""

    def _value(self, function: Function) -> Any:
        return function(self._record)


class Obliging(QueryClient):
    """A device that answers every time."""

    def answer(self, number: int, function: Function) -> Reports:
        self.answered = False
        return super().answer(number, function)


class Hasty(Rejection):
    """Accepts with probability P(y | x)/r(y) where that is below 1, so that fewer are asked."""

    @cached_property
    def trials(self) -> Fraction:
        return Fraction(1)


class Generous(Rejection):
    """Takes twice the tolerance."""

    def tolerance(self, distance: float | Fraction) -> Fraction:
        return 2 * super().tolerance(distance)


class Overspending(Offer):
    """A curator who looks at the budget before the answer, and not at what the answer costs."""

    def queries(self, past: Transcript) -> tuple[Any, ...]:
        paid = self.paid(past)
        assert paid is not None
        assert self.level is not None
        return tuple(self.tables) if paid < self.level else ()


class Unlucky(Offer):
    """Replies with probabilities that do not sum to 1."""

    def reply(self, x: Any, memory: Any, query: Any) -> dict[tuple[Any, Any], Fraction]:
        found = super().reply(x, memory, query)
        return {key: p / 2 for key, p in found.items()}


class TakesTwice(PartyTotal):
    """Counts whatever a party sends, however often; the last message stays."""

    def take(self, party: Any, told: Release) -> None:
        self._told[party] = told


def chatty(sent: Messages) -> tuple[str, FiniteTable] | None:
    """One party speaks twice at the price of one message each, another one once."""
    bit = FiniteTable.of_laws({(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}})
    return None if len(sent) == 3 else (("a", "b", "a")[len(sent)], bit)


def endless(sent: Messages) -> tuple[str, FiniteTable]:
    """One party that never stops."""
    bit = FiniteTable.of_laws({(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}})
    del sent
    return "a", bit
