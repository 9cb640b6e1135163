"""Densities that look like the catalogue's and are wrong: what each gets wrong, by kind."""

from __future__ import annotations

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
