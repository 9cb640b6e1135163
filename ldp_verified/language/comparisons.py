"""Claims that set a mechanism beside another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language.expressions import EQUATION_HINT, expression
from ldp_verified.language.forms import Form
from ldp_verified.language.parameters import Parameter
from ldp_verified.language.requirements import Requirement
from ldp_verified.language.symbols import f, n

_readers: list[Callable[[str], Sequence[Any]]] = []


def reads_names(reader: Callable[[str], Sequence[Any]]) -> None:
    """Let claims name other mechanisms: the loader of spec files says how a name is read.

    Args:
        reader: gives the mechanisms of a name of the catalogue; the last one that was given counts.
    """
    _readers[:] = [reader]


def compared(other: Any) -> Any:
    """The mechanism that `other` is, or names.

    Raises:
        SpecError: it is none.
    """
    if isinstance(other, str):
        (read,) = _readers
        found = {m.name: m for m in read(other)}
        other = found.get(other, next(iter(found.values())))
    if not hasattr(other, "table") or not hasattr(other, "parameters"):
        raise SpecError("other", "must be a Mechanism or a name from the catalogue", other)
    return other


def name_of(other: object) -> str:
    """The name of a mechanism given by itself or by name."""
    return str(getattr(other, "name", other))


def table_in(other: Any, parameters: Sequence[Parameter]) -> Form:
    """The table of `other` with its parameters replaced by those of the same name.

    Raises:
        SpecError: `other` is no mechanism.
    """
    other = compared(other)
    swap = _swap(other, parameters)
    table: Form = other.table.map(lambda value: value.xreplace(swap))
    return table


def _swap(other: Any, parameters: Sequence[Parameter]) -> dict[Any, Any]:
    by_name = {p.name: p for p in parameters}
    return {p: by_name[p.name] for p in other.parameters if p.name in by_name}


def others_requirements(other: Any, parameters: Sequence[Parameter]) -> list[Requirement]:
    """Return the requirements of the table of `other`, in these parameters."""
    other = compared(other)
    swap = _swap(other, parameters)
    return [need.map(lambda value: value.xreplace(swap)) for need in other.requirements]


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
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.SAME_TABLE,)

    def describe(self) -> str:
        """Describe the claim in one line."""
        return f"the same table as {name_of(self.other)}"

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
        condition: a strict inequality in the parameters: `k < 3*exp(eps) + 2`; in `f` too where
            `at_f` is `f`. None: the exact region is derived, reported and checked like a claimed
            one.
        at_f: the share at which the variances are compared: a number, or the symbol `f` for every
            share in [0, 1].
        source: author, year, title.
        table: the other table in this mechanism's parameters; set by `Mechanism`.
    """

    other: Any
    condition: Any = None
    at_f: Any = 0
    source: str = ""
    table: Form | None = None
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.BETTER,)

    def __post_init__(self) -> None:
        """Check condition and share.

        Raises:
            SpecError: the condition is no strict inequality in what it may mention, or the share
                neither a number in [0, 1] nor f.
        """
        share = expression("BetterThan.at_f", self.at_f)
        object.__setattr__(self, "at_f", share)
        if share != f and not (share.is_Rational and 0 <= share <= 1):
            rule = "must be a rational number in [0, 1], or f for every share"
            raise SpecError("BetterThan.at_f", rule, share)
        if self.condition is None:
            return
        if isinstance(self.condition, bool) or self.condition in (sympy.true, sympy.false):
            raise SpecError(
                "BetterThan.condition",
                "must be < or >, or None to have the region derived; this was decided before it "
                f"got here; {EQUATION_HINT}",
                bool(self.condition),
            )
        if not isinstance(self.condition, sympy.Lt | sympy.Gt):
            rule = "must be < or >, or None to have the region derived"
            raise SpecError("BetterThan.condition", rule, self.condition)
        if self.condition.has(n):
            rule = "must not mention n: both variances are proportional to it"
            raise SpecError("BetterThan.condition", rule, self.condition)
        if self.condition.has(f) and share != f:
            rule = f"must not mention f when at_f={share}; at_f=f compares at every share"
            raise SpecError("BetterThan.condition", rule, self.condition)

    @property
    def margin(self) -> Any:
        """Return the expression that is > 0 exactly if the condition holds."""
        return self.condition.gts - self.condition.lts

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        if self.condition is not None:
            yield "BetterThan.condition", self.condition.lhs
            yield "BetterThan.condition", self.condition.rhs
        if self.table is not None:
            yield from self.table.expressions()

    def describe(self) -> str:
        """Describe the claim in one line."""
        where = "at every share f" if self.at_f == f else f"at f = {self.at_f}"
        return f"less variance than {name_of(self.other)} {where} {self.where}"

    @property
    def where(self) -> str:
        """Return where it is better, in words."""
        if self.condition is None:
            return "somewhere: the region is derived"
        margin = self.margin
        if margin.is_number:
            return "for all parameters" if margin > 0 else "nowhere"
        return f"exactly where {self.condition}"

    def map(self, function: Callable[[Any], Any]) -> BetterThan:
        """The claim with `function` applied to its expressions."""
        table = None if self.table is None else self.table.map(function)
        condition = None if self.condition is None else function(self.condition)
        return replace(self, condition=condition, table=table)

    def bound_to(self, parameters: Sequence[Parameter]) -> BetterThan:
        """The claim with the other table written in these parameters."""
        return replace(self, table=table_in(self.other, parameters))
