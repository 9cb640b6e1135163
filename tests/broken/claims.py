"""Planted-false twins of statements that the register proves: each must be refuted, never proved.

Every twin differs from a proved statement in one constant, sign, quantifier or side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Rational, Symbol, erfc, exp, log, sqrt

from ldp_verified.check.claims import (
    BOUNDED_TWICE,
    LOSS_TAIL,
    POINTWISE,
    SETWISE,
    TOLERANCE,
    UNBOUNDED,
    AskedGroups,
    Check,
    Definition,
    EpsilonAt,
    GaussianIs,
    Grid,
    Implies,
    Ladder,
    LaplaceMoment,
    Law,
    Relation,
    Table,
    Tail,
    TwoPoint,
    conversations,
    equal,
    lists_of_oracles,
    repeated_reports,
    reports_by_queries,
    shares_apart,
    signs_of_a_column,
)
from ldp_verified.check.claims.definitions import excess_of_sets
from ldp_verified.language import (
    LDP,
    BetterThan,
    Matrix,
    Mechanism,
    Optimal,
    PersonalisedLDP,
    Unbiased,
    Variance,
    f,
    load,
    n,
    real,
)

half = Rational(1, 2)
eps, level, gamma = real("eps", above=0), real("level", above=1), real("g", above=0, below=half)
u, from_0 = exp(eps), real("eps", at_least=0)
sqrt_of = real("sqrt_of", above=1, at_most=level)


def _of(name: str, claim: Callable[..., Any], file: str = "") -> Table:
    mechanism = next(m for m in load(file or name) if m.name == name)
    return Table(mechanism, claim(*mechanism.parameters))


def _tail() -> Tail:
    users, beta = Symbol("n"), Symbol("beta")
    sign = TwoPoint(half, 1, -1, users)
    bound = sqrt(users * log(2 / beta) / 2)
    return Tail([sign], bound, beta, {users: (10, 50), beta: ("1/10", "1/100")})


def _negative() -> Tail:
    users, beta = Symbol("n"), Symbol("beta")
    sign = TwoPoint(half, 1, -1, users)
    bound = -sqrt(2 * users * log(2 / beta))
    return Tail([sign], bound, beta, {users: (10,), beta: ("1/10",)}, proved=True)


def _revealed() -> Mechanism:
    unused = real("unused", above=0, below=1)
    return Mechanism("revealed", parameters=[unused], table=Matrix([[1, 0], [0, 1]]))


def _louder_outside() -> Mechanism:
    rows = [[u**j / (u**j + 1), 1 / (u**j + 1)] for j in (1, -1, 3)]
    return Mechanism("louder_outside", parameters=[eps], table=Matrix(rows))


def _undivided() -> Tail:
    users, beta = Symbol("n"), Symbol("beta")
    bound = sqrt(2 * users * log(2 / beta))
    sign = TwoPoint(half, 1, -1, users)
    return Tail([sign], bound, beta, {users: (2,), beta: ("3/4",)}, events=5, proved=True)


def _gaussian() -> GaussianIs:
    e, d = Symbol("e"), Symbol("d")
    sigma = sqrt(log(Rational(5, 4) / d)) / (2 * e)
    return GaussianIs(sigma, e, d, {e: ("1/2",), d: ("1/1000",)})


TWINS: dict[str, Callable[[], Check]] = {
    "A1 with the same delta for single outputs": lambda: Implies(POINTWISE, SETWISE),
    "A1 with half of eps": lambda: Implies(
        Definition(excess_of_sets, power=2), Definition(excess_of_sets)
    ),
    "A3 with the same error": lambda: lists_of_oracles(1),
    "B14 with a group for each step": lambda: AskedGroups(4),
    "B13b with a sign for each value": lambda: signs_of_a_column(of_values=True),
    "A6 at eps/2": lambda: _of("binary_rr", lambda e: LDP(e / 2)),
    "A6 with the slope 1/3": lambda: Ladder(u / (u + 1) >= half + eps / 3 - eps**3 / 48, eps),
    "A7 without the 2 gamma": lambda: _of(
        "half_plus", lambda g: Unbiased(1 / (4 * g), -1 / (4 * g))
    ),
    "A8 with half of the error": _tail,
    "A8 with a minus sign": _negative,
    "A9 at 3 gamma": lambda: EpsilonAt(
        load("half_plus")[0], 3 * load("half_plus")[0].parameters[0], [{"gamma": "1/4"}]
    ),
    "A11 with a plus": lambda: _of("half_plus", lambda g: Variance(n * (1 / (16 * g**2) + half))),
    "B2 at ln 2": lambda: Table(load("two_coins")[1], LDP(log(2))),
    "D2 with a strict sign at eps = 0": lambda: Ladder(exp(from_0) > 1, from_0),
    "B3 with half of the variance": lambda: Ladder(u / (u - 1) ** 2 <= 1 / (2 * eps**2), eps),
    "B4 with 1 in place of q": lambda: Relation(
        equal(gamma * (1 + level) / 2, gamma * (2 + level) / 2), (gamma, level)
    ),
    "B5 with 15": lambda: repeated_reports(16, 15, ("11/4",)),
    "B7 with k - 1": lambda: _of(
        "grr", lambda e, k: Variance(n * (k - 1 + exp(e)) / (exp(e) - 1) ** 2, at_f=0)
    ),
    "B9 with p = 2/3": lambda: _of(
        "oue", lambda e, _: Optimal({"one": Rational(2, 3), "zero": 1 / (exp(e) + 1)}, at_f=0)
    ),
    "B11 with g = e^eps": lambda: _of("olh", lambda e, _, g, __: Optimal({g: exp(e)}, at_f=0)),
    "B12 with 3 e^eps": lambda: _of("grr", lambda e, k: BetterThan("oue", k < 3 * exp(e), at_f=0)),
    "B15 with l in place of 4 l^2 - l": lambda: Relation(
        equal((level - 1) / 2 + 1, level), (level,)
    ),
    "B17 as printed": lambda: Table(_louder_outside(), LDP(eps)),
    "B17 with a region that holds the third place": lambda: Table(
        _louder_outside(), PersonalisedLDP(eps, [0, 1, 2])
    ),
    "B17 with the confidence beta in each cluster": _undivided,
    "C2 with a finite eps": lambda: Law(_revealed(), "equal_support"),
    "C4 at eps": lambda: _of("histogram_rr", lambda e, _: LDP(e)),
    "D1 with 1/(16 g^2) less 1/2": lambda: _of(
        "warner", lambda g: Variance(n * (1 / (16 * g**2) - half))
    ),
    "D3 the other way round": lambda: Implies(BOUNDED_TWICE, UNBOUNDED, delta=False),
    "E2 as printed": lambda: Implies(SETWISE, LOSS_TAIL),
    "E6 with E Y^2 = b^2": lambda: LaplaceMoment(2, 1),
    "E7 with half of the noise": _gaussian,
    "E9 with e^-2t": lambda: Grid(
        exp(-2) / (1 + exp(-2)) <= exp(-2 * Symbol("t")), {Symbol("t"): ("1", "2")}
    ),
    "E11 at twice eps": lambda: _of("keep_or_uniform", lambda e, _: LDP(e / 2)),
    "E12 without the offset": lambda: _of(
        "keep_or_uniform", lambda e, k: Unbiased((exp(e) + k - 1) / (exp(e) - 1), 0)
    ),
    "E13 with (k - 1)": lambda: _of(
        "grr",
        lambda e, k: Variance(
            n * (k - 2 + exp(e)) / (exp(e) - 1) ** 2 + n * f * (k - 1) / (exp(e) - 1)
        ),
    ),
    "E7 with e^(-t^2)": lambda: Grid(
        erfc(Symbol("t") / sqrt(2)) <= exp(-(Symbol("t") ** 2)), {Symbol("t"): ("2", "3")}
    ),
    "C5 without adding up": lambda: conversations(added=False),
    "C6 where a party sends twice": lambda: shares_apart(twice=True),
    "E15 with four times the tolerance": lambda: reports_by_queries(tolerance=4 * TOLERANCE),
    "E15 with the slope 3/5": lambda: Ladder((u - 1) / (u + 1) >= 3 * eps / 5, eps),
    "B8 with the threshold of the largest noise": lambda: _of(
        "the_threshold", lambda _, inside: Optimal({inside: 1}, at_f=0), "the"
    ),
    # of the literature
    "warner1965.2 without the 1/4": lambda: _of("warner", lambda g: Variance(n / (16 * g**2))),
    "kairouz2016.1 with e^eps": lambda: _of("sue", lambda e, _: LDP(2 * e / 3)),
    "wang2017.4 with p (1 - p)": lambda: _of(
        "ue", lambda _, zero, one: LDP(log(one * (1 - one) / (zero * (1 - zero))))
    ),
    "wang2017.10 with e^eps alone": lambda: _of(
        "blh", lambda e, *_: Variance(n * exp(e) / (exp(e) - 1) ** 2, at_f=0), "olh"
    ),
    "wang2017.13 with 2 e^eps": lambda: Relation(
        equal((2 * level) ** 2 / ((level - 1) ** 2 * level), 2 * level / (level - 1) ** 2), (level,)
    ),
    "wang2017.17 the other way round": lambda: Ladder(
        4 * u / (u - 1) ** 2 > exp(eps / 2) / (exp(eps / 2) - 1) ** 2, eps
    ),
    "feldman2022.1 at eps/2": lambda: _of("pgr", lambda e, *_: LDP(e / 2)),
    "acharya2019.1 at eps/2": lambda: _of("hadamard_response", lambda e, *_: LDP(e / 2)),
    "ding2017.1 with the bit of twice eps": lambda: Relation(
        level / (level + 1) <= sqrt_of * (1 / (level + 1)), (level, sqrt_of)
    ),
    "arcolezi2022.1 below the tight one": lambda: _of(
        "l_grr", lambda k, a, b: LDP(log(1 + k * a * b / (1 - a * b) / 2)), "longitudinal"
    ),
    "apple2017.1 at eps/2": lambda: _of("cms", lambda e, *_: LDP(e / 2)),
    "duchi2018.1 at eps/2": lambda: _of("duchi", lambda e: LDP(e / 2)),
    "wang2019.1 at eps/2": lambda: _of("piecewise", lambda e: LDP(e / 2)),
    "geng2014.1 at eps/2": lambda: _of("staircase", lambda e, _: LDP(e / 2)),
    "ghosh2009.1 at half": lambda: _of("geometric", lambda a, m: LDP(-m * log(a) / 2)),
}
"""Which statement is planted, in words -> the check that has to refute it."""
