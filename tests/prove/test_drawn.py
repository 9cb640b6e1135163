"""A claim that is false only at points that nobody could know is refuted at drawn ones."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, Rational, prod

from ldp_verified.errors import ParameterError
from ldp_verified.language import LDP, Holds, Matrix, Mechanism, real
from ldp_verified.prove import Status, verify
from ldp_verified.prove.designs.counts import ClassCounts
from ldp_verified.prove.enumeration.drawn import PointDrawing, drawing, drawn_points, look
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.prepared import case
from ldp_verified.prove.verdict_algebra import Evidence
from tests.broken.beyond import GRR, SLY, SLY_BITS, eps, k
from tests.broken.counts import LATE
from tests.finite import FINITE

CATALOGUE = {m.name: m for m in FINITE}
SEED = "5eed"
ALL = PointDrawing(SEED, None)

a = real("a", above=0, below=Rational(1, 2))
_COIN = Matrix([[1 - a, a], [a, 1 - a]])
_FIXED = [
    point[next(iter(point))] for point in points(Mechanism("coin", parameters=[a], table=_COIN))
]
HIDDEN: Any = prod([a - Rational(p.numerator, p.denominator) for p in _FIXED])
"""0 at every point that is fixed beforehand."""


def own(table: Any, *claims: Any) -> Mechanism:
    return Mechanism("own", parameters=[a], table=table, claims=list(claims))


ANYWHERE_ELSE = {
    "a relation": (own(_COIN, Holds(Eq(HIDDEN, 0))), (0, "holds")),
    "a sum": (own(Matrix([[1 - a + HIDDEN, a], [a, 1 - a]])), (None, "sums_to_one")),
    "a sign": (
        own(Matrix([[1 - a, a - HIDDEN**2, HIDDEN**2], [a, 1 - a + HIDDEN**2, -(HIDDEN**2)]])),
        (None, "nonnegative"),
    ),
}


@pytest.mark.parametrize("name", ANYWHERE_ELSE)
def test_what_holds_at_the_fixed_points_only_is_seen(name: str) -> None:
    mechanism, key = ANYWHERE_ELSE[name]
    fixed = {(f.claim, f.obligation): f for f in enumerate_obligations(mechanism)}
    assert fixed[key].witness is None
    drawn = look(mechanism, ALL)
    assert key in drawn.against
    assert SEED in drawn.against[key].sizes
    assert len(drawn.points) == 12


@pytest.mark.parametrize("table", [SLY, SLY_BITS], ids=["singletons", "bits"])
def test_what_holds_up_to_size_8_only_is_seen(table: Any) -> None:
    """The largest ratio is e^eps only where a product over the small sizes vanishes."""
    mechanism = Mechanism("own", parameters=[eps, k], table=table, claims=[LDP(eps, tight=True)])
    fixed = {(f.claim, f.obligation): f for f in enumerate_obligations(mechanism)}
    assert fixed[0, "tight"].witness is None
    found = look(mechanism, ALL).against[0, "tight"]
    assert found.witness is not None
    assert int(found.witness.parameters["k"]) > 8


def test_rows_that_are_wrong_at_a_drawn_point_only_are_seen() -> None:
    this = case(own(_COIN))
    drawn = look(this.completed, ALL)
    assert ClassCounts(this, 8, drawn).finding == ClassCounts(this, 8).finding
    design = case(LATE[0].mechanism)
    found = ClassCounts(design, 8, look(design.completed, ALL)).finding
    assert found is not None
    assert not found.holds
    assert SEED in found.sizes


@pytest.mark.parametrize("name", ["grr", "oue", "warner", "hcms"])
def test_true_claims_have_nothing_against_them(name: str) -> None:
    drawn = look(CATALOGUE[name], PointDrawing())
    assert not drawn.against
    assert drawn.points


def test_a_seed_gives_the_same_points_and_another_one_others() -> None:
    grr = Mechanism("grr", parameters=[eps, k], table=GRR)
    first = list(drawn_points(grr, SEED))
    assert first == list(drawn_points(grr, SEED))
    assert first != list(drawn_points(grr, "5eee"))
    assert first != list(drawn_points(Mechanism("other", parameters=[eps, k], table=GRR), SEED))
    sizes = [next(v for s, v in point.items() if s.name == "k") for point, _ in first]
    assert [size > 8 for size in sizes] == [beyond for _, beyond in first]
    assert max(sizes) > 39
    known = points(grr)
    assert not any(point in known for point, _ in first)


def test_fresh_seeds_differ_and_a_time_limit_takes_the_first_points_of_a_seed() -> None:
    assert PointDrawing().seed != PointDrawing().seed
    grr = Mechanism("grr", parameters=[eps, k], table=GRR)
    assert look(grr, PointDrawing(SEED, 0.0)).points == look(grr, ALL).points[:1]


@pytest.mark.parametrize("seed", ["", "0x5", "5EED", "5 ", "0" * 65, "\u0665"])
def test_a_seed_is_a_hexadecimal_number(seed: str) -> None:
    with pytest.raises(ParameterError, match="points_seed: must be 1 to 64 digits"):
        drawing(seed)


def test_verify_refutes_with_the_seed_and_repeats_it() -> None:
    mechanism = own(_COIN, Holds(Eq(HIDDEN, 0)))

    def asked(**options: Any) -> Any:
        return verify(mechanism, coq=False, smt=False, derived=False, **options)

    fresh = asked()
    verdict = next(v for v in fresh.verdicts if v.obligation == "holds")
    assert verdict.status is Status.REFUTED
    again = asked(points_seed=fresh.drawn.rsplit(" ", 1)[1])
    assert next(v for v in again.verdicts if v.obligation == "holds") == verdict
    assert asked(points_seed=SEED).drawn.endswith(f"drawn with the seed {SEED}")
    without = asked(draw_points=False)
    assert without.drawn == ""


def test_points_never_prove() -> None:
    """Whatever was looked at, and by whom: nobody of them is in a group that can prove."""
    for agrees in (("enumeration",), ("enumeration", "identities")):
        assert Evidence(agrees=agrees).status is Status.ENUMERATED
        one = Evidence(proves=("certificate",), agrees=agrees)
        assert one.status is Status.ONE_GROUP
    with pytest.raises(ValueError, match="enumeration: must all be in groups that prove"):
        assert Evidence(proves=("enumeration",)).status
    with pytest.raises(KeyError):
        assert Evidence(proves=("nobody",)).status
