"""Claims that an error is exceeded with probability at most beta, in cases where it can be summed.

Thresholds are irrational, so the probability is bracketed: by the tails at two rationals just below
and above the threshold, which are the same number unless a sum lies between them.

`Hoeffding` proves such a claim for all parameters, from the inequality of that name as a theorem of
the library: that its bound is the claimed probability is an identity of polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.analysis.account.rounding import above, below
from ldp_verified.analysis.utility.contributions import Contribution
from ldp_verified.analysis.utility.tails import Users, tail_ball
from ldp_verified.check.claims import evaluate
from ldp_verified.check.claims.numeric import Case, Cases, Values, combinations
from ldp_verified.check.claims.rulings import Ruling, RulingKind, all_of, open_because, routes
from ldp_verified.check.claims.theorems import Theorem
from ldp_verified.check.claims.wording import formula, given
from ldp_verified.run.realize.tables.balls import ball, decide

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context

Point = Mapping[Any, Fraction]
HOEFFDING = "Hoeffding 1963, Probability Inequalities for Sums of Bounded Random Variables"


@dataclass(frozen=True)
class TwoPoint:
    """Some users, each of whom contributes one of two values.

    Attributes:
        chance: of the first value. high, low: the values. count: the number of users; all of them
            expressions with rational values.
    """

    chance: Any
    high: Any
    low: Any
    count: Any

    def says(self) -> str:
        """The users, rendered."""
        adds = f"{formula(self.high)} with probability {formula(self.chance)}"
        return f"{formula(self.count)} users add {adds}, else {formula(self.low)}"

    def at(self, point: Point) -> tuple[Contribution, int]:
        """The contribution and the number of users at values of the symbols."""
        chance, high, low, count = (
            rational(each, point) for each in (self.chance, self.high, self.low, self.count)
        )
        return Contribution([(high, chance), (low, 1 - chance)]), int(count)


def rational(expression: Any, point: Point) -> Fraction:
    """The value of an expression that is a rational number."""
    put = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
    value = sympy.sympify(expression).subs(put)
    return Fraction(int(value.p), int(value.q))


def tail_by_convolution(users: Users, error: Fraction) -> Fraction:
    """Pr[|sum - mean| > error] as an exact fraction: every sum, user after user."""
    sums = {Fraction(0): Fraction(1)}
    mean = Fraction(0)
    for each, count in users:
        assert isinstance(each, Contribution)
        mean += count * each.mean
        for _ in range(count):
            new: dict[Fraction, Fraction] = {}
            for total, chance in sums.items():
                for value, p in each.atoms:
                    new[total + value] = new.get(total + value, Fraction(0)) + chance * p
            sums = new
    return sum((p for total, p in sums.items() if abs(total - mean) > error), Fraction(0))


@dataclass(frozen=True)
class Tail:
    """Pr[|sum - mean| > threshold] <= beta for sums of independent contributions.

    Attributes:
        groups: of users.
        threshold: an expression. beta: an expression for the claimed probability.
        values: of the symbols; every combination is a case.
        cited: whose theorem says it for all cases; empty where nobody's does.
        events: how many such sums there are at once, all independent; the claim is that none of
            them exceeds the threshold.
        proved: whether Hoeffding's inequality is to prove it for all values of the symbols; only
            where the two values of all groups are as far apart.
    """

    groups: Sequence[TwoPoint]
    threshold: Any
    beta: Any
    values: Values
    cited: str = ""
    events: Any = 1
    proved: bool = False

    def says(self) -> str:
        """The statement, rendered."""
        users = "; ".join(group.says() for group in self.groups)
        sums = "the sum" if self.events == 1 else f"any of {formula(self.events)} independent sums"
        bound = f"Pr[{sums} is off its mean by more than {formula(self.threshold)}]"
        where = self._wherever() if self._in_general() else f", at {given(self.values)}"
        return f"{users}: {bound} <= {formula(self.beta)}{where}"

    def _wherever(self) -> str:
        """Say what the theorem asks of the symbols, where not numbers show it."""
        chances = dict.fromkeys(sympy.sympify(group.chance) for group in self.groups)
        asked = [f"0 <= {formula(each)} <= 1" for each in chances if not each.is_number]
        widths = dict.fromkeys(sympy.sympify(group.high - group.low) for group in self.groups)
        asked += [f"{formula(each)} != 0" for each in widths if not each.is_number]
        asked += [f"{formula(self.threshold)} >= 0", f"0 < {formula(self.beta)} <= 1"]
        return f", for any whole number of users from 1 on, wherever {' and '.join(asked)}"

    def announce(self, context: Context) -> None:
        """Ask for the theorems of the proof."""
        if self.proved:
            self._proof().announce(context)

    def decide(self, context: Context) -> Ruling:
        """Sum the tail up in every case, and ask for a proof."""
        where = f"exact sums at {given(self.values)}"
        found = Cases("", self._cases, where, self.cited, ("balls", "enumeration")).decide(context)
        if not self._in_general():
            return found
        return routes([self._proof().decide(context), found])

    def _in_general(self) -> bool:
        """Return whether the theorem is asked: it is about thresholds from 0 on."""

        def from_0_on(point: Point) -> bool:
            return decide(lambda: _compared(Fraction(0), evaluate.value(self.threshold, point)))

        return self.proved and all(map(from_0_on, combinations(self.values)))

    def _proof(self) -> Hoeffding:
        return Hoeffding(self.groups, self.threshold, self.beta, self.events)

    def _cases(self) -> Iterable[Case]:
        return map(self._case, combinations(self.values))

    def _case(self, point: Point) -> Case:
        users = [group.at(point) for group in self.groups]
        events = int(rational(self.events, point))
        low = Fraction(below(lambda: evaluate.value(self.threshold, point)))
        high = Fraction(above(lambda: evaluate.value(self.threshold, point)))

        def least() -> Any:
            return _some(tail_ball(users, high, strict=True), events)

        def verdict() -> bool | None:
            beta = evaluate.value(self.beta, point)
            if _some(tail_ball(users, low), events) <= beta:
                return True
            return False if least() > beta else None

        def again() -> bool:
            exact = 1 - (1 - tail_by_convolution(users, high)) ** events
            return decide(lambda: _compared(exact, evaluate.value(self.beta, point)))

        chance = decide(least).str(6, radius=False)
        threshold = evaluate.decimal(self.threshold, point, 6)
        beta = evaluate.decimal(self.beta, point, 6)
        return Case(
            {str(symbol): value for symbol, value in point.items()},
            decide(verdict),
            again,
            {"threshold": threshold, "probability": chance, "beta": beta},
            f"claimed Pr[error > {self.threshold} = {threshold}] <= {beta}, found {chance}",
        )


BY_HOEFFDING = "LDP.Concentration.hoeffding"
NONE_OF_MANY = "LDP.Central.none_of_many"


@dataclass(frozen=True)
class Hoeffding:
    """The claim of a `Tail`, from Hoeffding's inequality.

    Pr[|sum - mean| >= threshold] <= 2 exp(-2 threshold^2/(n width^2)) for n users whose
    contributions have this width. With threshold^2 = n width^2 L/2 and L = ln(2 events/beta) that
    is beta/events, for any number of users; and some of the independent events happens with
    probability at most beta.

    Attributes:
        groups: of users, at least one user; their values differ. threshold, beta, events: as in
            `Tail`, 0 < beta <= 1.
    """

    groups: Sequence[TwoPoint]
    threshold: Any
    beta: Any
    events: Any = 1

    def _theorems(self) -> list[Theorem]:
        return [Theorem(BY_HOEFFDING), *([] if self.events == 1 else [Theorem(NONE_OF_MANY)])]

    def announce(self, context: Context) -> None:
        """Ask for the theorems."""
        for theorem in self._theorems():
            theorem.announce(context)

    def decide(self, context: Context) -> Ruling:
        """The identity by polynomials, then what Coq's kernel says of the theorems."""
        inside = 2 * self.events / self.beta
        logarithm = sympy.Symbol("L_", positive=True)
        known = (self.threshold**2).replace(
            sympy.log,
            lambda e: logarithm if sympy.cancel(e - inside) == 0 else sympy.Symbol("unknown_"),
        )
        width = self.groups[0].high - self.groups[0].low
        if any(sympy.cancel(each.high - each.low - width) != 0 for each in self.groups):
            return open_because("the two values of a user are not as far apart in every group")
        users = sum(each.count for each in self.groups)
        if sympy.cancel(2 * known - users * width**2 * logarithm) != 0:
            return open_because(
                f"threshold^2 is not n (high - low)^2 ln(2/beta)/2: {self.threshold}"
            )
        said = "the bound is beta by an identity"
        found = all_of(theorem.decide(context) for theorem in self._theorems())
        if found.kind is not RulingKind.PROVED:
            return found
        return all_of([found, Ruling(RulingKind.PROVED, ("polynomials",), said)])


def _some(chance: Any, events: int) -> Any:
    return chance if events == 1 else 1 - (1 - chance) ** events


def _compared(exact: Fraction, beta: Any) -> bool | None:
    gap = beta - ball(exact)
    return True if gap >= 0 else False if gap < 0 else None
