"""Regions that are derived: exact, checked like a claimed one, and refused where there is none."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy import Rational, exp

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    BetterThan,
    Bits,
    Design,
    Matrix,
    Mechanism,
    OneHot,
    Singletons,
    f,
    integer,
    load,
    real,
)
from ldp_verified.prove import Status, verify
from ldp_verified.prove.statements.variance_region import derived_region, with_regions

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
OUE = Bits(Rational(1, 2), 1 / (u + 1), OneHot(k))


def mechanism(table: Any, claim: Any, parameters: Any = (eps, k)) -> Mechanism:
    return Mechanism("m", parameters=parameters, table=table, claims=[claim])


def region(table: Any, claim: BetterThan) -> Any:
    m = mechanism(table, claim)
    bound = m.claims[0]
    assert isinstance(bound, BetterThan)
    return derived_region(m, bound)


def test_the_crossing_of_grr_and_oue_is_derived() -> None:
    """Wang et al. 2017: k < 3 e^eps + 2."""
    found = region(GRR, BetterThan("oue"))
    assert isinstance(found, sympy.Lt)
    assert found.lhs == k
    assert sympy.simplify(found.rhs - (3 * u + 2)) == 0


@pytest.mark.parametrize("share", [0, Rational(1, 3), 1, f])
def test_the_region_is_where_the_textbook_variances_say(share: Any) -> None:
    grr = (k - 2 + u) / (u - 1) ** 2 + f * (k - 2) / (u - 1)
    oue = 4 * u / (u - 1) ** 2 + f
    found = region(GRR, BetterThan("oue", at_f=share))
    for size in (2, 4, 5, 7, 11, 12, 40):
        for ratio in (Rational(101, 100), Rational(3, 2), 3, 20):
            for at in (0, Rational(1, 5), 1) if share == f else (share,):
                put = {u: ratio, k: size, f: at}
                better = (oue - grr).subs(f, at).subs(put) > 0
                assert bool(found.func(found.lhs.subs(put), found.rhs.subs(put))) is bool(better)


@pytest.mark.parametrize(
    ("table", "claim", "says"),
    [
        (GRR, BetterThan("oue", at_f=f), "iff k < "),
        (OUE, BetterThan("grr", at_f=f), "iff k > "),
        (OUE, BetterThan("sue"), "for all parameters"),
        (GRR, BetterThan("grr", at_f=f), "nowhere"),
    ],
)
def test_what_is_reported_is_proved_and_enumerated(table: Any, claim: Any, says: str) -> None:
    result = verify(mechanism(table, claim), largest=3, coq=False)
    (verdict,) = (v for v in result.verdicts if v.obligation == "better")
    assert verdict.status is Status.ONE_GROUP
    assert {"certificate", "enumeration"} <= set(verdict.checkers)
    (text,) = (text for name, text in result.derived.items() if name.startswith("less variance"))
    assert text.startswith(says)
    assert verdict.statement.endswith(text.removeprefix("iff "))


def test_a_region_that_is_not_solved_is_an_inequality() -> None:
    """At k = 8 the slope in f, (u - 1)(u - 7), has both signs, so nothing is divided by it."""
    grr = load("grr")[0]
    grr8, oue8 = (m.instance(f"{m.name}_8", {m.parameters[1]: 8}) for m in (grr, load("oue")[0]))
    own = grr8.parameters[0]
    m = Mechanism("m", parameters=[own], table=grr8.table, claims=[BetterThan(oue8, at_f=f)])
    (claim,) = with_regions(m)
    assert isinstance(claim, BetterThan)
    assert claim.condition.rhs == 0
    (verdict,) = (v for v in verify(m, largest=2, coq=False).verdicts if v.obligation == "better")
    assert verdict.status is Status.ONE_GROUP


@pytest.mark.parametrize("change", [1, -1])
def test_a_region_that_is_wrong_at_some_shares_is_refuted(change: int) -> None:
    right = region(GRR, BetterThan("oue", at_f=f))
    wrong = BetterThan("oue", k < right.rhs + f * change, at_f=f)
    (verdict,) = (
        v
        for v in verify(mechanism(GRR, wrong), smt=False, coq=False).verdicts
        if v.obligation == "better"
    )
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None
    assert verdict.witness.values["f"] != "0"


def test_a_table_too_large_to_be_written_out_is_proved_without() -> None:
    grr = load("grr")[0]
    large, oue40 = (
        m.instance(f"{m.name}_40", {m.parameters[1]: 40}) for m in (grr, load("oue")[0])
    )
    m = mechanism(large.table, BetterThan(oue40, u > Rational(38, 3)), large.parameters)
    (verdict,) = (v for v in verify(m, coq=False).verdicts if v.obligation == "better")
    assert verdict.status is Status.ONE_GROUP
    assert "enumeration" not in verdict.checkers


def test_without_one_variance_there_is_no_region() -> None:
    half, quarter = Rational(1, 2), Rational(1, 4)
    line = Matrix([[half, quarter, quarter], [quarter, half, quarter], [0, half, half]])
    with pytest.raises(SpecError, match="no such region"):
        verify(mechanism(line, BetterThan("grr")), coq=False)
