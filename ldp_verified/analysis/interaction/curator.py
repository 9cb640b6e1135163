"""Describe interactive mechanisms: a curator, or a device, that is asked again and again.

What is asked next may depend on all answers. The whole conversation is the view of who asks; it is
epsilon-private if no view is more than e^epsilon times as likely for one input as for a neighbour,
however it is asked. Salil Vadhan and Tianhao Wang (2021), Concurrent Composition of Differential
Privacy, define it so. Here everything is finite, and exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from ldp_verified.analysis.interaction.table import FiniteTable
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Hashable

    Memory = Hashable

Transcript: TypeAlias = "tuple[tuple[Any, Any], ...]"
"""Pairs of a query and its answer, the first ones first."""

Weights: TypeAlias = "Mapping[Any, Fraction]"


class Curator(ABC):
    """An interactive mechanism with finitely many inputs, queries, answers and states."""

    @property
    @abstractmethod
    def inputs(self) -> Sequence[Any]:
        """Return the inputs that are protected: records, or data sets."""

    @abstractmethod
    def queries(self, past: Transcript) -> Sequence[Any]:
        """Return the queries that may be asked next; this depends on the transcript alone."""

    @abstractmethod
    def reply(self, x: Any, memory: Any, query: Any) -> Mapping[tuple[Any, Any], Fraction]:
        """Return the law of (answer, memory afterwards).

        Args:
            x: the input. memory: what is remembered, and not said. query: one that may be asked.
        """

    def start(self, x: Any) -> Weights:
        """Return the law of the memory before the first query; by default it is empty."""
        del x
        return {None: Fraction(1)}


@dataclass(frozen=True)
class Offer(Curator):
    """A curator who offers randomizers, each answer drawn anew, within a budget.

    By the theorem on adaptive composition no view has a ratio above the budget
    (`LDP.Protocols.filter_ldp`): the product of the ratios along any transcript is within it.

    Attributes:
        tables: query -> randomizer, all of the same inputs.
        level: e^epsilon of all answers together, at least 1; None for no limit.

    Raises:
        ParameterError: no tables, tables of different inputs, a ratio that is infinite where there
            is a limit, or a level below 1.
    """

    tables: Mapping[Any, FiniteTable]
    level: Fraction | None = None

    def __post_init__(self) -> None:
        """Check that the tables fit each other and the limit."""
        if not self.tables:
            raise ParameterError("tables", "must be one or more", 0)
        if len({each.inputs for each in self.tables.values()}) > 1:
            raise ParameterError("tables", "must have the same inputs")
        if self.level is None:
            return
        if not isinstance(self.level, int | Fraction) or isinstance(self.level, bool):
            raise ParameterError("level", "must be an exact number e^epsilon >= 1", self.level)
        if self.level < 1:
            raise ParameterError("level", "must be an exact number e^epsilon >= 1", self.level)
        if any(each.worst().ratio is None for each in self.tables.values()):
            raise ParameterError("tables", "must have finite ratios where there is a limit")

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Return the inputs of the tables."""
        return next(iter(self.tables.values())).inputs

    def price(self, query: Any) -> Fraction | None:
        """The ratio of one answer; None where it is infinite."""
        return self.tables[query].worst().ratio

    def paid(self, past: Transcript) -> Fraction | None:
        """The product of the prices of what was asked; None where it is infinite."""
        total = Fraction(1)
        for query, _ in past:
            price = self.price(query)
            if price is None:
                return None
            total *= price
        return total

    def queries(self, past: Transcript) -> tuple[Any, ...]:
        """Return the queries that are still within the budget."""
        if self.level is None:
            return tuple(self.tables)
        paid = self.paid(past)
        assert paid is not None
        return tuple(q for q in self.tables if paid * (self.price(q) or 1) <= self.level)

    def reply(self, x: Any, memory: Any, query: Any) -> Mapping[tuple[Any, Any], Fraction]:
        """Return the law of the table; nothing is remembered."""
        table = self.tables[query]
        return {(y, memory): p for y, p in zip(table.outputs, table.row(x), strict=True) if p}


@dataclass(frozen=True)
class Remembering(Offer):
    """A curator who repeats the answer to a repeated query, so that only new queries cost.

    Attributes: as `Offer`.

    Attributes:
        tables, level: as of `Offer`.
    """

    def paid(self, past: Transcript) -> Fraction | None:
        """Return the product of the prices of different queries."""
        return super().paid(tuple((query, None) for query in dict.fromkeys(q for q, _ in past)))

    def queries(self, past: Transcript) -> tuple[Any, ...]:
        """Return repeated queries, and new ones that are still within the budget."""
        asked = {query for query, _ in past}
        within = super().queries(past)
        return tuple(q for q in self.tables if q in asked or q in within)

    def start(self, x: Any) -> Weights:
        """Return an empty memory."""
        del x
        return {(): Fraction(1)}

    def reply(self, x: Any, memory: Any, query: Any) -> Mapping[tuple[Any, Any], Fraction]:
        """Return the answer given before, or the law of a new one."""
        known = dict(memory)
        if query in known:
            return {(known[query], memory): Fraction(1)}
        found = super().reply(x, None, query)
        return {(y, (*memory, (query, y))): p for (y, _), p in found.items()}
