"""The obligations as checks of one expanded table: laws of every table, and claims about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.kinds import FINITE, Kind, TableForm
from ldp_verified.language.claims import (
    LDP,
    BetterThan,
    Claim,
    Holds,
    Privacy,
    SameTable,
    Unbiased,
    Variance,
    f,
    n,
)
from ldp_verified.language.exponents import beside
from ldp_verified.prove.enumeration.expand import NotExpandableError, Point, evaluate
from ldp_verified.prove.enumeration.privacy_checks import (
    better_check,
    delta_check,
    exponential_check,
    pair_check,
    same_table_check,
)
from ldp_verified.prove.enumeration.table_facts import (
    Estimator,
    Exists,
    LinearEstimator,
    SupportEstimator,
)
from ldp_verified.prove.enumeration.witnesses import (
    ENUMERATION,
    PointPlace,
    both,
    checks_of,
    ratio_witness,
)
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism

USERS = (Fraction(1), Fraction(1000))
SHARES = (Fraction(0), Fraction(1, 3), Fraction(1))

# None: the obligation holds there.
Check = Callable[[PointPlace], Witness | None]


@ENUMERATION.rule((Kind.NONNEGATIVE,), FINITE)
def nonnegative(place: PointPlace) -> Witness | None:
    """Check that every P(y|x) >= 0."""
    for column in place.table.columns:
        low = min(column.weights)
        if low < 0:
            x = column.weights.index(low)
            value = place.checked(column, x)
            label, y = place.table.inputs[x], place.output(column)
            return place.witness(
                {"x": label, "y": y, "P(y|x)": value},
                f"P(y|x) = {both(value)} is negative at y = {y}, x = {label}",
            )
    return None


@ENUMERATION.rule((Kind.SUMS_TO_ONE,), FINITE)
def sums_to_one(place: PointPlace) -> Witness | None:
    """The outputs of every input have total probability 1."""
    for x, total in enumerate(place.table.row_sums):
        if total != 1:
            label = place.table.inputs[x]
            return place.witness(
                {"x": label, "sum": total},
                f"the probabilities of all {place.table.outputs} outputs sum to {both(total)}, "
                f"not 1, at x = {label}",
            )
    return None


@ENUMERATION.rule((Kind.EQUAL_SUPPORT,), FINITE)
def equal_support(place: PointPlace) -> Witness | None:
    """An output that one input can give, every input can give."""
    for column in place.table.columns:
        if 0 in column.weights and any(column.weights):
            found = place.worst
            if found.ratio is not None:  # Only negative weights beside the zero.
                return None
            values = place.pair(found)
            x2 = values["x'"]
            return place.witness(
                values,
                f"y = {values['y']} has probability {both(values['P(y|x)'])} under "
                f"x = {values['x']} and 0 under x' = {x2}: eps is infinite",
            )
    return None


def _ratio(mechanism: Mechanism, claim: LDP) -> Check:
    bound_expression = mechanism.algebraic("LDP.epsilon", claim.ratio)

    def check(place: PointPlace) -> Witness | None:
        bound = evaluate(bound_expression, place.point)
        ratio = place.worst.ratio
        if ratio is not None and ratio <= bound:
            return None
        return ratio_witness(place, bound, "claimed")

    return check


def _tight(mechanism: Mechanism, claim: LDP) -> Check:
    bound_expression = mechanism.algebraic("LDP.epsilon", claim.ratio)

    def check(place: PointPlace) -> Witness | None:
        bound = evaluate(bound_expression, place.point)
        ratio = place.worst.ratio
        if ratio == bound:
            return None
        # A table that exceeds the bound may still reach it elsewhere.
        beyond = ratio is None or ratio > bound
        for column in place.table.columns if beyond else ():
            weights = Counter(column.weights)
            for weight in weights:
                other = weight * bound
                if weight > 0 and other in weights and (bound != 1 or weights[weight] > 1):
                    return None
        return ratio_witness(place, bound, "claimed tight")

    return check


def _unbiased(mechanism: Mechanism, claim: Unbiased) -> Check:
    stated = None
    if claim.supported is not None:
        stated = [
            mechanism.algebraic("Unbiased", value) for value in (claim.supported, claim.otherwise)
        ]

    def check(place: PointPlace) -> Witness | None:
        found: Estimator | str
        if stated is None:
            found = place.estimator
        else:
            mass = place.table.supported_mass
            values = [evaluate(value, place.point) for value in stated]
            found = (
                "the form declares no support"
                if mass is None
                else SupportEstimator(values[0], values[1], mass, place.table.row_sums)
            )
        if isinstance(found, str):
            return place.witness({"reason": found}, f"no unbiased estimator: {found}")
        return None if isinstance(found, Exists) else _expectation_witness(place, found)

    return check


def _expectation_witness(
    place: PointPlace, found: SupportEstimator | LinearEstimator
) -> Witness | None:
    labels = place.table.inputs
    for x, v in product(range(len(labels)), repeat=2):
        expectation = found.expectation(x, v)
        if expectation != int(x == v):
            values: dict[str, Any] = {
                "x": labels[x],
                "v": labels[v],
                "expectation": expectation,
                "expected": int(x == v),
            }
            if isinstance(found, SupportEstimator):
                values |= {"supported": found.supported, "otherwise": found.otherwise}
                values["P(y supports v|x)"] = found.mass[x][v]
            return place.witness(
                values,
                f"a user with x = {labels[x]} adds {both(expectation)} to the count of "
                f"v = {labels[v]} on average, not {int(x == v)}",
            )
    return None


def _variance(mechanism: Mechanism, claim: Variance) -> Check:
    value = mechanism.algebraic("Variance.value", claim.value)

    def check(place: PointPlace) -> Witness | None:
        found = place.estimator
        if isinstance(found, str):
            return place.witness({"reason": found}, f"no unbiased estimator: {found}")
        if isinstance(found, Exists):
            raise NotExpandableError("estimator", "is not written down for so many inputs")
        shares = SHARES if claim.at_f is None else (evaluate(claim.at_f, place.point),)
        claimed = {
            (users, share): evaluate(value, {**place.point, n: users, f: share})
            for users, share in product(USERS, shares)
        }
        labels = place.table.inputs
        size = range(len(labels))
        # Most (v, x) give the same two variances: each is compared once, by its number.
        numbers: dict[tuple[int, int], int] = {}
        one_user = [
            [
                numbers.setdefault(found.variance(x, v).as_integer_ratio(), len(numbers))
                for v in size
            ]
            for x in size
        ]
        variances = [Fraction(*ratio) for ratio in numbers]
        cases = {(one_user[v][v], one_user[x][v]): (v, x) for v, x in product(size, size) if x != v}
        for (first, second), (v, x) in cases.items():
            held, absent = variances[first], variances[second]
            for (users, share), said in claimed.items():
                total = users * (share * held + (1 - share) * absent)
                if total != said:
                    return place.witness(
                        {
                            "v": labels[v],
                            "other users' value": labels[x],
                            "n": users,
                            "f": share,
                            "claimed": said,
                            "variance": total,
                        },
                        f"claimed variance {both(said)}, found {both(total)}, for the count of "
                        f"v = {labels[v]} among n = {users} users, a share f = {share} of whom "
                        f"hold it and the others {labels[x]}",
                    )
        return None

    return check


@ENUMERATION.rule((Kind.HOLDS,), FINITE)
def relation_check(mechanism: Mechanism, claim: Holds) -> Callable[[Point], Witness | None]:
    """The check of an equation or inequality at a point."""
    left = mechanism.algebraic("Holds.lhs", claim.relation.lhs)
    right = mechanism.algebraic("Holds.rhs", claim.relation.rhs)
    used = left.free_symbols | right.free_symbols
    users = USERS if n in used else (None,)
    shares = SHARES if f in used else (None,)

    def check(point: Point) -> Witness | None:
        for count, share in product(users, shares):
            full = dict(point)
            full |= {} if count is None else {n: count}
            full |= {} if share is None else {f: share}
            try:
                a, b = evaluate(left, full), evaluate(right, full)
            except ZeroDivisionError:
                return undefined(full)
            if not _compare(claim.relation, a, b):
                return Witness(
                    {symbol.name: str(value) for symbol, value in full.items()},
                    {"left": str(a), "right": str(b), "relation": claim.relation.rel_op},
                    f"claimed {claim.relation}, found {both(a)} on the left and {both(b)} on the "
                    "right",
                )
        return None

    return check


def _compare(relation: Any, left: Fraction, right: Fraction) -> bool:
    if isinstance(relation, sympy.Eq):
        return left == right
    if isinstance(relation, sympy.Le):
        return left <= right
    if isinstance(relation, sympy.Lt):
        return left < right
    return left >= right if isinstance(relation, sympy.Ge) else left > right


def undefined(point: Point) -> Witness:
    """A claim without a value at a point of its domain."""
    return Witness(
        {symbol.name: str(value) for symbol, value in point.items()},
        {"reason": "division by zero"},
        "the claim divides by zero at these parameters",
    )


def first_witness(check: Callable[[Any], Witness | None], places: Iterable[Any]) -> Witness | None:
    """The first witness that a check finds; None if it finds none at any place.

    Args:
        check: a function of a place. places: points, or what is written out at them.

    Raises:
        NotExpandableError: it finds none, and could not look at every place.
    """
    left: NotExpandableError | None = None
    for place in places:
        try:
            found = check(place)
        except ZeroDivisionError:
            found = undefined(getattr(place, "point", place))
        except NotExpandableError as error:
            left = error
            continue
        if found is not None:
            return found
    if left is not None:
        raise left
    return None


Checked = tuple[Check, str]
"""A check, and what else was covered."""


def claim_checks(mechanism: Mechanism, claim: Claim) -> Iterator[tuple[Kind, Check, str]]:
    """(obligation, check, what else was covered) for a claim about the table at one point."""
    for kind, (check, covered) in checks_of(mechanism, claim, TableForm.MATRIX):
        yield kind, check, covered


@ENUMERATION.rule((Kind.RATIO,), FINITE)
def _ratio_rule(mechanism: Mechanism, claim: Privacy) -> Checked:
    if not isinstance(claim, LDP):
        return pair_check(mechanism, claim), "; every bounded pair"
    return _bound(mechanism, claim, tight=False), ""


@ENUMERATION.rule((Kind.TIGHT,), FINITE)
def _tight_rule(mechanism: Mechanism, claim: LDP) -> Checked:
    return _bound(mechanism, claim, tight=True), ""


def _bound(mechanism: Mechanism, claim: LDP, *, tight: bool) -> Check:
    if claim.delta != 0:
        return delta_check(mechanism, claim, tight=tight)
    bound = beside(mechanism.table, claim)
    if bound is not None:
        return exponential_check(mechanism, bound, tight=tight)
    return _tight(mechanism, claim) if tight else _ratio(mechanism, claim)


@ENUMERATION.rule((Kind.SAME_TABLE,), FINITE)
def _same_rule(mechanism: Mechanism, claim: SameTable) -> Checked:
    return same_table_check(mechanism, claim), ""


@ENUMERATION.rule((Kind.BETTER,), FINITE)
def _better_rule(mechanism: Mechanism, claim: BetterThan) -> Checked:
    at = "0, 1/3, 1 and beside the boundary" if claim.at_f == f else claim.at_f
    return better_check(mechanism, claim), f"; f = {at}"


@ENUMERATION.rule((Kind.UNBIASED,), FINITE)
def _unbiased_rule(mechanism: Mechanism, claim: Unbiased) -> Checked:
    return _unbiased(mechanism, claim), "; every x and v"


@ENUMERATION.rule((Kind.VARIANCE,), FINITE)
def _variance_rule(mechanism: Mechanism, claim: Variance) -> Checked:
    shares = SHARES if claim.at_f is None else (claim.at_f,)
    note = f"; n = 1, 1000, f = {', '.join(map(str, shares))}, every v and other value"
    return _variance(mechanism, claim), note
