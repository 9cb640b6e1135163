"""Statements looked at in finitely many cases, rigorously; what else they rest on is cited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.check.claims import evaluate, exact_series
from ldp_verified.check.claims.rulings import (
    Ruling,
    RulingKind,
    all_of,
    open_because,
    refuted,
    routes,
)
from ldp_verified.check.claims.wording import declaration, formula, given
from ldp_verified.errors import SpecError, UndecidedError
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.table_facts import worst
from ldp_verified.run.realize.tables.balls import ball, decide

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context
    from ldp_verified.check.claims.entries import Check
    from ldp_verified.language import Mechanism


@dataclass(frozen=True)
class Case:
    """One case of a statement.

    Attributes:
        parameters: where. holds: whether it does, decided rigorously.
        again: the same decided another way, where it does not.
        values: what was compared. explanation: in one sentence.
    """

    parameters: Mapping[str, object]
    holds: bool
    again: Callable[[], bool]
    values: Mapping[str, object]
    explanation: str


@dataclass(frozen=True)
class Cases:
    """A statement in a stated range of cases; never more than that, whatever is cited.

    Attributes:
        statement: what holds in each of them. cases: computes them, one after the other.
        range: which they are, in words.
        cited: whose theorem says the rest; empty where nobody's is named.
        checkers: who computes and who computes again.
        conclusive: whether a case that fails refutes the statement; a bound that fails does not.
    """

    statement: str
    cases: Callable[[], Iterable[Case]]
    range: str
    cited: str = ""
    checkers: tuple[str, ...] = ("enumeration",)
    conclusive: bool = True

    def says(self) -> str:
        """The statement, rendered."""
        return f"{self.statement}, at {self.range}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """The first case where the statement fails, evaluated again; else what was looked at."""
        try:
            return self._looked_at()
        except UndecidedError as error:
            return open_because(f"no precision decides a case; both sides may be equal: {error}")

    def _looked_at(self) -> Ruling:
        looked = 0
        for case in self.cases():
            looked += 1
            if case.holds:
                continue
            if not self.conclusive:
                return open_because(f"a bound does not reach it: {case.explanation}")
            if case.again():
                raise ArithmeticError(f"two evaluations disagree: {case.explanation}")
            return refuted(
                self.checkers, case.explanation, dict(case.parameters), dict(case.values)
            )
        cited = f"; cited: {self.cited}" if self.cited else "; no proof is known here"
        return Ruling(
            RulingKind.CHECKED, self.checkers, f"{looked} cases agree: {self.range}{cited}"
        )


Values = Mapping[Any, Sequence[Fraction | int | str]]
"""Symbol -> the exact values it is given."""


def combinations(values: Values) -> Iterable[dict[Any, Fraction]]:
    """Every combination of the values."""
    for chosen in product(*([Fraction(v) for v in each] for each in values.values())):
        yield dict(zip(values, chosen, strict=True))


@dataclass(frozen=True)
class Grid:
    """An inequality between formulas at every combination of exact values, by balls.

    Without symbols it is one between numbers, and proved or refuted.

    Attributes:
        relation: <=, <, >= or >. values: symbol -> exact values. cited: as in `Cases`.
    """

    relation: Any
    values: Values
    cited: str = ""

    def __post_init__(self) -> None:
        """Check that there is something to decide.

        Raises:
            SpecError: it is no inequality; sympy may have decided it already.
        """
        if not isinstance(self.relation, sympy.Le | sympy.Lt | sympy.Ge | sympy.Gt):
            rule = "must be <=, <, >= or >, made with evaluate=False where sympy would decide it"
            raise SpecError("Grid.relation", rule, self.relation)

    def says(self) -> str:
        """The statement, rendered."""
        where = f", at {given(self.values)}" if self.values else ""
        return f"{formula(self.relation)}{where}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:
        """Decide as `Cases`; the second opinion has exact fractions, or sympy's digits."""
        where = given(self.values) or "a relation between numbers"
        found = Cases("", self._cases, where, self.cited, ("balls", "series")).decide(context)
        if found.kind is RulingKind.CHECKED and not self.values:
            # Without symbols the one case is all there is.
            return Ruling(RulingKind.PROVED, found.checkers, where)
        return found

    def _cases(self) -> Iterable[Case]:
        for point in combinations(self.values):
            left, right = (
                evaluate.decimal(side, point) for side in (self.relation.lhs, self.relation.rhs)
            )
            said = f"{self.relation.lhs} {self.relation.rel_op} {self.relation.rhs}"

            def again(point: dict[Any, Fraction] = point) -> bool:
                return _again(self.relation, point)

            yield Case(
                {symbol.name: value for symbol, value in point.items()},
                evaluate.holds(self.relation, point),
                again,
                {"left": left, "right": right},
                f"claimed {said}, found {left} on the left and {right} on the right",
            )


def _again(relation: Any, point: Mapping[Any, Fraction]) -> bool:
    """Fractions and the series of e^x; where other functions occur, sympy's 50 digits."""
    try:
        found = exact_series.holds(relation, point)
    except SpecError:
        exact = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
        gap = sympy.N((relation.gts - relation.lts).subs(exact), 50)
        return bool(gap >= 0)
    return found is not False


@dataclass(frozen=True)
class EpsilonAt:
    """The tight epsilon of a table against a formula in which eps stands outside of exponents.

    Attributes:
        mechanism: a declaration. claimed: an expression in its parameters.
        points: exact values of its variables, by name, as `prove.enumeration.expand` takes them.
    """

    mechanism: Mechanism
    claimed: Any
    points: Sequence[Mapping[str, Fraction | str]]

    def says(self) -> str:
        """The statement, rendered."""
        claimed = f"tight eps <= {formula(self.claimed)}, at {self._where()}"
        return f"{declaration(self.mechanism)}: {claimed}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:
        """The written-out table at every point, and e^claimed as a ball."""
        return Cases("", self._cases, self._where(), checkers=("enumeration", "balls")).decide(
            context
        )

    def _cases(self) -> Iterable[Case]:
        for point in self.points:
            yield self._case({name: Fraction(value) for name, value in point.items()})

    def _where(self) -> str:
        return "; ".join(", ".join(f"{k} = {v}" for k, v in p.items()) for p in self.points)

    def _case(self, point: Mapping[str, Fraction]) -> Case:
        symbols = {p.name: p for p in self.mechanism.parameters}
        exact = {symbols[name]: value for name, value in point.items() if name in symbols}
        table = expand(self.mechanism, point)
        found = worst(table)
        ratio = found.ratio
        top = table.probability(found.column, found.x)
        bottom = table.probability(found.column, found.x2)
        claimed = evaluate.decimal(self.claimed, exact)
        tight = "infinite"
        if ratio is not None:
            tight = decide(lambda: ball(ratio).log()).str(8, radius=False)

        def level() -> Any:
            return evaluate.value(self.claimed, exact).exp()

        return Case(
            dict(point),
            ratio is not None and decide(lambda: _at_most(ball(ratio), level())),
            lambda: decide(lambda: _at_most(ball(top), level() * ball(bottom))),
            {
                "x": table.inputs[found.x],
                "x'": table.inputs[found.x2],
                "P(y|x)": top,
                "P(y|x')": bottom,
                "tight eps": tight,
            },
            f"claimed eps = {self.claimed} = {claimed}, found eps = {tight}",
        )


def _at_most(left: Any, right: Any) -> bool | None:
    gap = right - left
    return True if gap >= 0 else False if gap < 0 else None


@dataclass(frozen=True)
class AllOf:
    """A conjunction of checks: never stronger than its weakest part.

    Attributes:
        checks: its parts.
    """

    checks: tuple[Check, ...]

    def __init__(self, *checks: Check) -> None:
        object.__setattr__(self, "checks", checks)

    def says(self) -> str:
        """The statement, rendered."""
        return "; and ".join(dict.fromkeys(check.says() for check in self.checks))

    def announce(self, context: Context) -> None:
        """Ask for what each of the checks needs."""
        for check in self.checks:
            check.announce(context)

    def decide(self, context: Context) -> Ruling:
        """Decide all."""
        return all_of(check.decide(context) for check in self.checks)


@dataclass(frozen=True)
class Routes:
    """One statement, looked at by several checks.

    Attributes:
        checks: each decides the same statement in its own way.
    """

    checks: tuple[Check, ...]

    def __init__(self, *checks: Check) -> None:
        object.__setattr__(self, "checks", checks)

    def says(self) -> str:
        """The statement, rendered."""
        return "; looked at beside it: ".join(check.says() for check in self.checks)

    def announce(self, context: Context) -> None:
        """Ask for all."""
        for check in self.checks:
            check.announce(context)

    def decide(self, context: Context) -> Ruling:
        """The strongest answer; a proof against a refutation is an error."""
        return routes(check.decide(context) for check in self.checks)


@dataclass(frozen=True)
class Cited:
    """A statement that rests on somebody's theorem, of which nothing is decided here.

    Attributes:
        source: author, year, title.
    """

    source: str

    def says(self) -> str:
        """The statement, rendered."""
        return "no formal version: the words rest on a citation"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """Rule the statement open, with its source."""
        return open_because(f"nothing of it is decided here; cited: {self.source}")


@dataclass(frozen=True)
class NotSo:
    """The negation of a statement about all parameters or tables: one witness proves it.

    Attributes:
        check: decides the statement that is to be false.
    """

    check: Check

    def says(self) -> str:
        """The statement, rendered."""
        return f"not so: {self.check.says()}"

    def announce(self, context: Context) -> None:
        """Ask for what the denied check needs."""
        self.check.announce(context)

    def decide(self, context: Context) -> Ruling:
        """Proved by the witness against the statement; refuted only where that is proved."""
        found = self.check.decide(context)
        if found.kind is RulingKind.REFUTED and found.witness is not None:
            return Ruling(RulingKind.PROVED, found.checkers, found.witness.explanation)
        if found.kind in (RulingKind.PROVED, RulingKind.REGION):
            said = f"its opposite is proved: {found.detail}"
            return refuted(found.checkers, said, {}, {})
        return open_because(found.detail)


@dataclass(frozen=True)
class OpenReading:
    """A claim that nothing here can decide yet.

    Attributes:
        reason: why nothing can.
    """

    reason: str

    def says(self) -> str:
        """The statement, rendered."""
        return "no formal version yet"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """The ruling that the reading is open."""
        return open_because(self.reason)
