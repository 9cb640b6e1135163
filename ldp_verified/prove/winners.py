"""A tight epsilon that is another formula in another range: which one where, and that it is so.

At every point the largest of a few ratios is one of them, so that the ranges {this one >= each of
the others} cover the domain, whatever the ratios are. What is shown of each range by itself is that
no row of the table has a larger ratio there. Points only say which ratios to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.derive import Facts, in_epsilon, readable
from ldp_verified.derive.facts import TightRatio
from ldp_verified.derive.rational import sample_points, value_at
from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language import LDP, Holds, Mechanism
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.holds_where import condition
from ldp_verified.prove.prepared import case

MOST = 8
"""Ratios that are the largest somewhere; more ranges are not looked at."""


@dataclass(frozen=True)
class EpsilonRange:
    """The region in which one formula is the tight epsilon.

    Attributes:
        epsilon: the formula. where: the range, as inequalities in words.
        mechanism: the declaration in this range, claiming that it is.
    """

    epsilon: Any
    where: str
    mechanism: Mechanism


def ranges(mechanism: Mechanism, facts: Facts) -> tuple[EpsilonRange, ...]:
    """The ranges of a tight epsilon that is no single formula, each with a checked certificate.

    Empty where none are known.

    Args:
        mechanism: the declaration. facts: what was derived.
    """
    # Only rows of pair tables have ratios to choose from; some forms of table have no such rows.
    if facts.large is not None or not facts.ratios or facts.tight is not None:
        return ()
    chosen = _largest_somewhere(mechanism, facts.ratios)
    if not 2 <= len(chosen) <= MOST:
        return ()
    made = []
    for ratio in chosen:
        relations = [_at_least(mechanism, ratio, other) for other in chosen if other != ratio]
        if None in relations:
            return ()
        kept = [r for r in dict.fromkeys(relations) if r != sympy.true]
        epsilon = sympy.log(in_epsilon(mechanism, readable(ratio, mechanism.variables)))
        try:
            within = Mechanism(
                mechanism.name,
                parameters=mechanism.parameters,
                table=mechanism.table,
                claims=[LDP(epsilon, tight=True)],
                assuming=[*mechanism.assuming, *kept],
                origin=mechanism.origin,
            ).with_requirements(mechanism.requirements)
        except SpecError:  # The range is not seen to hold a point.
            return ()
        if not _certified(within):
            return ()
        made.append(EpsilonRange(epsilon, " and ".join(map(str, kept)), within))
    return tuple(made)


def _certified(mechanism: Mechanism) -> bool:
    """Return whether a checked certificate shows the claim of a range."""
    this = case(mechanism, derived=False)
    outcomes = checker.check(this.statement, this.certificate)
    return all(o.shown for o in outcomes if o.obligation.kind in (Kind.RATIO, Kind.TIGHT))


def _largest_somewhere(mechanism: Mechanism, listed: Sequence[TightRatio]) -> list[Any]:
    """Ratios of which one is the largest at every point looked at; as few as come to hand."""
    ratios = [each.ratio for each in listed]
    winners = []
    for point in sample_points(mechanism.variables):
        values = [value_at(ratio, point) for ratio in ratios]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            top = max(known)
            winners.append({i for i, value in enumerate(values) if value == top})
    chosen: list[int] = []
    while winners:
        best = max(range(len(ratios)), key=lambda i: (sum(i in w for w in winners), -i))
        chosen.append(best)
        winners = [w for w in winners if best not in w]
    return [ratios[i] for i in chosen]


def _at_least(mechanism: Mechanism, ratio: Any, other: Any) -> Any:
    """Return when a ratio is at least another, by checked signs; None if unknown."""
    relation = sympy.Ge(in_epsilon(mechanism, ratio), in_epsilon(mechanism, other), evaluate=False)
    claiming = Mechanism(
        mechanism.name,
        parameters=mechanism.parameters,
        table=mechanism.table,
        claims=[Holds(relation)],
        assuming=mechanism.assuming,
    )
    this = case(claiming, derived=False)
    outcomes = [
        o
        for o in checker.check(this.statement, this.certificate)
        if o.obligation.kind == Kind.HOLDS
    ]
    if all(o.shown for o in outcomes):
        return sympy.true
    said = condition(outcomes, this.certificate)
    if said is None or not said.startswith("holds iff "):
        return None
    names = {symbol.name: symbol for symbol in mechanism.variables}
    written, sign, _ = said.removeprefix("holds iff ").rsplit(maxsplit=2)
    side = in_epsilon(mechanism, sympy.sympify(written, locals=names))
    return (sympy.Ge if sign == ">=" else sympy.Le)(side, 0, evaluate=False)
