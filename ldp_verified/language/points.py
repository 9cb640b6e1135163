"""Declare tables over points on a line: inputs and reports 0..k-1, cells by their distance.

A cell is a formula in powers of one number t, the `decay` per step. Four symbols stand for powers
whose exponents are not constant:

    near    t^|y - x|       left    t^x
    right   t^(k - 1 - x)   span    t^(k - 1), in claims

So `(1 - t)/(1 + t) * near` is the cell of two-sided geometric noise, and `near` times a normaliser
in `left` and `right` that of an exponential mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language.expressions import expression
from ldp_verified.language.pair_table import PairTable
from ldp_verified.language.parameters import Parameter, real
from ldp_verified.language.privacy import LDP, MetricLDP
from ldp_verified.language.requirements import Requirement
from ldp_verified.language.structures import Singletons

near = real("near", above=0, at_most=1)
left = real("left", above=0, at_most=1)
right = real("right", above=0, at_most=1)
span = real("span", above=0, at_most=1)

MOST_POWER = 4
"""The highest power of `near` in a cell."""


def apart(x: Any, x2: Any) -> Any:
    """Return the distance of two points, for `MetricLDP`.

    Args:
        x, x2: inputs, whole numbers or symbols of them.
    """
    return abs(x2 - x)


@dataclass(frozen=True)
class Points:
    """The table P(y|x) over the points 0..k-1, one formula for the distance and one for each end.

    Attributes:
        size: k, an integer parameter with `at_least=2`; its symbol may stand in the cells.
        decay: t, between 0 and 1.
        cell: P(y|x) of every y that is no end with a formula of its own: a polynomial in `near`
            with coefficients that are rational functions of `left`, `right` and the parameters.
        low_end, high_end: P(0|x) and P(k-1|x) where they are other ones, in `left` and `right`;
            else None.
    """

    symbols: ClassVar[tuple[Any, ...]] = (near, left, right, span)
    """What may stand in its cells and claims beside the parameters."""

    size: Any
    decay: Any
    cell: Any
    low_end: Any = None
    high_end: Any = None

    def __post_init__(self) -> None:
        """Sympify the formulas.

        Raises:
            SpecError: a size that is no integer parameter of at least 2, something that is no exact
                expression, `span` in a cell, `near` in an end, or a cell that is no polynomial of
                degree at most `MOST_POWER` in `near`.
        """
        lower = self.size.domain.lower if isinstance(self.size, Parameter) else None
        if lower is None or not self.size.domain.integer or not lower >= 2:
            rule = 'must be integer("k", at_least=2); for a number of points write a Matrix'
            raise SpecError("size", rule, self.size)
        for name in ("decay", "cell", "low_end", "high_end"):
            value = getattr(self, name)
            if value is None and name.endswith("end"):
                continue
            read = expression(name, value)
            object.__setattr__(self, name, read)
            barred = {"decay": {*self.symbols}, "cell": {span}}.get(name, {near, span})
            if read.free_symbols & barred:
                rule = f"must not hold {', '.join(sorted(map(str, barred)))}"
                raise SpecError(name, rule, read)
        top, bottom = sympy.fraction(sympy.together(self.cell))
        if near in bottom.free_symbols or not top.is_polynomial(near):
            raise SpecError("cell", "must be a polynomial in near", self.cell)
        if sympy.degree(top, near) > MOST_POWER:
            raise SpecError("cell", f"must hold near to at most its power {MOST_POWER}", self.cell)

    @property
    def structure(self) -> Singletons:
        """The values, of which there are k."""
        return Singletons(self.size)

    @property
    def values(self) -> Any:
        """The number of input values."""
        return self.size

    def cells(self) -> dict[str, Any]:
        """The formulas by name: decay, cell, and low_end and high_end where they are given."""
        named = ((name, getattr(self, name)) for name in ("decay", "cell", "low_end", "high_end"))
        return {name: value for name, value in named if value is not None}

    def with_cells(self, cells: Mapping[str, Any]) -> Points:
        """Points with other formulas, by the names of `cells()`."""
        return replace(self, **dict(cells))

    def map(self, function: Callable[[Any], Any]) -> Points:
        """The form with `function` applied to every formula."""
        return self.with_cells({name: function(value) for name, value in self.cells().items()})

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) for every formula."""
        for name, value in self.cells().items():
            yield f"table.{name}", value

    def pair_tables(self) -> tuple[PairTable, ...]:
        """Refuse, as points have no pair tables: on how many outputs a ratio is reached varies.

        Raises:
            SpecError: always, so that nobody takes no pairs for a table that tells nothing.
        """
        raise SpecError("table", "must have pair tables, which Points have not", self)

    def probability(self, x: int, y: int, size: int) -> tuple[Any, Mapping[Any, int]]:
        """The formula of P(y|x), and the exponents of t that its symbols stand for.

        Args:
            x, y: points, 0..size-1. size: the number of points, at least 2.
        """
        formula = self.cell
        if y == 0 and self.low_end is not None:
            formula = self.low_end
        elif y == size - 1 and self.high_end is not None:
            formula = self.high_end
        return formula, {near: abs(y - x), left: x, right: size - 1 - x}

    def check_claim(self, claim: Any) -> None:
        """Refuse a claim that such a table cannot have.

        Raises:
            SpecError: a kind of claim that such a table cannot have, or another distance than
                `apart`.
        """
        if isinstance(claim, MetricLDP):
            if claim.distance is not apart:
                rule = "must be `apart`, from ldp_verified.language, for Points"
                raise SpecError("MetricLDP.distance", rule, claim.distance)
            self.steps("MetricLDP.epsilon", claim.epsilon)
        elif claim.kinds != (Kind.HOLDS,) and not (isinstance(claim, LDP) and claim.delta == 0):
            rule = "of Points may be LDP without delta, MetricLDP and Holds"
            raise SpecError("claims", rule, type(claim).__name__)

    def in_powers(self, value: Any) -> Any:
        """`value` with `span` for t^(k - 1) wherever k stands in an exponent.

        Raises:
            SpecError: a power of something else than t has k in its exponent.
        """

        def put(part: Any) -> Any:
            base, exponent = part.as_base_exp()
            logged = sympy.expand(sympy.expand_log(exponent * sympy.log(base), force=True))
            per_step = logged.coeff(self.size, 1)
            rest = sympy.expand(logged - per_step * (self.size - 1))
            return span ** self.steps("exponent of k", per_step) * sympy.exp(rest)

        def of_size(part: Any) -> bool:
            return isinstance(part, sympy.Pow | sympy.exp) and part.as_base_exp()[1].has(self.size)

        return value.replace(of_size, put)

    def spelled_out(self, ratio: Any) -> Any:
        """ln of a ratio that holds `span`, with t^(k - 1), or its logarithm, in its place."""
        whole, other = sympy.S.Zero, sympy.S.One
        for factor in sympy.Mul.make_args(sympy.factor(ratio)):
            base, exponent = factor.as_base_exp()
            whole += exponent if base == span else 0
            other *= 1 if base == span else factor
        rest = other.subs(span, self.decay ** (self.size - 1))
        per_step = sympy.expand_log(sympy.log(self.decay), force=True)
        return sympy.log(rest) + whole * per_step * (self.size - 1)

    def steps(self, where: str, value: Any) -> Any:
        """Return how many times ln t a value is: an integer.

        Raises:
            SpecError: it is no integer multiple.
        """
        times = sympy.simplify(value / sympy.expand_log(sympy.log(self.decay), force=True))
        if not times.is_Integer:
            rule = f"must be an integer multiple of ln {self.decay} per step"
            raise SpecError(where, rule, value)
        return times


def own_symbols(table: Any) -> tuple[Any, ...]:
    """Return the symbols that a table's formulas may hold beside the parameters."""
    return table.symbols if isinstance(table, Points) else ()


def check_claims(table: Any, claims: Iterable[Any]) -> None:
    """Refuse claims that a table of this form cannot have; see `Points.check_claim`.

    Raises:
        SpecError: there is one.
    """
    for claim in claims if isinstance(table, Points) else ():
        table.check_claim(claim)


def in_powers(table: Any, value: Any) -> Any:
    """`value` with the powers of a table's form in it; see `Points.in_powers`.

    Raises:
        SpecError: there is another power with the number of points in its exponent.
    """
    return table.in_powers(value) if isinstance(table, Points) else value


def uncertain(table: Any, found: Iterable[Requirement]) -> Iterator[Requirement]:
    """Requirements; where one holds a power, a failure refutes nothing.

    Not every number in (0, 1] is a power of the decay.
    """
    powers = {*own_symbols(table)}
    for each in found:
        yield replace(each, certain=each.certain and not each.value.free_symbols & powers)
