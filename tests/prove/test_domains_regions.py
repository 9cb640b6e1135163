"""Joint regions as domains: every route is inside them, and none is empty."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Holds, Matrix, Mechanism, Rational, exp, log, real
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.inside import outside
from ldp_verified.prove.prepared import case
from ldp_verified.prove.verdicts import Witness
from tests.broken.domains import COMPARABLE, DISK, FALSE_REGIONS, REGIONS, Region, a, b


@pytest.mark.parametrize("region", REGIONS, ids=lambda r: r.name)
def test_what_holds_in_the_region_is_proved(region: Region) -> None:
    verdicts = verify(region.mechanism, coq=False, derived=False).verdicts
    of_claim = [v for v in verdicts if v.claim == 0]
    assert {v.status for v in of_claim} == {Status.ONE_GROUP}
    assert all(set(v.checkers) >= {"certificate", "smt", "enumeration"} for v in of_claim)


def test_without_a_certificate_the_other_routes_decide() -> None:
    of_claim = [
        v for v in verify(DISK.mechanism, coq=False, derived=False).verdicts if v.claim == 0
    ]
    assert [v.checkers for v in of_claim] == [("smt", "enumeration")]


@pytest.mark.parametrize("region", FALSE_REGIONS, ids=lambda r: r.name)
def test_what_fails_in_the_region_is_refuted_inside_it(region: Region) -> None:
    mechanism = region.mechanism
    refuted = [
        v
        for v in verify(mechanism, coq=False, derived=False).verdicts
        if v.status is Status.REFUTED
    ]
    assert [v.claim for v in refuted] == [0]
    assert refuted[0].witness is not None
    assert outside(mechanism, refuted[0].witness) is None


@pytest.mark.parametrize("region", [*REGIONS, *FALSE_REGIONS], ids=lambda r: r.name)
def test_there_are_enough_points_and_all_lie_inside(region: Region) -> None:
    mechanism = region.mechanism
    found = points(mechanism)
    assert len(found) >= 10
    for point in found:
        text = {symbol.name: str(value) for symbol, value in point.items()}
        assert outside(mechanism, Witness(text, {}, "")) is None


def _tampered(change: str) -> dict[str, Any]:
    """A certificate of `comparable` with something wrong in its multipliers."""
    this = case(REGIONS[0].mechanism, derived=False)
    certificate = copy.deepcopy(this.certificate)
    combined = [
        proof
        for signs in certificate["signs"].values()
        for proof in signs.values()
        if isinstance(proof, dict)
    ]
    assert combined
    for proof in combined:
        terms = proof["terms"]
        if change == "negative":
            terms[0][0] = -terms[0][0]
        elif change == "more":
            terms[0][0] += 1
        elif change == "power":
            terms[0][1][0] += 1
        elif change == "sign":
            proof["sign"] = -proof["sign"]
        elif change == "scale":
            proof["scale"] = 0
        elif change == "short":
            terms[0][1].pop()
    return certificate


@pytest.mark.parametrize("change", ["", "negative", "more", "power", "sign", "scale", "short"])
def test_multipliers_that_do_not_multiply_out_show_nothing(change: str) -> None:
    certificate = _tampered(change)
    outcomes = [o for o in check(certificate["statement"], certificate) if o.obligation.claim == 0]
    assert all(o.shown for o in outcomes) == (change == "")


def test_a_certificate_for_the_region_shows_nothing_of_a_larger_one() -> None:
    this = case(REGIONS[0].mechanism, derived=False)
    larger = case(FALSE_REGIONS[2].mechanism, derived=False)
    certificate = {**this.certificate, "statement": larger.statement}
    outcomes = check(larger.statement, certificate)
    assert not all(o.shown for o in outcomes if o.obligation.claim == 0)


def test_what_the_tool_says_where_a_claim_holds_can_be_pasted_back() -> None:
    table = Matrix([[1 - a, a], [1 - b, b]])
    loose = Mechanism("m", parameters=[a, b], table=table, claims=[LDP(log(3))])
    said = next(v for v in verify(loose, coq=False, derived=False).verdicts if v.claim == 0)
    assert said.status is Status.REFUTED
    assert "3*a-b >= 0" in said.detail
    assert "a-3*b <= 0" in said.detail
    again = Mechanism(
        "m", parameters=[a, b], table=table, claims=[LDP(log(3))], assuming=[3 * a >= b, a <= 3 * b]
    )
    (shown,) = [v for v in verify(again, coq=False, derived=False).verdicts if v.claim == 0]
    assert shown.status is Status.ONE_GROUP


eps = real("eps", above=0)
EMPTY = [
    (a, b, [a > b, b > a]),
    (a, b, [a + b >= 1]),
    (a, b, [a + 2 * b <= Rational(1, 4), b >= a, a >= Rational(1, 4)]),
    (a, eps, [exp(eps) * a >= 1, exp(eps) <= 2]),
]


@pytest.mark.parametrize(("first", "second", "assuming"), EMPTY)
def test_nothing_is_proved_of_an_empty_region(first: Any, second: Any, assuming: Any) -> None:
    with pytest.raises(SpecError, match="none were found"):
        Mechanism(
            "empty",
            parameters=[first, second],
            table=Matrix([[first, 1 - first], [first, 1 - first]]),
            claims=[Holds(first > 1)],
            assuming=assuming,
        )


def test_an_instance_keeps_the_assumptions() -> None:
    mechanism = Mechanism(
        "m", parameters=[a, b], table=Matrix([[1 - a, a], [1 - b, b]]), assuming=COMPARABLE
    )
    fixed = mechanism.instance("fixed", {a: Rational(1, 10)}, claims=[LDP(log(3))])
    assert fixed.domains[b].contains(Rational(3, 10))
    assert not fixed.domains[b].contains(Rational(31, 100))


def test_what_a_bound_brings_in_brings_its_own_conditions() -> None:
    """The claim is about `last`; its bound mentions `second`, which is tied to `first`."""
    first, second = real("first", above=0, below=1), real("second", above=0, below=1)
    last = real("last", above=0, at_most=second)
    mechanism = Mechanism(
        "chain",
        parameters=[first, second, last],
        table=Matrix([[last, 1 - last], [last, 1 - last]]),
        claims=[Holds(last <= Rational(1, 2))],
        assuming=[second + first <= 1, second - first <= 0],
    )
    (shown,) = [v for v in verify(mechanism, coq=False, derived=False).verdicts if v.claim == 0]
    assert shown.status is Status.ONE_GROUP
    assert set(shown.checkers) >= {"smt", "enumeration"}
