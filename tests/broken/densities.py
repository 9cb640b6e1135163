"""Densities that look like the catalogue's and are wrong: what each gets wrong, by kind."""

from __future__ import annotations

from math import prod
from typing import Any

from ldp_verified.language import (
    LDP,
    Atom,
    Claim,
    Density,
    Mean,
    Mechanism,
    Piece,
    Rational,
    ReportVariance,
    WorstVariance,
    exp,
    log,
    real,
)

eps = real("eps", above=0)
x = real("x", at_least=-1, at_most=1)
s = exp(eps / 2)
u = exp(eps)
half = Rational(1, 2)
C = (s + 1) / (s - 1)
left = (C + 1) * x / 2 - (C - 1) / 2
right = left + C - 1
high = (s**2 - s) / (2 * s + 2)
low = (s - 1) / (2 * s**2 + 2 * s)


def _piecewise(pieces: list[Piece], **claims: Claim) -> Mechanism:
    stated: dict[str, Claim] = {
        "ldp": LDP(eps, tight=True),
        "mean": Mean(x),
        "variance": ReportVariance(x**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)),
        "worst": WorstVariance(4 * s / (3 * (s - 1) ** 2), at=1),
        **claims,
    }
    table = Density(value=x, pieces=pieces)
    return Mechanism("wrong", parameters=[eps], table=table, claims=list(stated.values()))


STEPS = [Piece(-C, left, low), Piece(left, right, high), Piece(right, C, low)]


def duchi(slope: Any, b: Any) -> Mechanism:
    """Duchi's mechanism with another slope of its masses and another B."""
    return Mechanism(
        "wrong",
        parameters=[eps],
        table=Density(
            value=x,
            atoms=[Atom(-b, half - x * slope), Atom(b, half + x * slope)],
        ),
        claims=[LDP(eps, tight=True), Mean(x), ReportVariance(b**2 - x**2)],
    )


SLOPE = (u - 1) / (2 * u + 2)
B = (u + 1) / (u - 1)
TWICE = (s**4 + 1) / (s**4 - 1)

WRONG: dict[str, tuple[Mechanism, set[str]]] = {
    "C of e^eps for e^(eps/2)": (
        _piecewise([Piece(p.low.subs(s, u), p.high.subs(s, u), p.level) for p in STEPS]),
        {"sums_to_one", "mean", "report_variance", "worst_variance"},
    ),
    "levels in the ratio e^(2 eps)": (
        _piecewise([Piece(p.low.subs(s, u), p.high.subs(s, u), p.level.subs(s, u)) for p in STEPS]),
        {"ratio", "tight", "report_variance", "worst_variance"},
    ),
    "a window that starts at x": (
        _piecewise(
            [Piece(-C, x, low), Piece(x, x + C - 1, high), Piece(x + C - 1, C, low)],
        ),
        {"mean", "report_variance"},
    ),
    "a gap between pieces": (
        _piecewise([Piece(-C, left, low), Piece(left, right, high), Piece(right, C + 1, low)][:2]),
        {"sums_to_one", "equal_support"},
    ),
    "a smaller epsilon claimed": (_piecewise(STEPS, ldp=LDP(eps / 2)), {"ratio"}),
    "a larger epsilon claimed tight": (_piecewise(STEPS, ldp=LDP(2 * eps, tight=True)), {"tight"}),
    "the variance at 0 for all x": (
        _piecewise(STEPS, variance=ReportVariance((s + 3) / (3 * (s - 1) ** 2))),
        {"report_variance"},
    ),
    "the worst variance at 0": (
        _piecewise(STEPS, worst=WorstVariance((s + 3) / (3 * (s - 1) ** 2), at=0)),
        {"worst_variance"},
    ),
    "the worst input outside the domain": (
        _piecewise(STEPS, worst=WorstVariance(4 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2), at=2)),
        {"worst_variance"},
    ),
    "Duchi with twice the slope": (
        duchi(2 * SLOPE, B),
        {"nonnegative", "equal_support", "ratio", "mean", "report_variance"},
    ),
    "Duchi with the slope of 2 eps": (
        duchi(SLOPE.subs(eps, 2 * eps), B.subs(eps, 2 * eps)),
        {"ratio", "tight"},
    ),
    "Duchi with another B": (duchi(SLOPE, B + 1), {"mean", "report_variance"}),
}
"""What is wrong -> the declaration, and kinds of obligations that must not be shown."""


def _bump(places: tuple[Any, Any], w: Any, levels: tuple[Any, Any], top: Any, bound: Any) -> Any:
    """Level 1/2 on [0, top], but for two intervals of width w that move with the input."""
    at = real("x", at_least=0, at_most=1)
    (a, b), (first, second) = (at + p for p in places), levels
    pieces = [
        Piece(0, a, half),
        Piece(a, a + w, first),
        Piece(a + w, b, half),
        Piece(b, b + w, second),
        Piece(b + w, top, half),
    ]
    return Mechanism(
        "late",
        parameters=[],
        table=Density(value=at, pieces=pieces),
        claims=[LDP(log(bound), tight=True)],
    )


THIN, THIRD = Rational(1, 1000), Rational(1, 3)
PAIR = (Rational(1, 4), Rational(3, 4))

RARE = {
    "late": _bump((0, THIRD), THIN, PAIR, 2, 3),
    "later": _bump((0, Rational(2, 7)), Rational(1, 10**6), PAIR, 2, 3),
    "early": _bump((0, THIRD), THIN, PAIR[::-1], 2, 3),
}
"""True and tight, though only inputs at one distance from each other reach the bound."""

UNREACHED = {
    # The two intervals are further apart than any two inputs: they never meet.
    "too far": _bump((0, Rational(3, 2)), THIN, PAIR, 3, 3),
    "at a point only": _bump((0, 1 + THIN), THIN, PAIR, 3, 3),
    "a larger bound": _bump((0, THIRD), THIN, PAIR, 2, 4),
}
"""True but not tight: no two inputs reach the bound."""

ONE = real("x", at_least=0, at_most=1)
BOW = ONE * (Rational(2, 3) - ONE) / 2
DIP = (1 - 2 * ONE**2) ** 2 / 2
SPREAD = half + BOW
SEEN = ["0", "1/1000", "1/4", "1/2", "3/4", "999/1000", "1"]


def _two(level: Any, claim: Claim) -> Mechanism:
    pieces = [Piece(0, 1, level), Piece(1, 2, 1 - level)]
    return Mechanism(
        "hidden", parameters=[], table=Density(value=ONE, pieces=pieces), claims=[claim]
    )


def _three(claim: Claim) -> Mechanism:
    atoms = [Atom(-1, SPREAD / 2), Atom(0, 1 - SPREAD), Atom(1, SPREAD / 2)]
    table = Density(value=ONE, atoms=atoms)
    return Mechanism("hidden", parameters=[], table=table, claims=[claim])


HIDDEN = {
    "a ratio reached at 1/3": (_two(half + BOW, LDP(log(Rational(83, 50)))), "ratio"),
    "a level that vanishes at an irrational input": (_two(DIP, LDP(log(10**6))), "ratio"),
    "a variance that is largest at 1/3": (
        _three(WorstVariance(SPREAD.subs(ONE, Rational(1, 4)), at=Rational(1, 4))),
        "worst_variance",
    ),
    "a mean that is right at seven inputs": (
        _three(Mean(prod(ONE - Rational(at) for at in SEEN))),
        "mean",
    ),
}
"""False, but at none of the inputs that are looked at anyway; and the kind that is."""
