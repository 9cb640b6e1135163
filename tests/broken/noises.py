"""Additive noise that looks like the catalogue's and is wrong: what each gets wrong, by kind."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Rational

from ldp_verified.language import (
    LDP,
    Claim,
    Ends,
    Exponential,
    GaussianLDP,
    Lattice,
    Mean,
    Mechanism,
    Noise,
    Normal,
    OneHot,
    Piece,
    ReportVariance,
    Steps,
    Variance,
    WorstVariance,
    exp,
    f,
    integer,
    log,
    n,
    real,
)

eps = real("eps", above=0)
alpha = real("alpha", above=0, below=1)
b = real("b", above=0)
sigma = real("sigma", above=0)
g = real("g", above=0, below=1)
m = integer("m", at_least=1)
L = integer("L", at_least=0)
low = real("low", above=0, at_most=1)
high = real("high", above=0, at_most=1)
place = integer("x", at_least=0, at_most=m)
k = integer("k", at_least=2)
bit = real("bit", at_least=0, at_most=1)
x = real("x", at_least=-1, at_most=1)
wide = real("x", at_least=-2, at_most=2)
d = exp(-eps)


def geometric(mass: Any = None, **claims: Claim) -> Mechanism:
    """The two-sided geometric law with another mass at 0, or other claims."""
    stated: dict[str, Claim] = {
        "ldp": LDP(-m * log(alpha), tight=True),
        "mean": Mean(place),
        "variance": ReportVariance(2 * alpha / (1 - alpha) ** 2),
        **claims,
    }
    law = Lattice((1 - alpha) / (1 + alpha) if mass is None else mass, alpha)
    table = Noise(place, law)
    return Mechanism("wrong", parameters=[alpha, m], table=table, claims=list(stated.values()))


def truncated(ends: tuple[Any, Any, Any, Any], **claims: Claim) -> Mechanism:
    """The truncated law with other ends."""
    whole = 2 * alpha / (1 - alpha) ** 2
    less = alpha * (low + high) / ((1 + alpha) * (1 - alpha) ** 2)
    stated: dict[str, Claim] = {
        "ldp": LDP(-m * log(alpha), tight=True),
        "mean": Mean(place),
        "variance": ReportVariance(whole - less),
        **claims,
    }
    law = Lattice((1 - alpha) / (1 + alpha), alpha)
    table = Noise(place, law, Ends(*ends, low_tail=low, high_tail=high))
    parameters = [alpha, m, L, low, high]
    return Mechanism("wrong", parameters=parameters, table=table, claims=list(stated.values()))


def laplace(level: Any, scale: Any, *claims: Claim) -> Mechanism:
    """Laplace noise with another level or scale."""
    table = Noise(x, Exponential(level, scale))
    return Mechanism("wrong", parameters=[b], table=table, claims=list(claims))


def normal(*claims: Claim, level: Any = 1 / sigma, scale: Any = sigma, value: Any = x) -> Mechanism:
    """Gaussian noise with other claims, another level or scale, or other inputs."""
    table = Noise(value, Normal(level, scale))
    return Mechanism("wrong", parameters=[sigma], table=table, claims=list(claims))


def staircase(pieces: list[Piece], period: Any = 2, value: Any = x, decay: Expr = d) -> Mechanism:
    """Steps with another shape, claimed to be private."""
    table = Noise(value, Steps(pieces, period, decay))
    claims: list[Claim] = [LDP(eps, tight=True), Mean(value)]
    return Mechanism("wrong", parameters=[eps, g], table=table, claims=claims)


def summation(*claims: Claim, scale: Any = b, alone: bool = False) -> Mechanism:
    """Laplace noise on the bits of a one-hot vector, with other claims, or on one bit alone."""
    encoder = None if alone else OneHot(k)
    table = Noise(bit, Exponential(1 / (2 * scale), scale), encoder=encoder)
    return Mechanism("wrong", parameters=[b] if alone else [b, k], table=table, claims=claims)


def lattice_summation(*claims: Claim) -> Mechanism:
    """The same on a grid of m steps."""
    table = Noise(place, Lattice((1 - alpha) / (1 + alpha), alpha), encoder=OneHot(k))
    return Mechanism("wrong", parameters=[alpha, m, k], table=table, claims=claims)


a = (1 - d) / (4 * (g + (1 - g) * d))
STEPS = [Piece(0, 2 * g, a), Piece(2 * g, 2, a * d)]
beyond = alpha / (1 - alpha)
FAIR = (-L, m + L, -L - beyond, m + L + beyond)
LAPLACE: list[Claim] = [LDP(2 / b, tight=True), Mean(x), ReportVariance(2 * b**2)]

CURVE = GaussianLDP(2 / sigma, tight=True)

WRONG: dict[str, tuple[Mechanism, set[str]]] = {
    "the epsilon of neighbours for all values": (
        geometric(ldp=LDP(-log(alpha), tight=True)),
        {"ratio", "tight"},
    ),
    "twice the epsilon, tight": (geometric(ldp=LDP(-2 * m * log(alpha), tight=True)), {"tight"}),
    "half the epsilon": (geometric(ldp=LDP(-m * log(alpha) / 2)), {"ratio"}),
    "a mass for z = 0 alone": (geometric(mass=1 - alpha), {"sums_to_one"}),
    "the variance of one side": (
        geometric(variance=ReportVariance(alpha / (1 - alpha) ** 2)),
        {"report_variance"},
    ),
    "a mean at the left end": (geometric(mean=Mean(0)), {"mean"}),
    "a worst variance that is the half": (
        geometric(variance=WorstVariance(alpha / (1 - alpha) ** 2, at=0)),
        {"worst_variance"},
    ),
    "ends read as they are": (truncated((-L, m + L, -L, m + L)), {"mean", "report_variance"}),
    "ends that stand for numbers too far out": (
        truncated((-L, m + L, -L - 2 * beyond, m + L + 2 * beyond)),
        {"mean", "report_variance"},
    ),
    "one end within the inputs": (truncated((1, m + L, *FAIR[2:])), {"equal_support", "mean"}),
    "the variance without the cut": (
        truncated(FAIR, variance=ReportVariance(2 * alpha / (1 - alpha) ** 2)),
        {"report_variance"},
    ),
    "the authors' epsilon for every two values": (
        truncated(FAIR, ldp=LDP(-log(alpha))),
        {"ratio"},
    ),
    "Laplace of half the scale": (laplace(1 / b, b / 2, *LAPLACE), {"ratio", "report_variance"}),
    "Laplace with the level of one side": (laplace(1 / b, b, *LAPLACE), {"sums_to_one"}),
    "Laplace for inputs half as far apart": (
        laplace(1 / (2 * b), b, LDP(1 / b), Mean(x)),
        {"ratio"},
    ),
    "a staircase that goes up again": (
        staircase([Piece(0, 2 * g, a * d), Piece(2 * g, 2, a)]),
        {"ratio"},
    ),
    "a staircase that is too steep": (
        staircase([Piece(0, 2 * g, a), Piece(2 * g, 2, a * d**2)]),
        {"sums_to_one", "ratio"},
    ),
    "a staircase with a gap": (
        staircase([Piece(0, g, a), Piece(2 * g, 2, a * d)]),
        {"sums_to_one", "equal_support"},
    ),
    "a staircase for inputs twice as far apart": (
        staircase(STEPS, value=wide),
        {"ratio"},
    ),
    "a staircase with half the period": (
        staircase([Piece(0, g, 2 * a), Piece(g, 1, 2 * a * d)], period=1),
        {"ratio"},
    ),
    "one number's epsilon for a whole histogram": (summation(LDP(1 / b, tight=True)), {"ratio"}),
    "half of the noise that a histogram needs": (
        summation(LDP(2 / b, tight=True), scale=b / 2),
        {"ratio", "tight"},
    ),
    "a histogram whose every bit is said to change": (
        summation(LDP(k / b, tight=True)),
        {"tight"},
    ),
    "one number said to need the noise of two": (
        summation(LDP(2 / b, tight=True), alone=True),
        {"tight"},
    ),
    "a count with one number's variance at scale 1/eps": (
        summation(LDP(2 / b, tight=True), Variance(n * b**2 / 2)),
        {"variance"},
    ),
    "a count whose variance grows with the share": (
        summation(LDP(2 / b, tight=True), Variance(n * 2 * b**2 * (1 + f))),
        {"variance"},
    ),
    "a histogram in steps with one number's epsilon": (
        lattice_summation(LDP(-m * log(alpha), tight=True)),
        {"ratio"},
    ),
    "a count in steps, not in what a bit is": (
        lattice_summation(Variance(n * 2 * alpha / (1 - alpha) ** 2)),
        {"variance"},
    ),
    "a count whose variance is nowhere at one step": (
        lattice_summation(Variance(n * 2 * alpha / ((1 - alpha) ** 2 * (m - 1) ** 2))),
        {"variance"},
    ),
    "Gaussian noise with some finite epsilon": (normal(LDP(2 / sigma)), {"ratio"}),
    "Gaussian noise with an epsilon of 1000": (normal(LDP(1000)), {"ratio"}),
    "Gaussian noise with the epsilon of Laplace noise, tight": (
        normal(LDP(2 / sigma, tight=True)),
        {"ratio"},
    ),
    "the curve of inputs half as far apart": (normal(GaussianLDP(1 / sigma)), {"curve"}),
    "the curve of inputs twice as far apart, tight": (
        normal(GaussianLDP(4 / sigma, tight=True)),
        {"tight"},
    ),
    "the curve for wider inputs": (normal(CURVE, value=wide), {"curve"}),
    "the curve of the variance": (normal(GaussianLDP(2 / sigma**2, tight=True)), {"curve"}),
    "the curve of half the noise": (normal(CURVE, level=2 / sigma, scale=sigma / 2), {"curve"}),
    "a curve of nothing": (normal(GaussianLDP(-2 / sigma)), {"curve"}),
    "Gaussian noise with the level of the variance": (
        normal(CURVE, level=1 / sigma**2),
        {"sums_to_one"},
    ),
    "Gaussian noise whose variance is its scale": (
        normal(ReportVariance(sigma)),
        {"report_variance"},
    ),
    "Gaussian noise with the variance of Laplace noise": (
        normal(ReportVariance(2 * sigma**2)),
        {"report_variance"},
    ),
    "Gaussian noise with a mean next to the number": (normal(Mean(x + sigma)), {"mean"}),
    "Gaussian noise of negative scale": (
        normal(Mean(x), level=-1 / sigma, scale=-sigma),
        {"nonnegative"},
    ),
    "a decay of more than one": (
        staircase([Piece(0, 2, Rational(1, 8))], decay=exp(eps)),
        {"nonnegative"},
    ),
}
"""What is wrong -> the declaration, and kinds of obligations that must not be shown."""
