"""Wrong mechanisms, printed without a certificate: the kernel has to stop at the named lemma."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import Integer

from ldp_verified.language import (
    LDP,
    Bits,
    Density,
    Design,
    Exponential,
    GaussianLDP,
    Lattice,
    Mean,
    Mechanism,
    Normal,
    Optimal,
    Piece,
    Rational,
    ReportVariance,
    SmallerWorst,
    Steps,
    Variance,
    WorstVariance,
    exp,
    f,
    log,
    n,
    real,
)
from tests.finite import FINITE, LINES

CATALOGUE = {m.name: m for m in (*FINITE, *LINES)}
EPS = next(p for p in CATALOGUE["grr"].parameters if p.name == "eps")
K = next(p for p in CATALOGUE["grr"].parameters if p.name == "k")
G = next(p for p in CATALOGUE["olh"].parameters if p.name == "g")
U = exp(EPS)
ALPHA, L = CATALOGUE["truncated_geometric"].parameters[0:3:2]
RATE = CATALOGUE["geometric"].parameters[0]
DEVIATION = CATALOGUE["gaussian"].parameters[0]
WIDTH = CATALOGUE["staircase"].parameters[1]
WIDE = real("x", at_least=-2, at_most=2)


def altered(
    name: str,
    table: Callable[[Any], Any] = lambda table: table,
    claims: Callable[[list[Any]], list[Any]] = lambda claims: claims,
) -> Mechanism:
    """A catalogue mechanism with another table or other claims."""
    m = CATALOGUE[name]
    return Mechanism(
        name,
        parameters=m.parameters,
        table=table(m.table),
        claims=claims(list(m.claims)),
        origin=m.origin,
    )


def only(kind: type, change: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """The claims with `change` made to those of one kind."""
    return lambda claims: [change(c) if isinstance(c, kind) else c for c in claims]


def uncut(claim: Any) -> Any:
    """The variance of the noise before it is cut off."""
    return replace(claim, value=2 * ALPHA / (1 - ALPHA) ** 2)


def inner(ends: Any) -> Any:
    """Ends of which the lower one is the input 1, and is read as it should be."""
    return replace(ends, low=Integer(1), low_report=1 - ALPHA / (1 - ALPHA))


def halved(claim: Any) -> Any:
    """The claim of half the value."""
    return replace(claim, value=claim.value / 2)


def of_wide(claim: Any) -> Any:
    """The claim of the wide input."""
    return replace(claim, value=WIDE)


def steps(change: Callable[[Steps], Steps]) -> Callable[[Any], Any]:
    """Noise in other steps."""
    return lambda table: replace(table, law=change(table.law))


def reshaped(law: Steps, number: int, **fields: Any) -> Steps:
    """Steps of which one is another."""
    pieces = list(law.pieces)
    pieces[number] = replace(pieces[number], **fields)
    return Steps(pieces, law.period, law.decay)


def rising(law: Steps) -> Steps:
    """The same steps in the other order."""
    first, second = law.pieces
    middle = law.period - first.high
    pieces = [Piece(0, middle, second.level), Piece(middle, law.period, first.level)]
    return Steps(pieces, law.period, law.decay)


def design(**fields: Any) -> Callable[[Any], Any]:
    """A design with other numbers."""

    def change(table: Any) -> Any:
        assert isinstance(table, Design)
        return replace(table, **fields)

    return change


def pieces(table: Any, change: Callable[[Any], Any]) -> Density:
    """A density with other intervals."""
    return Density(table.value, [change(p) for p in table.pieces], table.atoms)


def atoms(table: Any, change: Callable[[Any], Any]) -> Density:
    """A density with other atoms."""
    return Density(table.value, table.pieces, [change(a) for a in table.atoms])


def level(position: int, value: Any) -> Callable[[Any], Density]:
    """A density with another level of one interval."""

    def change(table: Any) -> Density:
        listed = list(table.pieces)
        listed[position] = replace(listed[position], level=value)
        return Density(table.value, listed, table.atoms)

    return change


def turned(table: Any) -> Density:
    """A density whose second of three intervals goes from right to left."""
    first, second, third = table.pieces
    ends = [(first.low, second.high), (second.high, second.low), (second.low, third.high)]
    listed = [Piece(*e, p.level) for e, p in zip(ends, table.pieces, strict=True)]
    return Density(table.value, listed, table.atoms)


S = exp(EPS / 2)
TABLES: list[Any] = [CATALOGUE[name].table for name in ("duchi", "square_wave")]
X, X_WAVE = (table.value for table in TABLES)
(BELOW,) = (p for p in CATALOGUE["the_below"].parameters if p.name == "below")
HALF = {BELOW: Rational(1, 2)}
SYMMETRIC = {"one": S / (S + 1), "zero": 1 / (S + 1)}

WRONG: dict[str, tuple[Mechanism, str]] = {
    "multiplicity": (altered("grr", design(containing=2)), "grr_algebra_containing"),
    "number of blocks": (altered("grr", design(blocks=K - 1)), "grr_algebra_blocks"),
    "lambda": (altered("grr", design(together=Rational(1, 2))), "grr_algebra_together"),
    "lambda of hashing": (
        altered("olh", lambda t: replace(t, together=t.containing / (G + 1))),
        "olh_algebra_together",
    ),
    "k for k - 1": (
        altered("grr", design(inside=U / (U + K), outside=1 / (U + K))),
        "grr_algebra_sum",
    ),
    "half the epsilon": (
        altered("grr", claims=only(LDP, lambda c: replace(c, epsilon=EPS / 2))),
        "grr_algebra_ratio",
    ),
    "twice the epsilon is not tight": (
        altered("oue", claims=only(LDP, lambda c: replace(c, epsilon=2 * EPS))),
        "oue_algebra_tight",
    ),
    "variance": (
        altered("oue", claims=only(Variance, lambda c: replace(c, value=c.value + n))),
        "oue_algebra_variance_at_0",
    ),
    "variance for k - 1": (
        altered(
            "grr",
            claims=only(Variance, lambda c: replace(c, value=c.value.subs(K, K - 1))),
        ),
        "grr_algebra_variance_at_0",
    ),
    "optimal parameter": (
        altered("olh", claims=only(Optimal, lambda c: replace(c, values={G: U + 2}))),
        "olh_algebra_optimal",
    ),
    "optimal cells of another table": (
        altered("oue", claims=only(Optimal, lambda c: replace(c, values=SYMMETRIC))),
        "oue_algebra_optimal_one",
    ),
    "optimal cells that are not": (
        altered(
            "oue",
            lambda t: Bits(SYMMETRIC["one"], SYMMETRIC["zero"], t.encoder),
            lambda claims: [
                c if isinstance(c, LDP) else replace(c, values=SYMMETRIC)
                for c in claims
                if isinstance(c, LDP | Optimal)
            ],
        ),
        "oue_algebra_optimal",
    ),
    "lambda of subsets": (
        altered("subset_selection", lambda t: replace(t, together=t.containing / 2)),
        "subset_selection_algebra_together",
    ),
    "columns of a Hadamard matrix": (
        altered("hadamard_response", lambda t: replace(t, containing=3 * t.blocks / 4)),
        "hadamard_response_algebra_containing",
    ),
    "lambda of a Hadamard sketch without collisions": (
        altered("hcms", lambda t: replace(t, together=t.containing / 2)),
        "hcms_algebra_together",
    ),
    "half the epsilon of a sketch": (
        altered("cms", claims=only(LDP, lambda c: replace(c, epsilon=c.epsilon / 2))),
        "cms_algebra_ratio",
    ),
    "variance of a sketch without collisions": (
        altered("cms", claims=only(Variance, lambda c: replace(c, value=c.value.subs(f, 1)))),
        "cms_algebra_variance",
    ),
    "optimal threshold": (
        altered("the_below", claims=only(Optimal, lambda c: replace(c, values=HALF))),
        "the_below_algebra_optimal",
    ),
    "a level that is too low": (
        altered("piecewise", level(0, (S - 1) / (2 * S**2 + 4 * S))),
        "piecewise_algebra_total",
    ),
    "intervals that overlap": (
        altered("piecewise", lambda t: pieces(t, lambda p: replace(p, low=p.low - Rational(1, 9)))),
        "piecewise_algebra_joined_1",
    ),
    "an interval that is turned round": (
        altered("piecewise", turned),
        "piecewise_algebra_width_1",
    ),
    "a negative mass": (
        altered(
            "duchi", lambda t: atoms(t, lambda a: replace(a, mass=a.mass * 2 - Rational(1, 2)))
        ),
        "duchi_algebra_mass_0",
    ),
    "half the epsilon of two atoms": (
        altered("duchi", claims=only(LDP, lambda c: replace(c, epsilon=EPS / 2))),
        "duchi_algebra_ratio_atom_0",
    ),
    "half the epsilon of a density": (
        altered("piecewise", claims=only(LDP, lambda c: replace(c, epsilon=EPS / 2))),
        "piecewise_algebra_ratio_1_0",
    ),
    "twice the epsilon of a density is not tight": (
        altered("square_wave", claims=only(LDP, lambda c: replace(c, epsilon=2 * EPS))),
        "square_wave_algebra_tight",
    ),
    "a mean that is not the input": (
        altered("square_wave", claims=only(Mean, lambda c: replace(c, value=X_WAVE))),
        "square_wave_algebra_mean",
    ),
    "the variance of another mechanism": (
        altered("piecewise", claims=only(ReportVariance, lambda c: replace(c, value=1 - X**2))),
        "piecewise_algebra_report_variance",
    ),
    "the worst variance at another input": (
        altered("piecewise", claims=only(WorstVariance, lambda c: replace(c, at=Rational(0)))),
        "piecewise_algebra_worst",
    ),
    "a smaller variance everywhere": (
        altered("hybrid", claims=only(SmallerWorst, lambda c: replace(c, condition=S > 1))),
        "hybrid_algebra_smaller_factor",
    ),
    "noise with the level of one side": (
        altered("laplace", lambda t: replace(t, law=Exponential(2 * t.law.level, t.law.scale))),
        "laplace_algebra_whole",
    ),
    "noise of half the scale": (
        altered("laplace", lambda t: replace(t, law=Exponential(2 * t.law.level, t.law.scale / 2))),
        "laplace_algebra_scales",
    ),
    "noise that is said to be needed twice": (
        altered("laplace", claims=only(LDP, lambda c: replace(c, epsilon=2 * c.epsilon))),
        "laplace_algebra_scales_2",
    ),
    "noise whose mean is half the input": (
        altered("laplace", claims=only(Mean, lambda c: replace(c, value=c.value / 2))),
        "laplace_algebra_mean",
    ),
    "steps that fall twice as fast": (
        altered("staircase", steps(lambda law: Steps(law.pieces, law.period, law.decay**2))),
        "staircase_algebra_whole",
    ),
    "a step of twice the level": (
        altered("staircase", steps(lambda law: reshaped(law, 0, level=2 * law.pieces[0].level))),
        "staircase_algebra_whole",
    ),
    "steps with a gap": (
        altered("staircase", steps(lambda law: reshaped(law, 1, low=3 * WIDTH, high=2 + WIDTH))),
        "staircase_algebra_joined_1",
    ),
    "steps that rise": (
        altered("staircase", steps(rising)),
        "staircase_algebra_falls_1",
    ),
    "steps that do not fill the period": (
        altered("staircase", steps(lambda law: Steps(law.pieces, 3, law.decay))),
        "staircase_algebra_filled",
    ),
    "half the epsilon of steps": (
        altered("staircase", claims=only(LDP, lambda c: replace(c, epsilon=c.epsilon / 2))),
        "staircase_algebra_per_period",
    ),
    "twice the epsilon of steps is not tight": (
        altered("staircase", claims=only(LDP, lambda c: replace(c, epsilon=2 * c.epsilon))),
        "staircase_algebra_per_period_2",
    ),
    "steps for inputs twice as far apart": (
        altered("staircase", lambda t: replace(t, value=WIDE), claims=only(Mean, of_wide)),
        "staircase_algebra_periods",
    ),
    "steps around half the input": (
        altered("staircase", claims=only(Mean, lambda c: replace(c, value=c.value / 2))),
        "staircase_algebra_mean",
    ),
    "the variance of one side of the steps": (
        altered("staircase", claims=only(ReportVariance, halved)),
        "staircase_algebra_report_variance",
    ),
    "normal noise with the level of the variance": (
        altered("gaussian", lambda t: replace(t, law=Normal(t.law.level**2, t.law.scale))),
        "gaussian_algebra_whole",
    ),
    "the curve of half the normal noise": (
        altered("gaussian", lambda t: replace(t, law=Normal(2 * t.law.level, t.law.scale / 2))),
        "gaussian_algebra_scales",
    ),
    "the curve of inputs half as far apart": (
        altered("gaussian", claims=only(GaussianLDP, lambda c: replace(c, mu=c.mu / 2))),
        "gaussian_algebra_scales",
    ),
    "the curve of inputs twice as far apart is not reached": (
        altered("gaussian", claims=only(GaussianLDP, lambda c: replace(c, mu=2 * c.mu))),
        "gaussian_algebra_scales_2",
    ),
    "a curve of nothing": (
        altered("gaussian", claims=only(GaussianLDP, lambda c: replace(c, mu=-c.mu))),
        "gaussian_algebra_mu_above",
    ),
    "normal noise next to the input": (
        altered("gaussian", claims=only(Mean, lambda c: replace(c, value=c.value + DEVIATION))),
        "gaussian_algebra_mean",
    ),
    "normal noise whose variance is its scale": (
        altered("gaussian", claims=only(ReportVariance, lambda c: replace(c, value=DEVIATION))),
        "gaussian_algebra_report_variance",
    ),
    "the epsilon of neighbours for all integers": (
        altered("geometric", claims=only(LDP, lambda c: replace(c, epsilon=-log(RATE)))),
        "geometric_ldp",
    ),
    "a law that is twice as steep": (
        altered("geometric", lambda t: replace(t, law=Lattice(t.law.mass, t.law.decay**2))),
        "geometric_algebra_whole",
    ),
    "an end that is read as it is": (
        altered("truncated_geometric", lambda t: replace(t, ends=replace(t.ends, low_report=-L))),
        "truncated_geometric_algebra_low_mean",
    ),
    "an end within the inputs": (
        altered("truncated_geometric", lambda t: replace(t, ends=inner(t.ends))),
        "truncated_geometric_law",
    ),
    "the variance without the cut": (
        altered("truncated_geometric", claims=only(ReportVariance, uncut)),
        "truncated_geometric_algebra_report_variance",
    ),
    "the variance of one side of the noise": (
        altered("geometric", claims=only(ReportVariance, halved)),
        "geometric_algebra_report_variance",
    ),
    "the epsilon of one number for a vector": (
        altered("she", claims=only(LDP, lambda c: replace(c, epsilon=c.epsilon / 2))),
        "she_algebra_scales",
    ),
    "a count with half the variance of noise": (
        altered("she_lattice", claims=only(Variance, halved)),
        "she_lattice_algebra_variance",
    ),
}
