"""A researcher's own mechanisms, one for each form that is printed."""

from __future__ import annotations

from dataclasses import replace

import sympy

from ldp_verified.language import (
    LDP,
    BetterThan,
    Bits,
    Blocks,
    Density,
    Design,
    Exponential,
    GaussianLDP,
    Lattice,
    Matrix,
    Mean,
    Mechanism,
    MetricLDP,
    Noise,
    Normal,
    OneHot,
    PersonalisedLDP,
    Piece,
    ReportVariance,
    SameTable,
    Steps,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    load,
    log,
    n,
    real,
)

eps = real("eps", above=0)
u = exp(eps)
k = integer("k", at_least=2)
zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
c = u + 2
points = integer("points", at_least=7)
Z = (points - 1) / 2 * u + (points - 1) * (points - 3) / 6
fano = Blocks(7, [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}])
ends = u**2 + u + 1
PAIR = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])
grr, sue, blh = (load(name)[0] for name in ("grr", "sue", "blh"))
assert isinstance(sue.table, Bits)
assert isinstance(blh.table, Design)
SWAPPED_BITS = Bits(one=sue.table.zero, zero=sue.table.one, encoder=sue.table.encoder)
SWAPPED_BLOCKS = replace(blh.table, inside=blh.table.outside, outside=blh.table.inside)
grr_eps, grr_k = grr.parameters
sue_eps = sue.parameters[0]
SUPPORTED = exp(sue_eps / 2) / (exp(sue_eps / 2) - 1)
half = sympy.Rational(1, 2)
share = real("share", at_least=0, at_most=half)
number = real("number", at_least=0, at_most=1)
tilt = (2 * number - 1) * (u - 1) / (u + 1)
loss = real("loss", above=0)
wide = real("wide", at_least=0, at_most=3)
width = real("width", above=0, below=1)
low_step = 1 / (width + 4)
THREE_STEPS = [
    Piece(0, width / 2, 3 * low_step / 2),
    Piece(width / 2, width, low_step),
    Piece(width, 1, low_step),
]
year = integer("year", at_least=1, at_most=5)
OWN = [
    Mechanism(
        "own_laplace",
        parameters=[loss],
        table=Noise(wide, Exponential(loss / 6, 3 / loss)),
        claims=[LDP(loss, tight=True), Mean(wide), ReportVariance(18 / loss**2)],
    ),
    Mechanism(
        "own_steps",
        parameters=[width],
        table=Noise(wide, Steps(THREE_STEPS, period=1, decay=half)),
        claims=[
            LDP(3 * log(2), tight=True),
            LDP(4 * log(2)),
            Mean((wide * width + wide) / (width + 1)),
            ReportVariance((width**3 + 6 * width**2 + 36 * width + 208) / (12 * (width + 4))),
        ],
    ),
    Mechanism(
        "own_normal",
        parameters=[loss],
        table=Noise(wide, Normal(level=loss, scale=1 / loss)),
        claims=[
            GaussianLDP(3 * loss, tight=True),
            GaussianLDP(4 * loss),
            Mean((wide * loss + wide) / (loss + 1)),
            ReportVariance(1 / loss**2),
        ],
    ),
    Mechanism(
        "own_geometric",
        parameters=[k],
        table=Noise(year, Lattice(sympy.Rational(1, 3), half), encoder=OneHot(k)),
        claims=[LDP(8 * log(2), tight=True), LDP(10 * log(2)), ReportVariance(4), Variance(n / 4)],
    ),
    Mechanism(
        "tilted",
        parameters=[eps],
        table=Density(value=number, pieces=[Piece(0, half, 1 - tilt), Piece(half, 1, 1 + tilt)]),
        claims=[
            LDP(eps, tight=True),
            Mean(half + tilt / 4),
            ReportVariance(sympy.Rational(1, 12) - tilt**2 / 16),
        ],
    ),
    Mechanism(
        "three_by_three",
        parameters=[eps],
        table=Matrix([[u / c, 1 / c, 1 / c], [1 / c, u / c, 1 / c], [1 / c, 1 / c, u / c]]),
        claims=[
            LDP(eps, tight=True),
            Unbiased(),
            Variance(n * (u + 1) / (u - 1) ** 2 + n * f / (u - 1)),
        ],
    ),
    Mechanism(
        "two_by_three",
        parameters=[eps],
        table=Matrix(
            [
                [u / (u + 1), half / (u + 1), half / (u + 1)],
                [1 / (u + 1), u * half / (u + 1), u * half / (u + 1)],
            ]
        ),
        claims=[LDP(eps, tight=True), Unbiased()],
    ),
    Mechanism(
        "fano",
        parameters=[eps],
        table=Design(7, 3, 1, u / (3 * u + 4), 1 / (3 * u + 4), fano),
        claims=[LDP(eps, tight=True), Unbiased()],
    ),
    Mechanism(
        "any_design",
        parameters=[eps, points],
        table=Design(points * (points - 1) / 6, (points - 1) / 2, 1, u / Z, 1 / Z),
        claims=[LDP(eps, tight=True), Unbiased()],
    ),
    Mechanism(
        "free_bits",
        parameters=[zero, one, k],
        table=Bits(one, zero, OneHot(k)),
        claims=[
            LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True),
            Unbiased(),
            Variance(
                n * zero * (1 - zero) / (one - zero) ** 2 + n * f * (1 - one - zero) / (one - zero)
            ),
        ],
    ),
    Mechanism(
        "pair",
        parameters=[eps],
        table=PAIR,
        claims=[
            LDP(eps / 2, delta=(u - exp(eps / 2)) / (u + 1), tight=True),
            LDP(0, delta=(u - 1) / (u + 1)),
            Unbiased(u / (u - 1), -1 / (u - 1)),
            SameTable("binary_rr"),
        ],
    ),
    Mechanism(
        "turning",
        parameters=[share],
        table=Matrix([[share, half, half - share], [half - share, half, share]]),
        claims=[LDP(0, delta=half)],
    ),
    Mechanism(
        "giving_away",
        parameters=[zero, eps],
        table=Matrix([[1 - zero, zero, 0], [0, zero, 1 - zero]]),
        claims=[LDP(eps, delta=1 - zero, tight=True)],
    ),
    Mechanism(
        "line",
        parameters=[eps],
        table=Matrix(
            [
                [u**2 / ends, u / ends, 1 / ends],
                [1 / c, u / c, 1 / c],
                [1 / ends, u / ends, u**2 / ends],
            ]
        ),
        claims=[
            MetricLDP(2 * eps, {(0, 1): 1, (1, 2): 1, (0, 2): None, (0, 0): 0}),
            PersonalisedLDP(2 * eps, region=[0, 2]),
        ],
    ),
    Mechanism(
        "against_oue",
        parameters=grr.parameters,
        table=grr.table,
        claims=[
            BetterThan("oue", grr_k < 3 * exp(grr_eps) + 2),
            SameTable("grr"),
            Unbiased((exp(grr_eps) + grr_k - 2) / (exp(grr_eps) - 1), -1 / (exp(grr_eps) - 1)),
        ],
    ),
    Mechanism(
        "fano_against_grr",
        parameters=[eps],
        table=Design(7, 3, 1, u / (3 * u + 4), 1 / (3 * u + 4), fano),
        claims=[BetterThan(grr.instance("grr7", {grr_k: 7}), u**2 + u < 8)],
    ),
    Mechanism(
        "swapped_bits",
        parameters=sue.parameters,
        table=SWAPPED_BITS,
        claims=[*sue.claims, Unbiased(-1 / (exp(sue_eps / 2) - 1), SUPPORTED)],
    ),
    Mechanism(
        "swapped_blocks",
        parameters=blh.parameters,
        table=SWAPPED_BLOCKS,
        claims=blh.claims,
    ),
]
USUAL = ("ldp", "tight", "unbiased")
EXPECTED = {m.name: USUAL for m in OWN} | {
    "pair": ("ldp_delta", "delta_tight", "ldp_delta_2", "unbiased", "same_table", "classes"),
    "turning": ("ldp_delta", "classes"),
    "giving_away": ("ldp_delta", "delta_tight", "classes"),
    "own_laplace": ("law", "stochastic", "ldp", "tight", "mean", "report_variance"),
    "own_steps": ("law", "ldp", "tight", "ldp_2", "mean", "report_variance"),
    "own_normal": ("law", "curve", "tight", "curve_2", "mean", "report_variance"),
    "own_geometric": ("ldp", "tight", "ldp_2", "report_variance", "variance"),
    "tilted": ("chained", "ldp", "tight", "mean", "report_variance"),
    "line": ("metric", "within", "classes"),
    "against_oue": ("better", "same_table", "unbiased", "classes", "free_variance"),
    "fano_against_grr": ("better", "classes"),
}
"""Mechanism -> suffixes of theorems that are printed for it."""
