"""Wrong variants of each kind of claim: which there are, and that two routes reject each."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, exp

from ldp_verified.language import (
    LDP,
    BetterThan,
    Claim,
    Design,
    Matrix,
    Mechanism,
    MetricLDP,
    PersonalisedLDP,
    SameTable,
    Singletons,
    f,
    integer,
    real,
)
from ldp_verified.prove.mutation.mutants import mutants
from ldp_verified.prove.mutation.mutate import matrix
from ldp_verified.prove.routes import certificate, enumeration, smt
from ldp_verified.prove.smt import solver

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
t = exp(-eps)
GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
END, MIDDLE = 1 + t + t**2, 1 + 2 * t
LINE = Matrix(
    [
        [1 / END, t / END, t**2 / END],
        [t / MIDDLE, 1 / MIDDLE, t / MIDDLE],
        [t**2 / END, t / END, 1 / END],
    ]
)

CLAIMS: list[Any] = [
    (LINE, MetricLDP(2 * eps, lambda a, b: abs(a - b)), {"distance": 2}),
    (LINE, MetricLDP(2 * eps, {(0, 1): 1, (1, 2): None, (0, 2): 1}), {"distance": 1}),
    (LINE, PersonalisedLDP(2 * eps, [0, 2]), {"epsilon": 1}),
    (LINE, PersonalisedLDP(3 * eps / 2, [0, 1]), {"epsilon": 1, "region": 1}),
    (GRR, SameTable("grr"), {"comparison": 3}),
    (GRR, BetterThan("oue", k < 3 * u + 2), {"comparison": 3}),
    (GRR, BetterThan("oue", at_f=f), {"comparison": 3}),
    (GRR, LDP(0, delta=(u - 1) / (u + k - 1), tight=True), {"epsilon": 2}),
    (GRR, LDP(eps / 2, delta=(u - exp(eps / 2)) / (u + k - 1)), {"epsilon": 1}),
    (GRR, LDP(eps, delta=Rational(1, 10**6)), {"epsilon": 1}),
]


@pytest.mark.parametrize(("table", "claim", "planted"), CLAIMS)
def test_every_wrong_variant_is_rejected_by_two_routes(
    table: Any, claim: Claim, planted: dict[str, int]
) -> None:
    parameters = [eps] if table is LINE else [eps, k]
    m = Mechanism("m", parameters=parameters, table=table, claims=[claim])
    asked = {"certificate": certificate, "enumeration": enumeration(4, 8)}
    asked |= {"smt": smt} if solver() is not None else {}
    kinds = {"distance", "region", "epsilon", "comparison"}
    report = matrix([m], asked, kinds=kinds)
    own = [one for one in report.results if one.mutant.change.startswith("claim 1: ")]
    counted = {kind: sum(one.mutant.kind == kind for one in own if one.wrong) for kind in kinds}
    assert {kind: n for kind, n in counted.items() if n} == planted
    assert not report.insufficient
    assert not report.limited
    assert not report.unaccepted


def test_no_wrong_constant_where_the_boundary_is_never_met() -> None:
    """k e^eps > 1 is true of every k: another constant may say the same."""
    always = k * exp(eps) > 1
    m = Mechanism("m", parameters=[eps, k], table=GRR, claims=[BetterThan("oue", always)])
    changes = [mutant.change for mutant in mutants(m) if mutant.kind == "comparison"]
    assert changes == ["claim 1: the opposite condition"]


def test_a_region_that_needs_no_more_is_not_called_wrong() -> None:
    m = Mechanism("m", parameters=[eps], table=LINE, claims=[PersonalisedLDP(2 * eps, [0, 1])])
    assert not [mutant for mutant in mutants(m) if mutant.kind == "region"]
