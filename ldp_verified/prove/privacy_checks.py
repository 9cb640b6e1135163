"""Enumeration of privacy claims that speak of single pairs or of delta, and of comparisons.

Everything is recomputed from the expanded table at one point.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

from ldp_verified.language.forms import Matrix
from ldp_verified.prove.expand import MAX_WORK, NotExpandableError, evaluate, expand_form
from ldp_verified.prove.table_facts import Exists, delta, estimator
from ldp_verified.prove.witnesses import both, epsilon_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.language.claims import LDP, BetterThan, MetricLDP, PersonalisedLDP, SameTable
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.prove.expand import ExpandedTable
    from ldp_verified.prove.verdicts import Witness
    from ldp_verified.prove.witnesses import Place

    Check = Callable[[Place], Witness | None]


def require_pairs(place: Place) -> None:
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

    def check(place: Place) -> Witness | None:
        require_pairs(place)
        level, said = evaluate(ratio, place.point), evaluate(claimed, place.point)
        found = delta(place.table, level)
        if found == said or (found < said and not tight):
            return None
        word = "claimed tight" if tight else "claimed"
        return place.witness(
            {"e^eps": level, "claimed delta": said, "delta": found},
            f"{word} delta = {both(said)} at e^eps = {both(level)}; found {both(found)}",
        )

    return check


def pair_check(mechanism: Mechanism, claim: MetricLDP | PersonalisedLDP) -> Check:
    """Each ordered pair of inputs against its own bound."""
    form = mechanism.table
    assert isinstance(form, Matrix)
    bounds: dict[tuple[int, int], Any] = {}
    for (i, x), (j, x2) in permutations(enumerate(form.inputs), 2):
        ratio = claim.ratio_between(x, x2)
        if ratio is not None:
            bounds[i, j] = mechanism.algebraic("bound", ratio)

    def check(place: Place) -> Witness | None:
        require_pairs(place)
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


def _columns(table: ExpandedTable) -> Counter[tuple[Fraction, ...]]:
    counted: Counter[tuple[Fraction, ...]] = Counter()
    for column in table.columns:
        if any(column.weights):
            probabilities = tuple(Fraction(w, table.denominator) for w in column.weights)
            counted[probabilities] += column.multiplicity
    return counted


def same_table_check(mechanism: Mechanism, claim: SameTable) -> Check:
    """Both tables written out: the same columns equally often, outputs being nameless."""
    assert claim.table is not None
    other = claim.table.map(lambda value: mechanism.algebraic("other table", value))

    def check(place: Place) -> Witness | None:
        own, theirs = _columns(place.table), _columns(expand_form(other, place.point))
        difference = (own - theirs) or (theirs - own)
        if not difference:
            return None
        column = next(iter(difference))
        shown = ", ".join(map(str, column))
        return place.witness(
            {"P(y|x) for each x": shown, "here": own[column], "there": theirs[column]},
            f"outputs with probabilities ({shown}): {own[column]} here, {theirs[column]} there",
        )

    return check


def better_check(mechanism: Mechanism, claim: BetterThan) -> Check:
    """Whether the variances are ordered exactly as the condition says, for every pair of values."""
    assert claim.table is not None
    other = claim.table.map(lambda value: mechanism.algebraic("other table", value))
    condition = mechanism.algebraic("condition", claim.condition.gts - claim.condition.lts)

    def check(place: Place) -> Witness | None:
        require_pairs(place)
        share = evaluate(claim.at_f, place.point)
        own = _variance(place.table, share, matrix=isinstance(mechanism.table, Matrix))
        theirs = _variance(expand_form(other, place.point), share, matrix=isinstance(other, Matrix))
        if own is None or theirs is None:
            return place.witness(
                {"reason": "no one variance"}, "the variance is not the same for every value"
            )
        expected = evaluate(condition, place.point) > 0
        if (own < theirs) == expected:
            return None
        said = "smaller" if expected else "not smaller"
        return place.witness(
            {"f": share, "variance here": own, "variance there": theirs},
            f"claimed {said}; per user {both(own)} here and {both(theirs)} there at f = {share}",
        )

    return check


def _variance(table: ExpandedTable, share: Fraction, *, matrix: bool) -> Fraction | None:
    """Variance per user of an estimated count, if it is the same for every pair of values."""
    found = estimator(table, matrix=matrix)
    if isinstance(found, str | Exists):
        return None
    size = range(len(table.inputs))
    variances = set()
    for v, x in permutations(size, 2):
        parts = []
        for user in (v, x):
            first, second = found.moments(user, v)
            parts.append(second - first * first)
        variances.add(share * parts[0] + (1 - share) * parts[1])
    return variances.pop() if len(variances) == 1 else None
