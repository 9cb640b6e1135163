"""Claims about numeric mechanisms (`Density`): moments of one report, given the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language.comparisons import name_of, table_in
from ldp_verified.language.density import Density
from ldp_verified.language.expressions import EQUATION_HINT, expression

if TYPE_CHECKING:
    from ldp_verified.language.parameters import Parameter


@dataclass(frozen=True)
class Mean:
    """E[y | x] = value for every input x; `Mean(x)` says that a report is unbiased.

    Attributes:
        value: an expression in x and the parameters. source: author, year, title.
    """

    value: Any
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.MEAN,)

    def __post_init__(self) -> None:
        """Sympify the value."""
        object.__setattr__(self, "value", expression("Mean.value", self.value))

    def describe(self) -> str:
        """Describe the claim in one line."""
        return f"mean of a report = {self.value}"

    def map(self, function: Callable[[Any], Any]) -> Mean:
        """The claim with `function` applied to its expressions."""
        return replace(self, value=function(self.value))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "Mean.value", self.value


@dataclass(frozen=True)
class ReportVariance:
    """Var[y | x] = value for every input x.

    Attributes:
        value: an expression in x and the parameters. source: author, year, title.
    """

    value: Any
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.REPORT_VARIANCE,)

    def __post_init__(self) -> None:
        """Sympify the value."""
        object.__setattr__(self, "value", expression("ReportVariance.value", self.value))

    def describe(self) -> str:
        """Describe the claim in one line."""
        return f"variance of a report = {self.value}"

    def map(self, function: Callable[[Any], Any]) -> ReportVariance:
        """The claim with `function` applied to its expressions."""
        return replace(self, value=function(self.value))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "ReportVariance.value", self.value


@dataclass(frozen=True)
class WorstVariance:
    """Var[y | x] <= value for every input x, with equality at x = `at`.

    Attributes:
        value: an expression in the parameters. at: an input. source: author, year, title.
    """

    value: Any
    at: Any
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.WORST_VARIANCE,)

    def __post_init__(self) -> None:
        """Sympify both."""
        for name in ("value", "at"):
            found = expression(f"WorstVariance.{name}", getattr(self, name))
            object.__setattr__(self, name, found)

    def describe(self) -> str:
        """Describe the claim in one line."""
        return f"worst variance of a report = {self.value}, at input {self.at}"

    def map(self, function: Callable[[Any], Any]) -> WorstVariance:
        """The claim with `function` applied to its expressions."""
        return replace(self, value=function(self.value), at=function(self.at))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "WorstVariance.value", self.value
        yield "WorstVariance.at", self.at


@dataclass(frozen=True)
class SmallerWorst:
    """The worst variance is below another mechanism's exactly where `condition` holds.

    Attributes:
        other: a name from the catalogue, or a `Mechanism` with the same input; parameters of the
            same name are the same.
        condition: a strict inequality in the parameters.
        at, other_at: the inputs at which the two variances are largest.
        source: author, year, title.
        table: the other table in this mechanism's parameters; set by `Mechanism`.
    """

    other: Any
    condition: Any
    at: Any
    other_at: Any
    source: str = ""
    table: Density | None = None
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.WORST_VARIANCE,)

    def __post_init__(self) -> None:
        """Check the condition and sympify the inputs.

        Raises:
            SpecError: the condition is no strict inequality.
        """
        if not isinstance(self.condition, sympy.Gt | sympy.Lt):
            raise SpecError(
                "SmallerWorst.condition", f"must be < or >; {EQUATION_HINT}", self.condition
            )
        for name in ("at", "other_at"):
            found = expression(f"SmallerWorst.{name}", getattr(self, name))
            object.__setattr__(self, name, found)

    def describe(self) -> str:
        """Describe the claim in one line."""
        return f"smaller worst variance than {name_of(self.other)} where {self.condition}"

    def map(self, function: Callable[[Any], Any]) -> SmallerWorst:
        """The claim with `function` applied to its expressions."""
        return replace(
            self,
            condition=function(self.condition),
            at=function(self.at),
            other_at=function(self.other_at),
            table=None if self.table is None else self.table.map(function),
        )

    def bound_to(self, parameters: Sequence[Parameter]) -> SmallerWorst:
        """The claim with the other table written in these parameters.

        Raises:
            SpecError: the other mechanism is no `Density`.
        """
        table = table_in(self.other, parameters)
        if not isinstance(table, Density):
            raise SpecError("SmallerWorst.other", "must be a Density", self.other)
        return replace(self, table=table)

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs, the other table's included."""
        yield "SmallerWorst.condition", self.condition.gts - self.condition.lts
        yield "SmallerWorst.at", self.at
        yield "SmallerWorst.other_at", self.other_at
        if self.table is not None:
            yield from self.table.expressions()


NumericClaim = Mean | ReportVariance | WorstVariance | SmallerWorst
