"""Bounds on eps reach every route, and the witness."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from ldp_verified.errors import InternalError, SpecError
from ldp_verified.language import LDP, Holds, Matrix, Mechanism, exp, log, real
from ldp_verified.prove import Status, verify
from ldp_verified.prove.enumeration.points import inside, points
from ldp_verified.prove.inside import outside, require_inside
from ldp_verified.prove.verdicts import Verdict, Witness
from tests.broken.domains import FAILS, HOLDS, Bounded, at_most, from_


@pytest.mark.parametrize("bounded", HOLDS, ids=lambda b: b.name)
def test_a_claim_that_holds_up_to_the_bound_is_proved(bounded: Bounded) -> None:
    verdicts = verify(bounded.mechanism, coq=False, derived=False).verdicts
    of_claim = [v for v in verdicts if v.claim == 0]
    assert {v.status for v in of_claim} == {Status.ONE_GROUP}
    assert all(set(v.checkers) >= {"certificate", "smt", "enumeration"} for v in of_claim)


@pytest.mark.parametrize("bounded", FAILS, ids=lambda b: b.name)
def test_a_claim_that_fails_at_the_bound_is_refuted_inside_the_domain(bounded: Bounded) -> None:
    mechanism = bounded.mechanism
    result = verify(mechanism, coq=False, derived=False)
    (refuted,) = [v for v in result.verdicts if v.status is Status.REFUTED]
    assert refuted.claim == 0
    assert refuted.witness is not None
    assert outside(mechanism, refuted.witness) is None


@pytest.mark.parametrize("bounded", [*HOLDS, *FAILS], ids=lambda b: b.name)
def test_every_enumerated_point_lies_in_the_declared_domain(bounded: Bounded) -> None:
    mechanism = bounded.mechanism
    found = points(mechanism)
    assert len(found) >= 3
    for point in found:
        text = {symbol.name: str(value) for symbol, value in point.items()}
        assert outside(mechanism, Witness(text, {}, "")) is None


def test_what_lies_between_the_true_end_and_its_enclosure_is_outside() -> None:
    mechanism = HOLDS[0].mechanism
    (u,) = mechanism.variables
    upper = mechanism.variables[u].upper
    assert sympy.E < upper < sympy.E + sympy.Rational(1, 10**9)
    just = (sympy.Rational(271828182845905, 10**14) + upper) / 2
    assert sympy.E < just < upper
    assert not mechanism.variables[u].contains(just)
    assert outside(mechanism, Witness({"u": str(just)}, {}, "")) is not None


OUTSIDE = [
    (at_most(1), "7"),
    (at_most(1), "1"),
    (at_most(1), "0"),
    (from_(1), "27/10"),
    (at_most(log(3)), "3000000001/1000000000"),
    (real("eps", above=0, below=log(3)), "3"),
]


@pytest.mark.parametrize(("eps", "u"), OUTSIDE)
def test_a_witness_outside_the_domain_is_an_error_of_ours(eps: sympy.Symbol, u: str) -> None:
    mechanism = Bounded("m", eps, lambda _: LDP(eps)).mechanism
    planted = Verdict(0, "", "ratio", Status.REFUTED, (), witness=Witness({"u": u}, {}, ""))
    with pytest.raises(InternalError, match="outside the declared domain"):
        require_inside(mechanism, [planted])
    within = replace(planted, witness=Witness({"u": "2"}, {}, ""))
    inner = Bounded("m", at_most(1), lambda _: LDP(log(3))).mechanism
    require_inside(inner, [within])


def test_a_route_that_dropped_the_bounds_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    free = Bounded("m", real("eps", above=0), lambda _: LDP(log(3))).mechanism
    bounded = FAILS[0].mechanism
    assert not all(inside(bounded, p) for p in points(free))
    monkeypatch.setattr(
        "ldp_verified.prove.enumeration.enumeration.points", lambda *_: points(free)
    )
    with pytest.raises(InternalError, match=r"outside the declared domain.*u = "):
        verify(bounded, smt=False, coq=False, derived=False)


eps = real("eps", above=0)
first = real("first", above=0, below=1)
REFUSED = [
    (real("eps", at_least=0), (), "exclude 0"),
    (real("eps", at_least=-1), (), "above 0"),
    (real("eps", at_least=first - 1), (first,), "above 0"),
    (real("eps", above=0, at_most=first**2), (first,), "linear"),
]


@pytest.mark.parametrize(("bad", "others", "message"), REFUSED)
def test_bounds_that_no_route_can_use_are_refused(
    bad: sympy.Symbol, others: tuple[sympy.Symbol, ...], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        _ = Bounded("m", bad, lambda u: Holds(u > 1), others).mechanism


def test_bounds_of_other_parameters_may_mention_the_exponential() -> None:
    t = real("t", above=0, at_most=1 / (exp(eps) + 1))
    mechanism = Mechanism(
        "t",
        parameters=[eps, t],
        table=Matrix([[1 - t, t], [t, 1 - t]]),
        claims=[Holds(t * (exp(eps) + 1) <= 1), Holds(1 - t >= exp(eps) * t)],
    )
    result = verify(mechanism, coq=False, derived=False)
    assert {v.status for v in result.verdicts if v.claim is not None} == {Status.ONE_GROUP}
