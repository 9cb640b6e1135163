"""Points on both sides of the boundary of a stated region, for looking at small tables there.

A region that is wrong by a little agrees with the right one at most points; beside its own boundary
it does not.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language.claims import f
from ldp_verified.language.parameters import Domain
from ldp_verified.prove.enumeration.points import inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ldp_verified.language.claims import BetterThan
    from ldp_verified.language.mechanism import Mechanism

SHARES = (Fraction(0), Fraction(1, 3), Fraction(1))
BESIDE = sympy.Rational(1, 1000)
MOST = 24
"""Points beside a boundary at most."""

NEARER = tuple(Fraction(1, 1 << (1 << doubling)) for doubling in range(2, 9))
"""Shares of the way to an end of a domain that are left: down to 2^-256."""

_UNIT = Domain(lower=sympy.S.Zero, upper=sympy.S.One)


def beside(
    margin: Any, symbol: Any, domain: Domain, values: Mapping[Any, Fraction]
) -> list[Fraction]:
    """Values of `symbol` on both sides of every root of `margin`, others being given.

    Only what lies in the domain: none, where the boundary does not meet it.
    """
    at = {s: sympy.Rational(v.numerator, v.denominator) for s, v in values.items() if s != symbol}
    top = sympy.fraction(sympy.together(margin.subs(at)))[0]
    if top.free_symbols != {symbol}:
        return []
    poly = sympy.Poly(top, symbol)
    roots = [ends for ends, _ in poly.intervals(eps=BESIDE)]
    near = [value for low, high in roots for value in (low - BESIDE, high + BESIDE)]
    inside = [value for value in near if domain.contains(value, at) and poly.eval(value) != 0]
    return [Fraction(int(value.p), int(value.q)) for value in inside]


def toward_ends(
    mechanism: Mechanism, known: Iterable[Mapping[Any, Fraction]]
) -> list[dict[Any, Fraction]]:
    """Points ever nearer to the ends that do not belong to the domains of reals, `MOST` at most.

    A ratio without bound there exceeds any claim that has one; other points may lie too far away.

    Args:
        mechanism: for its domains. known: points that are moved towards the ends.
    """
    found: list[dict[Any, Fraction]] = []
    for point in known:
        for symbol, domain in mechanism.variables.items():
            ends = ((domain.lower, domain.lower_open), (domain.upper, domain.upper_open))
            for end in (Fraction(int(e.p), int(e.q)) for e, is_open in ends if _given(e, is_open)):
                moved = ({**point, symbol: end + (point[symbol] - end) * s} for s in NEARER)
                found += [each for each in moved if symbol in point and inside(mechanism, each)]
    return found[:MOST]


def _given(end: Any, is_open: bool) -> bool:
    """Return whether an end is a number that does not belong to the domain."""
    return is_open and end is not None and sympy.sympify(end).is_Rational


def shares(claim: BetterThan, margin: Any, point: Mapping[Any, Fraction]) -> tuple[Fraction, ...]:
    """The shares at which a comparison is looked at: its own, or several and beside the boundary.

    Args:
        claim: its share is a number or f. margin: > 0 where its condition holds. point: the rest.
    """
    if claim.at_f != f:
        return (Fraction(int(claim.at_f.p), int(claim.at_f.q)),)
    return (*SHARES, *beside(margin, f, _UNIT, point))


def crossings(
    mechanism: Mechanism, claim: BetterThan, points: Iterable[Mapping[Any, Fraction]]
) -> list[dict[Any, Fraction]]:
    """Points on both sides of the boundary, each reached from one of `points` along one real."""
    margin = mechanism.algebraic("condition", claim.margin)
    symbols = [
        s
        for s, domain in mechanism.variables.items()
        if s in margin.free_symbols and not domain.integer
    ]
    found: dict[tuple[Fraction, ...], dict[Any, Fraction]] = {}
    looked: set[tuple[Any, ...]] = set()
    for point in points:
        for symbol in symbols:
            rest = tuple((s, v) for s, v in point.items() if s != symbol)
            if (symbol, *rest) in looked:
                continue
            looked.add((symbol, *rest))
            for share in SHARES if claim.at_f == f else (Fraction(0),):
                for value in beside(
                    margin, symbol, mechanism.variables[symbol], {**point, f: share}
                ):
                    moved = {**point, symbol: value}
                    if not inside(mechanism, moved):
                        continue
                    found.setdefault(tuple(moved.values()), moved)
        if len(found) >= MOST:
            break
    return [*found.values()][:MOST]
