"""Wrong variants of a claim about a table that stays as it is.

They are made so that they are false and not merely weaker. Half of an epsilon is taken only of a
tight one, and a region or a constant is changed only where the derived value shows that it says
something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import sympy

from ldp_verified.derive import Facts, in_epsilon
from ldp_verified.language import (
    LDP,
    BetterThan,
    Claim,
    GaussianLDP,
    Holds,
    Matrix,
    Mean,
    Mechanism,
    MetricLDP,
    Optimal,
    PersonalisedLDP,
    Points,
    ReportVariance,
    SameTable,
    Unbiased,
    Variance,
    WorstVariance,
    f,
    n,
)
from ldp_verified.language.comparisons import compared
from ldp_verified.language.feasible import interior_point
from ldp_verified.prove.enumeration.boundary_points import crossings
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.mutation.expression_changes import dropped, moved, squared, variant

SMALL = 8
"""Sizes up to which the boundary of a stated region is looked for."""

Wrong = Iterator[tuple[str, str, Callable[[], Claim]]]
"""Kind, what was changed, and the changed claim."""


def wrong_claims(m: Mechanism, claim: Claim, facts: Facts) -> Wrong:
    """Every wrong variant of one claim of a mechanism."""
    match claim:
        case LDP():
            yield from _privacy(m, claim, facts)
        case MetricLDP():
            yield from _metric(m, claim, facts)
        case PersonalisedLDP():
            yield from _personalised(m, claim)
        case GaussianLDP(mu=mu):
            yield "epsilon", f"the curve of {mu / 2}", lambda: replace(claim, mu=mu / 2)
            if claim.tight:
                yield "epsilon", f"the curve of {2 * mu}", lambda: replace(claim, mu=2 * mu)
        case Variance():
            yield from _variance(m, claim)
        case Mean() | ReportVariance() | WorstVariance():
            yield from _moment(claim)
        case Unbiased(supported=supported) if supported is not None:
            yield from wrong_constants(claim)
        case Optimal():
            for key, value in claim.values.items():
                for new in (value + 1, 2 * value):
                    values = {**claim.values, key: new}
                    what = f"{key} = {new} for {value}"
                    yield "optimum", what, partial(replace, claim, values=values)
        case BetterThan():
            yield from _better(m, claim)
        case SameTable():
            yield from _same(claim)
        case Holds(relation=relation):
            if isinstance(relation, sympy.Eq):
                wrong = sympy.Eq(relation.lhs, relation.rhs + 1, evaluate=False)
            else:
                wrong = relation.negated
            yield "comparison", f"{wrong} for {relation}", lambda: replace(claim, relation=wrong)


def _privacy(m: Mechanism, claim: LDP, facts: Facts) -> Wrong:
    if claim.delta != 0:
        yield from _delta(m, claim)
        return
    epsilon = claim.epsilon if facts.epsilon in (None, sympy.oo) else facts.epsilon
    # Half of the tight value: half of a loose one may be true.
    for less in _less(epsilon):
        yield "epsilon", f"{less}", partial(replace, claim, epsilon=less)
    if claim.tight:
        yield "epsilon", f"{2 * epsilon}, tight", lambda: replace(claim, epsilon=2 * epsilon)


def _less(epsilon: Any) -> Iterator[Any]:
    yield epsilon / 2
    if isinstance(epsilon, sympy.log):
        # Half of a logarithm is refused: its exponential is a square root.
        yield sympy.log((1 + epsilon.args[0]) / 2)


def _delta(m: Mechanism, claim: LDP) -> Wrong:
    """Too small a delta; at eps = 0 where none is needed at the claimed epsilon."""
    if claim.tight:
        yield "epsilon", "half the delta", lambda: replace(claim, delta=claim.delta / 2)
        yield "epsilon", "twice the delta, tight", lambda: replace(claim, delta=2 * claim.delta)
        return
    for epsilon in (claim.epsilon, sympy.S.Zero):
        needed = _needed(m, m.algebraic("claim", sympy.exp(epsilon)))
        if needed != 0:
            less = in_epsilon(m, sympy.factor(needed / 2))
            yield (
                "epsilon",
                f"eps = {epsilon}, half the delta that it needs",
                partial(replace, claim, epsilon=epsilon, delta=less),
            )
            return


def _moment(claim: Mean | ReportVariance | WorstVariance) -> Wrong:
    kind = "estimator" if isinstance(claim, Mean) else "variance"
    changed = {"twice the value": 2 * claim.value, "one more": claim.value + 1}
    changed |= {f"{what} dropped": rest for what, rest in dropped(claim.value)}
    for what, new in changed.items():
        if new != claim.value:
            yield kind, what, partial(replace, claim, value=new)


def _needed(m: Mechanism, level: Any) -> Any:
    """The delta of the pair that needs most at one point inside the domain, as a formula there."""
    inside = interior_point(m.variables)
    sums = [
        sympy.Add(
            *(
                row.count * (row.px - level * row.px2)
                for row in table.rows
                if (row.px - level * row.px2).subs(inside).is_positive
            )
        )
        for table in m.algebraic_table.pair_tables()
    ]
    return max(sums, key=lambda value: value.subs(inside), default=sympy.S.Zero)


def _rows(m: Mechanism) -> dict[Any, list[Any]]:
    assert isinstance(m.table, Matrix)
    return dict(zip(m.table.inputs, map(list, m.table.rows), strict=True))


def _metric(m: Mechanism, claim: MetricLDP, facts: Facts) -> Wrong:
    """A wrong distance factor, and a distance 0 between inputs that can be told apart."""
    if isinstance(m.table, Points):
        yield "exponent", "no loss per unit of distance", partial(replace, claim, epsilon=0)
        return
    rows = _rows(m)
    distances = {(x, x2): claim.distance_between(x, x2) for x in rows for x2 in rows if x != x2}
    largest = max((d for d in distances.values() if d is not None), default=sympy.S.Zero)
    epsilon = facts.epsilon
    if epsilon not in (None, sympy.oo) and None not in distances.values() and largest > 0:
        # The pair with the largest ratio is at most this far apart: its bound is then too small.
        for less in _less(epsilon):
            factor = sympy.factor(less / largest)
            yield "distance", f"{factor} per unit", partial(replace, claim, epsilon=factor)
    for (x, x2), d in distances.items():
        if d and any(sympy.cancel(a - b) != 0 for a, b in zip(rows[x], rows[x2], strict=True)):
            nearer = {**distances, (x, x2): sympy.S.Zero}
            what = f"distance 0 for {d} between {x} and {x2}"
            yield "distance", what, partial(replace, claim, distance=nearer)
            return


def _personalised(m: Mechanism, claim: PersonalisedLDP) -> Wrong:
    """Half of what the region needs, and regions that need more than is claimed."""
    rows, inside = _rows(m), interior_point(m.variables)
    tight = _tight_within(m, claim.region)
    if tight is not None:
        for less in _less(tight):
            made = partial(PersonalisedLDP, less, claim.region, claim.source)
            yield "epsilon", f"{less} in the region", made
    claimed = m.algebraic("claim", sympy.exp(claim.epsilon)).subs(inside)
    for x in rows:
        wider = claim.region | {x}
        needs = None if x in claim.region else _tight_within(m, wider)
        if needs is None:
            continue
        if (m.algebraic("claim", sympy.exp(needs)).subs(inside) - claimed).is_positive:
            made = partial(PersonalisedLDP, claim.epsilon, wider, claim.source)
            yield "region", f"{x} in the region too", made


def _tight_within(m: Mechanism, region: frozenset[Any]) -> Any:
    """The tight epsilon of the rows of a region alone; None where it is not known or infinite."""
    kept = {x: row for x, row in _rows(m).items() if x in region}
    part = variant(m, table=Matrix([*kept.values()], inputs=[*kept]), claims=())
    epsilon = Facts(part).epsilon
    return None if epsilon in (None, sympy.oo) else epsilon


def _variance(m: Mechanism, claim: Variance) -> Wrong:
    value = claim.value
    changed = {"twice the value": 2 * value, "n more": value + n}
    if value.has(f):
        changed["without its part in f"] = value.subs(f, 0)
    elif claim.at_f is None:
        changed["n f more"] = value + n * f
    changed |= {what: move(value) for _, what, move in moved(m.parameters, "")}
    changed |= {f"{what} dropped": rest for what, rest in dropped(value)}
    for what, new in changed.items():
        if new != value:
            yield "variance", what, partial(replace, claim, value=new)
    if claim.at_f is not None:
        yield "variance", f"f = {claim.at_f} dropped", lambda: replace(claim, at_f=None)


def wrong_constants(claim: Unbiased) -> Wrong:
    """Wrong weights of an estimator that is written out."""
    for name in ("supported", "otherwise"):
        value = getattr(claim, name)
        for what, new in ((f"{name} doubled", 2 * value), (f"{name} + 1", value + 1)):
            yield "estimator", what, partial(replace, claim, **{name: new})
    yield "estimator", "reports counted as they are", lambda: Unbiased(1, 0)
    yield (
        "estimator",
        "both constants change places",
        lambda: replace(claim, supported=claim.otherwise, otherwise=claim.supported),
    )


def _better(m: Mechanism, claim: BetterThan) -> Wrong:
    """The opposite condition; a wrong constant where the boundary meets the domain."""
    condition = claim.condition
    opposite = condition.reversed.func(condition.lhs, condition.rhs, evaluate=False)
    yield "comparison", "the opposite condition", partial(replace, claim, condition=opposite)
    if not crossings(m, claim, points(m, SMALL)):
        return
    for what, rhs in (("1 more", condition.rhs + 1), ("twice as much", 2 * condition.rhs)):
        other = condition.func(condition.lhs, rhs, evaluate=False)
        change = partial(replace, claim, condition=other)
        yield "comparison", f"{what} on the right of {condition}", change


def _same(claim: SameTable) -> Wrong:
    """Wrong comparisons: another mechanism's table with e^eps squared, or a parameter moved."""
    other = compared(claim.other)
    changes = [("e^eps squared", squared), *((w, c) for _, w, c in moved(other.parameters, ""))]
    for what, change in changes:
        if any(change(cell) != cell for cell in other.table.cells().values()):
            cells = {name: change(cell) for name, cell in other.table.cells().items()}
            yield "comparison", f"{what} in the other table", partial(_against, claim, other, cells)


def _against(claim: SameTable, other: Any, cells: dict[str, Any]) -> SameTable:
    return replace(claim, other=variant(other, table=other.table.with_cells(cells), claims=()))
