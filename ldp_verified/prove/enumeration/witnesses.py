"""Witnesses: places where a claim fails, exact and decimal, evaluated twice."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any

from ldp_verified.language.forms import Design, Matrix
from ldp_verified.language.points import Points
from ldp_verified.language.structures import HashBlocks
from ldp_verified.prove.enumeration.expand import (
    ExpandedColumn,
    ExpandedTable,
    Point,
    expand_form,
    probability,
)
from ldp_verified.prove.enumeration.table_facts import (
    Estimator,
    WorstEvent,
    WorstRatio,
    estimator,
    worst,
)
from ldp_verified.prove.registry import Open, Rules
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from fractions import Fraction

    from ldp_verified.kinds import Kind, TableForm
    from ldp_verified.language.claims import Claim
    from ldp_verified.language.mechanism import Mechanism


ENUMERATION: Rules[Any] = Rules("enumeration")
"""What looks at a claim, or at a law, in expanded tables, for each form of table."""


def checks_of(mechanism: Mechanism, claim: Claim, form: TableForm) -> Iterator[tuple[Kind, Any]]:
    """(kind of obligation, its check) for a claim; none where some kind of it has no rule."""
    rules = [(kind, ENUMERATION.find(kind, form)) for kind in claim.kinds]
    found = [(kind, rule) for kind, rule in rules if not isinstance(rule, Open)]
    for kind, rule in found if len(found) == len(rules) else ():
        check = rule(mechanism, claim)
        if check is not None:
            yield kind, check


@dataclass(frozen=True)
class PointPlace:
    """A mechanism at one point, written out.

    Attributes:
        mechanism: the mechanism.
        point: a value for every variable.
        table: the expanded table there.
    """

    mechanism: Mechanism
    point: Point
    table: ExpandedTable

    @cached_property
    def estimator(self) -> Estimator | str:
        """The unbiased estimator of the table, or the reason why there is none."""
        return estimator(self.table, matrix=isinstance(self.mechanism.table, Matrix))

    @cached_property
    def distinct(self) -> bool:
        """Return whether no outputs share a column, so that each column is one output."""
        return all(column.multiplicity == 1 for column in self.table.columns)

    @cached_property
    def worst(self) -> WorstRatio:
        """Return where the ratio of two probabilities is the largest."""
        return worst(self.table)

    def witness(self, values: Mapping[str, Any], explanation: str) -> Witness:
        """A witness at this point."""
        return Witness(
            {symbol.name: str(value) for symbol, value in self.point.items()},
            {name: str(value) for name, value in values.items()},
            explanation,
        )

    def output(self, column: ExpandedColumn) -> str:
        """The representative output of a column as text."""
        form = self.mechanism.table
        if isinstance(form, Matrix):
            return str(form.outputs[column.output])
        if isinstance(form, Design) and isinstance(form.structure, HashBlocks):
            return f"(h = {column.output[0]}, bucket {column.output[1]})"
        if isinstance(form, Design | Points):
            return str(column.output)
        return "".join(map(str, column.output))

    def checked(self, column: ExpandedColumn, x: int) -> Fraction:
        """P(y|x) of the column's representative, computed a second time from its cell.

        Raises:
            ArithmeticError: both ways disagree, so the expansion itself is wrong.
        """
        first = self.table.probability(column, x)
        second = probability(self.mechanism, self.point, x, column.output)
        if first != second:
            raise ArithmeticError(
                f"{self.mechanism.name}: P(y|x) is {first} expanded, {second} by substitution"
            )
        return first

    def event(self, found: WorstEvent, level: Fraction) -> dict[str, Any]:
        """x, x', S and both probabilities where delta is largest, re-evaluated.

        Raises:
            ArithmeticError: the event, summed from its cells, needs another delta.
        """
        top, bottom = (
            sum(c.multiplicity * self.checked(c, x) for c in found.columns)
            for x in (found.x, found.x2)
        )
        if top - level * bottom != found.delta:
            raise ArithmeticError(
                f"{self.mechanism.name}: delta is {found.delta} expanded, {top - level * bottom} "
                "summed over the event"
            )
        named = [self.output(c) + _more(c.multiplicity - 1) for c in found.columns]
        return {
            "x": self.table.inputs[found.x],
            "x'": self.table.inputs[found.x2],
            "S": "{" + ", ".join(named) + "}",
            "P(S|x)": top,
            "P(S|x')": bottom,
            "e^eps": level,
            "delta": found.delta,
        }

    def pair(self, found: WorstRatio) -> dict[str, Any]:
        """x, x', y and both probabilities at the worst ratio, re-evaluated."""
        return {
            "x": self.table.inputs[found.x],
            "x'": self.table.inputs[found.x2],
            "y": self.output(found.column),
            "P(y|x)": self.checked(found.column, found.x),
            "P(y|x')": self.checked(found.column, found.x2),
        }


class Places:
    """Writes out the table of a mechanism at each point, and reads each of its claims, only once.

    Several steps of `verify` look at the same points, and at the same claims at many points. They
    share one `Places`, which lives as long as they do.

    Args:
        mechanism: the mechanism.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._places: dict[frozenset[Any], PointPlace] = {}
        self._checks: dict[int, tuple[tuple[Kind, Any, str], ...]] = {}

    def at(self, full: Point) -> PointPlace:
        """The mechanism at a point, written out.

        Args:
            full: a value for every variable.

        Raises:
            NotExpandableError, UndefinedCellError: as for `expand_form`.
        """
        same = frozenset(full.items())
        if same not in self._places:
            table = expand_form(self._mechanism.algebraic_table, full)
            self._places[same] = PointPlace(self._mechanism, full, table)
        return self._places[same]

    def checks(
        self, position: int, read: Callable[[Mechanism, Claim], Iterable[tuple[Kind, Any, str]]]
    ) -> tuple[tuple[Kind, Any, str], ...]:
        """The checks of a claim: to read it takes longer than to look at a small table.

        Args:
            position: of the claim, among those of the mechanism. read: makes its checks.

        Returns:
            (obligation, check, what else was covered) of each obligation.
        """
        if position not in self._checks:
            claim = self._mechanism.claims[position]
            self._checks[position] = tuple(read(self._mechanism, claim))
        return self._checks[position]


def _more(others: int) -> str:
    """Outputs that have the same probabilities under every input, and the same support."""
    return f" and {others} more like it" if others else ""


@dataclass(frozen=True)
class PointFinding:
    """The result of enumeration for one obligation.

    Attributes:
        claim: position of the claim; None for the laws of every table.
        obligation: nonnegative | sums_to_one | equal_support | ratio | tight | unbiased |
            variance | optimal | holds | rows.
        holds: at every point looked at.
        sizes: which points these were, in words.
        witness: where it fails; None iff it holds.
    """

    claim: int | None
    obligation: str
    holds: bool
    sizes: str
    witness: Witness | None


def decimal(value: Fraction) -> str:
    """A number in six significant digits."""
    with suppress(OverflowError):
        if (number := float(value)) or not value:
            return f"{number:.6g}"
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"


def both(value: Fraction) -> str:
    """A number exactly, and in decimal where that is another text: `3/5 (0.6)`."""
    return str(value) if value.denominator == 1 else f"{value} ({decimal(value)})"


def epsilon_of(ratio: Fraction) -> str:
    """Natural logarithm of a positive ratio, six significant digits."""
    return f"{log(ratio.numerator) - log(ratio.denominator):.6g}"


def _power(found: Fraction, claimed: Fraction) -> str:
    """` (= 3^2)` where the found ratio is a power of the claimed one, or the other way round."""
    for small, large in ((claimed, found), (found, claimed)):
        for exponent in range(2, 9):
            if small not in (0, 1) and small**exponent == large:
                return f" ({large} = {small}^{exponent})"
    return ""


def ratio_witness(place: PointPlace, bound: Fraction, claim: str) -> Witness:
    """The worst ratio of the table against a claimed bound."""
    found = place.worst
    values = place.pair(found) | {"bound": bound}
    said = f"{claim} e^eps = {both(bound)}"
    if bound > 0:
        said += f", eps = {epsilon_of(bound)}"
    top, bottom, x2 = values["P(y|x)"], values["P(y|x')"], values["x'"]
    where = f"at y = {values['y']}, x = {values['x']}, x' = {x2}"
    if found.ratio is None:
        values |= {"ratio": "infinite", "tight": "infinite"}
        return place.witness(
            values,
            f"{said}; {where} P(y|x) = {both(top)} and P(y|x') = {both(bottom)}: no finite eps",
        )
    values |= {"ratio": found.ratio, "tight": found.ratio}
    return place.witness(
        values,
        f"{said}; found {both(found.ratio)}{_power(found.ratio, bound)}, "
        f"eps = {epsilon_of(found.ratio)}, {where}",
    )
