"""Claims that a spec makes about its table. Each claim becomes named obligations; none is believed.

`n` (number of users) and `f` (true share of the value) are the symbols in which variances are
stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language.comparisons import BetterThan, SameTable
from ldp_verified.language.expressions import EQUATION_HINT, expression
from ldp_verified.language.numeric_claims import (
    Mean,
    NumericClaim,
    ReportVariance,
    SmallerWorst,
    WorstVariance,
)
from ldp_verified.language.privacy import (
    LDP,
    GaussianLDP,
    MetricLDP,
    PersonalisedLDP,
    Privacy,
)
from ldp_verified.language.symbols import f, n


@dataclass(frozen=True)
class Unbiased:
    """A linear estimator of the count of v has expectation n f.

    Attributes:
        supported, otherwise: what a report adds to the estimate when it supports v, and when not.
            Without them the claim is that the derived estimator (1[y supports v] - q*)/(p* - q*),
            or the left inverse of the matrix, is unbiased.
        source: author, year, title.
    """

    supported: Any = None
    otherwise: Any = None
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.UNBIASED,)

    def __post_init__(self) -> None:
        """Sympify both values.

        Raises:
            SpecError: only one of the two is given.
        """
        if (self.supported is None) != (self.otherwise is None):
            raise SpecError("Unbiased", "takes both supported= and otherwise=, or neither")
        for name in ("supported", "otherwise"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, expression(f"Unbiased.{name}", getattr(self, name)))

    def describe(self) -> str:
        """Describe the claim in one line."""
        if self.supported is None:
            return "the derived estimator is unbiased"
        return f"unbiased: add {self.supported} where supported, {self.otherwise} otherwise"

    def map(self, function: Callable[[Any], Any]) -> Unbiased:
        """The claim with `function` applied to its expressions."""
        return replace(self, supported=function(self.supported), otherwise=function(self.otherwise))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        for name in ("supported", "otherwise"):
            if getattr(self, name) is not None:
                yield f"Unbiased.{name}", getattr(self, name)


@dataclass(frozen=True)
class Variance:
    """The variance of the unbiased estimate of a *count*, for n users, a share f holding the value.

    Attributes:
        value: an expression in n, the parameters, and f where `at_f` is None.
        at_f: None for every f in [0, 1]; a number where the claim is about that share only.
        source: author, year, title.
    """

    value: Any
    at_f: Any = None
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.VARIANCE,)

    def __post_init__(self) -> None:
        """Sympify the value and the share `at_f`.

        Raises:
            SpecError: `value` mentions f although `at_f` fixes it.
        """
        object.__setattr__(self, "value", expression("Variance.value", self.value))
        if self.at_f is not None:
            object.__setattr__(self, "at_f", expression("Variance.at_f", self.at_f))
            if self.value.has(f):
                raise SpecError(
                    "Variance.value", f"must not mention f when at_f={self.at_f}", self.value
                )

    def describe(self) -> str:
        """Describe the claim in one line."""
        where = "" if self.at_f is None else f" at f = {self.at_f}"
        return f"variance of a count{where} = {self.value}"

    def map(self, function: Callable[[Any], Any]) -> Variance:
        """The claim with `function` applied to its expressions."""
        return replace(self, value=function(self.value))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "Variance.value", self.value


@dataclass(frozen=True)
class Optimal:
    """The claim that `values` minimise the variance of the estimate at share `at_f`.

    Attributes:
        values: parameter -> value, over the parameter's whole real domain, all others kept
            (whether or not the tight epsilon varies with it); or cell name ("one", "zero") ->
            value, over all tables of the same form whose tight epsilon is at most that of the
            table.
        at_f: the share at which the variance is compared.
        source: author, year, title.
    """

    values: Mapping[Any, Any] = field(hash=False)
    at_f: Any = 0
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.OPTIMAL,)

    def __post_init__(self) -> None:
        """Sympify the values.

        Raises:
            SpecError: they are no mapping, or no exact expressions.
        """
        if not isinstance(self.values, Mapping):
            raise SpecError("Optimal.values", "must be a mapping {parameter: value}", self.values)
        object.__setattr__(
            self,
            "values",
            {key: expression(f"Optimal[{key}]", value) for key, value in self.values.items()},
        )
        object.__setattr__(self, "at_f", expression("Optimal.at_f", self.at_f))

    def describe(self) -> str:
        """Describe the claim in one line."""
        values = ", ".join(f"{key} = {value}" for key, value in self.values.items())
        return f"least variance at f = {self.at_f}: {values}"

    def map(self, function: Callable[[Any], Any]) -> Optimal:
        """The claim with `function` applied to its expressions."""
        return replace(self, values={key: function(v) for key, v in self.values.items()})

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        for key, value in self.values.items():
            yield f"Optimal[{key}]", value


@dataclass(frozen=True)
class Holds:
    """An equation or inequality between expressions in the parameters, for all their values.

    Such as `Holds(Eq(p + q, 1))`.

    Attributes:
        relation: a sympy relation. source: author, year, title.
    """

    relation: Any
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.HOLDS,)

    def __post_init__(self) -> None:
        """Check that the relation is still one.

        Raises:
            SpecError: Python or sympy has already decided it.
        """
        if isinstance(self.relation, bool) or self.relation in (sympy.true, sympy.false):
            raise SpecError(
                "Holds.relation",
                f"was decided before it got here; {EQUATION_HINT}, with evaluate=False if sympy "
                "simplifies it away",
                bool(self.relation),
            )
        if not isinstance(self.relation, sympy.Eq | sympy.Le | sympy.Lt | sympy.Ge | sympy.Gt):
            raise SpecError("Holds.relation", "must be Eq, <=, <, >= or >", self.relation)

    def describe(self) -> str:
        """Describe the claim in one line."""
        return str(self.relation)

    def map(self, function: Callable[[Any], Any]) -> Holds:
        """The claim with `function` applied to its expressions."""
        return replace(self, relation=function(self.relation))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "Holds.lhs", self.relation.lhs
        yield "Holds.rhs", self.relation.rhs


Claim = (
    Privacy
    | GaussianLDP
    | Unbiased
    | Variance
    | Optimal
    | Holds
    | SameTable
    | BetterThan
    | NumericClaim
)

__all__ = [
    "LDP",
    "BetterThan",
    "Claim",
    "GaussianLDP",
    "Holds",
    "Mean",
    "MetricLDP",
    "Optimal",
    "PersonalisedLDP",
    "Privacy",
    "ReportVariance",
    "SameTable",
    "SmallerWorst",
    "Unbiased",
    "Variance",
    "WorstVariance",
    "f",
    "n",
]
