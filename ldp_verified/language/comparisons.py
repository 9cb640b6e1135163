"""Claims that set a mechanism beside another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression
from ldp_verified.language.forms import Form
from ldp_verified.language.parameters import Parameter


def table_in(other: Any, parameters: Sequence[Parameter]) -> Form:
    """The table of `other` with its parameters replaced by those of the same name.

    Raises:
        SpecError: `other` is no mechanism.
    """
    if isinstance(other, str):
        # The catalogue is only needed by specs that name another mechanism.
        from ldp_verified.language.loader import load

        found = {m.name: m for m in load(other)}
        other = found.get(other, next(iter(found.values())))
    if not hasattr(other, "table") or not hasattr(other, "parameters"):
        raise SpecError("other", "must be a Mechanism or a name from the catalogue", other)
    by_name = {p.name: p for p in parameters}
    swap = {p: by_name[p.name] for p in other.parameters if p.name in by_name}
    table: Form = other.table.map(lambda value: value.xreplace(swap))
    return table


@dataclass(frozen=True)
class SameTable:
    """The table is that of another mechanism, parameters of the same name being the same.

    Attributes:
        other: a name from the catalogue, or a `Mechanism`.
        source: author, year, title.
        table: the other table in this mechanism's parameters; set by `Mechanism`.
    """

    other: Any
    source: str = ""
    table: Form | None = None

    def map(self, function: Callable[[Any], Any]) -> SameTable:
        """The claim with `function` applied to the expressions of the other table."""
        return replace(self, table=None if self.table is None else self.table.map(function))

    def bound_to(self, parameters: Sequence[Parameter]) -> SameTable:
        """The claim with the other table written in these parameters."""
        return replace(self, table=table_in(self.other, parameters))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs of the other table."""
        if self.table is not None:
            yield from self.table.expressions()


@dataclass(frozen=True)
class BetterThan:
    """The estimate has a smaller variance than another mechanism's exactly where `condition` holds.

    Attributes:
        other: a name from the catalogue, or a `Mechanism`; parameters of the same name are the
            same.
        condition: a strict inequality in the parameters: `k < 3*exp(eps) + 2`.
        at_f: the share at which the variances are compared.
        source: author, year, title.
        table: the other table in this mechanism's parameters; set by `Mechanism`.
    """

    other: Any
    condition: Any
    at_f: Any = 0
    source: str = ""
    table: Form | None = None

    def __post_init__(self) -> None:
        """Check the condition.

        Raises:
            SpecError: it is no strict inequality.
        """
        if not isinstance(self.condition, sympy.Lt | sympy.Gt):
            raise SpecError("BetterThan.condition", "must be < or >", self.condition)
        object.__setattr__(self, "at_f", expression("BetterThan.at_f", self.at_f))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "BetterThan.condition", self.condition.lhs
        yield "BetterThan.condition", self.condition.rhs
        if self.table is not None:
            yield from self.table.expressions()

    def map(self, function: Callable[[Any], Any]) -> BetterThan:
        """The claim with `function` applied to its expressions."""
        table = None if self.table is None else self.table.map(function)
        return replace(self, condition=function(self.condition), table=table)

    def bound_to(self, parameters: Sequence[Parameter]) -> BetterThan:
        """The claim with the other table written in these parameters."""
        return replace(self, table=table_in(self.other, parameters))
