"""Claims beyond plain eps-LDP, true and false, through every route."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, exp, log

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    BetterThan,
    Bits,
    Design,
    Holds,
    Matrix,
    Mechanism,
    MetricLDP,
    OneHot,
    PersonalisedLDP,
    SameTable,
    Singletons,
    integer,
    load,
    real,
)
from ldp_verified.prove import Status, Verdict, verify

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
t = exp(-eps)
root = exp(eps / 2)
p, q = real("p", above=0, below=1), real("q", above=0, below=1)

GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
KEEP_OR_UNIFORM = Design(
    k, 1, 0, 1 - k / (u + k - 1) + 1 / (u + k - 1), 1 / (u + k - 1), Singletons(k)
)
WRITTEN_OUT = Matrix([[(u if x == y else 1) / (u + 2) for y in range(3)] for x in range(3)])
END, MIDDLE = 1 + t + t**2, 1 + 2 * t
LINE = Matrix(
    [
        [1 / END, t / END, t**2 / END],
        [t / MIDDLE, 1 / MIDDLE, t / MIDDLE],
        [t**2 / END, t / END, 1 / END],
    ]
)
BITS = Bits(p, q, OneHot(3))


def decide(table: Any, *claims: Any, parameters: Any = (eps, k), largest: int = 4) -> list[Verdict]:
    mechanism = Mechanism("m", parameters=parameters, table=table, claims=claims)
    result = verify(mechanism, largest, coq=False)
    return [v for v in result.verdicts if v.claim is not None and v.claim < len(claims)]


TRUE: list[Any] = [
    pytest.param(GRR, LDP(0, delta=(u - 1) / (u + k - 1), tight=True), id="total variation"),
    pytest.param(
        GRR,
        LDP(eps / 2, delta=(u - exp(eps / 2)) / (u + k - 1), tight=True),
        id="delta at half the epsilon",
    ),
    pytest.param(GRR, LDP(eps, delta=Rational(1, 10**6)), id="delta that is not needed"),
    pytest.param(KEEP_OR_UNIFORM, SameTable("grr"), id="keep or uniform is k-ary"),
    pytest.param(GRR, BetterThan("oue", k < 3 * u + 2), id="GRR beats OUE iff k < 3 e^eps + 2"),
    pytest.param(GRR, BetterThan("sue", k < root**3 + root**2 + root + 2), id="GRR against SUE"),
]


@pytest.mark.parametrize(("table", "claim"), TRUE)
def test_true_claims_are_proved_by_two_routes(table: Any, claim: Any) -> None:
    for verdict in decide(table, claim):
        assert verdict.status is Status.ONE_GROUP, verdict  # Coq is not asked
        assert {"certificate", "enumeration"} <= set(verdict.checkers)


FALSE: list[Any] = [
    pytest.param(GRR, LDP(0, delta=(u - 1) / (u + k)), "delta", id="delta too small"),
    pytest.param(
        GRR, LDP(0, delta=(u - 1) / (u + k - 2), tight=True), "tight", id="delta not tight"
    ),
    pytest.param(GRR, SameTable("binary_rr"), "probabilities", id="not the same table"),
    pytest.param(GRR, BetterThan("oue", k < 3 * u + 3), "variance", id="crossing off by one"),
    pytest.param(GRR, BetterThan("oue", k > 3 * u + 2), "variance", id="crossing reversed"),
]


@pytest.mark.parametrize(("table", "claim", "word"), FALSE)
def test_false_claims_are_refuted_with_a_witness(table: Any, claim: Any, word: str) -> None:
    refuted = [v for v in decide(table, claim, largest=8) if v.status is Status.REFUTED]
    assert refuted
    assert refuted[0].witness is not None
    assert word in f"{refuted[0].witness.explanation} {refuted[0].witness.values}"


def test_a_matrix_written_out_is_the_same_table_as_its_design() -> None:
    at_three = load("grr")[0].instance("grr3", {load("grr")[0].parameters[1]: 3})
    (verdict,) = decide(WRITTEN_OUT, SameTable(at_three), parameters=(eps,))
    assert verdict.status is Status.ONE_GROUP


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (MetricLDP(2 * eps, lambda a, b: abs(a - b)), Status.ONE_GROUP),
        (MetricLDP(eps, lambda a, b: abs(a - b)), Status.REFUTED),
        (MetricLDP(eps, {(0, 1): 2, (1, 2): 2, (0, 2): 2}), Status.ONE_GROUP),
        (MetricLDP(eps, {(0, 1): 2, (1, 2): None, (0, 2): 2}), Status.ONE_GROUP),
        (PersonalisedLDP(2 * eps, [0, 1]), Status.ONE_GROUP),
        (PersonalisedLDP(2 * eps, [0, 2]), Status.ONE_GROUP),
        (PersonalisedLDP(eps / 2, [0, 2]), Status.REFUTED),
    ],
)
def test_bounds_by_distance_and_by_region(claim: Any, status: Status) -> None:
    (verdict,) = decide(LINE, claim, parameters=(eps,))
    assert verdict.status is status
    assert (verdict.witness is not None) == (status is Status.REFUTED)


def test_a_bound_by_label_needs_labels() -> None:
    with pytest.raises(SpecError, match="needs a Matrix"):
        decide(GRR, PersonalisedLDP(eps, [0, 1]))


@pytest.mark.parametrize(
    ("table", "claim", "condition"),
    [
        (BITS, Holds(p >= q), "holds iff q-p <= 0"),
        (BITS, LDP(log(p * (1 - q) / (q * (1 - p)))), "q-p <= 0"),
        (BITS, Holds(p * q > 1), "holds for no parameters"),
    ],
)
def test_claims_that_hold_in_part_say_where(table: Any, claim: Any, condition: str) -> None:
    (verdict,) = decide(table, claim, parameters=(q, p))
    assert verdict.status is Status.REFUTED
    assert condition in verdict.detail


def test_a_refuted_epsilon_names_the_tight_one() -> None:
    (verdict,) = decide(GRR, LDP(eps / 2))
    assert "derived tight epsilon: eps " in verdict.detail


def test_what_is_derived_but_holds_in_part_is_open_not_refuted() -> None:
    """Nobody claimed an estimator; at p = q there is none."""
    result = verify(Mechanism("m", parameters=[q, p], table=BITS), largest=3, coq=False)
    assert Status.REFUTED not in {v.status for v in result.verdicts}
    assert any("not for all parameters" in v.detail for v in result.verdicts)
