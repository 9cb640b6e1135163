"""Enumeration of privacy claims that speak of single pairs or of delta, and of comparisons.

Everything is recomputed from the expanded table at one point.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import lcm
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language.balls import sign
from ldp_verified.language.claims import f
from ldp_verified.language.forms import Matrix
from ldp_verified.prove.enumeration.boundary_points import shares
from ldp_verified.prove.enumeration.expand import NotExpandableError, evaluate, expand_form
from ldp_verified.prove.enumeration.expanded import MAX_WORK
from ldp_verified.prove.enumeration.table_facts import Exists, estimator, worst_event
from ldp_verified.prove.enumeration.witnesses import both, epsilon_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.language.claims import LDP, BetterThan, MetricLDP, PersonalisedLDP, SameTable
    from ldp_verified.language.exponents import ExponentialNumber
    from ldp_verified.language.forms import Form
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.prove.enumeration.expand import ExpandedTable
    from ldp_verified.prove.enumeration.witnesses import PointPlace
    from ldp_verified.prove.verdicts import Witness

    Check = Callable[[PointPlace], Witness | None]

MOST_NAMED = 8
"""Kinds of outputs of an event that are listed in a sentence."""


def require_pairs(place: PointPlace) -> None:
    """Raise where there are too many pairs of inputs to be gone through one by one.

    Raises:
        NotExpandableError: there are.
    """
    work = len(place.table.inputs) ** 2 * len(place.table.columns)
    if work > MAX_WORK:
        raise NotExpandableError("inputs", "must be few where every pair is looked at", work)


def delta_check(mechanism: Mechanism, claim: LDP, *, tight: bool) -> Check:
    """(epsilon, delta)-LDP as a sum over outputs, for every ordered pair.

    `tight`: with equality.
    """
    ratio = mechanism.algebraic("LDP.epsilon", claim.ratio)
    claimed = mechanism.algebraic("LDP.delta", claim.delta)

    def check(place: PointPlace) -> Witness | None:
        require_pairs(place)
        level, said = evaluate(ratio, place.point), evaluate(claimed, place.point)
        worst = worst_event(place.table, level)
        found = worst.delta
        if found == said or (found < said and not tight):
            return None
        word = "claimed tight" if tight else "claimed"
        values = place.event(worst, level)
        x2, top, bottom = (values[name] for name in ("x'", "P(S|x)", "P(S|x')"))
        named = values["S"] if len(worst.columns) <= MOST_NAMED else f"{len(worst.columns)} classes"
        return place.witness(
            values | {"claimed delta": said},
            f"{word} delta = {both(said)} at e^eps = {both(level)}; found {both(found)} for "
            f"x = {values['x']}, x' = {x2} and the event S = {named}, whose "
            f"probabilities are {both(top)} and {both(bottom)}",
        )

    return check


def pair_check(mechanism: Mechanism, claim: MetricLDP | PersonalisedLDP) -> Check:
    """Each ordered pair of inputs against its own bound."""

    @cache
    def bounds_of(labels: tuple[Any, ...]) -> dict[tuple[int, int], Any]:
        bounds: dict[tuple[int, int], Any] = {}
        for (i, x), (j, x2) in permutations(enumerate(labels), 2):
            ratio = claim.ratio_between(x, x2)
            if ratio is not None:
                bounds[i, j] = mechanism.algebraic("bound", ratio)
        return bounds

    def check(place: PointPlace) -> Witness | None:
        require_pairs(place)
        bounds = bounds_of(place.table.inputs)
        known = {e: evaluate(e, place.point) for e in set(bounds.values())}
        for (x, x2), expression in bounds.items():
            bound = known[expression]
            for column in place.table.columns:
                top, bottom = column.weights[x], column.weights[x2]
                if top > bound * bottom:
                    ratio = "infinite" if bottom == 0 else Fraction(top, bottom)
                    labels = place.table.inputs[x], place.table.inputs[x2]
                    shown = ratio if isinstance(ratio, str) else both(ratio)
                    return place.witness(
                        {
                            "x": labels[0],
                            "x'": labels[1],
                            "y": place.output(column),
                            "P(y|x)": place.checked(column, x),
                            "P(y|x')": place.checked(column, x2),
                            "bound": bound,
                            "ratio": ratio,
                        },
                        f"x = {labels[0]} and x' = {labels[1]} are bounded by {both(bound)} "
                        f"(eps = {epsilon_of(bound)}); found {shown} at y = {place.output(column)}",
                    )
        return None

    return check


def exponential_check(mechanism: Mechanism, bound: ExponentialNumber, *, tight: bool) -> Check:
    """The largest ratio against factor * e^exponent, by a ball around it; `tight`: they are equal.

    Where the exponent is not 0 they never are: a power of e other than 1 is irrational.
    """
    factor, exponent = (
        mechanism.algebraic("LDP.epsilon", part) for part in (bound.factor, bound.exponent)
    )

    def check(place: PointPlace) -> Witness | None:
        times, power = (_exact(evaluate(part, place.point)) for part in (factor, exponent))
        allowed = times * sympy.exp(power)
        ratio = place.worst.ratio
        beyond = 1 if ratio is None else sign(_exact(ratio) - allowed)
        if beyond is None:
            raise NotExpandableError("bound", "must be told from the ratio", str(allowed))
        if beyond == 0 or (beyond < 0 and not tight) or (tight and power == 0):
            return None
        values = place.pair(place.worst)
        where = ", ".join(f"{name} = {values[name]}" for name in ("y", "x", "x'"))
        said = f"claimed{' tight' if tight else ''} eps = {_logarithm(times, power)}"
        found = "infinite" if ratio is None else f"{both(ratio)}, eps = {epsilon_of(ratio)}"
        return place.witness(
            {**values, "bound": allowed, "ratio": "infinite" if ratio is None else ratio},
            f"{said}; found the ratio {found}, at {where}",
        )

    return check


def _exact(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _logarithm(times: Any, power: Any) -> str:
    """The logarithm of times * e^power, exact and decimal."""
    if times <= 0:
        return f"log({times}*exp({power}))"
    exact = sympy.log(times) + power
    return f"{exact} ({float(exact):.6g})"


def _columns(table: ExpandedTable, unit: int) -> Counter[tuple[int | Fraction, ...]]:
    """P(y|x) for every x, in units of 1/unit, of outputs that occur -> number of outputs."""
    counted: Counter[tuple[int | Fraction, ...]] = Counter()
    times = unit // table.denominator
    for column in table.columns:
        if any(column.weights):
            counted[tuple(w * times for w in column.weights)] += column.multiplicity
    return counted


def other_form(mechanism: Mechanism, claim: SameTable | BetterThan) -> Form:
    """The other mechanism's table in this one's variables."""
    assert claim.table is not None
    return claim.table.map(lambda value: mechanism.algebraic("other table", value))


def same_table_check(mechanism: Mechanism, claim: SameTable) -> Check:
    """Check that both tables, written out, have the same columns equally often."""
    other = other_form(mechanism, claim)

    def check(place: PointPlace) -> Witness | None:
        there = expand_form(other, place.point)
        unit = lcm(place.table.denominator, there.denominator)
        own, theirs = _columns(place.table, unit), _columns(there, unit)
        difference = (own - theirs) or (theirs - own)
        if not difference:
            return None
        column = next(iter(difference))
        shown = ", ".join(str(Fraction(weight, unit)) for weight in column)
        return place.witness(
            {"P(y|x) for each x": shown, "here": own[column], "there": theirs[column]},
            f"outputs with probabilities ({shown}): {own[column]} here, {theirs[column]} there",
        )

    return check


def better_check(mechanism: Mechanism, claim: BetterThan) -> Check:
    """Check that the condition orders the variances of every pair of values correctly."""
    other = other_form(mechanism, claim)
    margin = mechanism.algebraic("condition", claim.margin)

    def check(place: PointPlace) -> Witness | None:
        require_pairs(place)
        own = _variances(place.table, matrix=isinstance(mechanism.table, Matrix))
        theirs = _variances(expand_form(other, place.point), matrix=isinstance(other, Matrix))
        for share in shares(claim, margin, place.point):
            sides = [_at_share(found, share) for found in (own, theirs)]
            if None in sides:
                return place.witness(
                    {"reason": "no one variance"}, "the variance is not the same for every value"
                )
            here, there = (value for value in sides if value is not None)
            expected = evaluate(margin, {**place.point, f: share}) > 0
            if (here < there) == expected:
                continue
            said = "smaller" if expected else "not smaller"
            return place.witness(
                {"f": share, "variance here": here, "variance there": there},
                f"claimed {said}; per user {both(here)} here and {both(there)} there at f = "
                f"{share}",
            )
        return None

    return check


def _variances(table: ExpandedTable, *, matrix: bool) -> set[tuple[Fraction, Fraction]]:
    """Variance of the estimate of v from a user who holds it, and who holds x: for every pair."""
    found = estimator(table, matrix=matrix)
    if isinstance(found, str | Exists):
        return set()
    variances = set()
    for v, x in permutations(range(len(table.inputs)), 2):
        variances.add((found.variance(v, v), found.variance(x, v)))
    return variances


def _at_share(variances: set[tuple[Fraction, Fraction]], share: Fraction) -> Fraction | None:
    """Variance per user of an estimated count, if it is the same for every pair of values."""
    found = {share * held + (1 - share) * absent for held, absent in variances}
    return found.pop() if len(found) == 1 else None
