"""Claims that fail beyond what is enumerated, or at an irrational parameter, are refuted."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, exp, log

from ldp_verified.errors import InternalError
from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Matrix,
    Mechanism,
    OneHot,
    Optimal,
    Singletons,
    Unbiased,
    integer,
    real,
)
from ldp_verified.prove import Status, verify
from ldp_verified.prove.enumeration.no_estimator import no_estimator
from ldp_verified.prove.enumeration.real_roots import between, real_roots, value_at
from ldp_verified.prove.inside import outside
from ldp_verified.prove.verdicts import Witness
from tests.broken.beyond import FALSE, zero_until

a, eps, k = real("a", above=0, below=1), real("eps", above=0), integer("k", at_least=2)


@pytest.mark.parametrize("name", FALSE)
def test_what_fails_somewhere_is_refuted_with_the_place(name: str) -> None:
    mechanism, kind, place = FALSE[name]
    # A drawn point may show it too, at a place that is another one each time.
    result = verify(mechanism, smt=False, coq=False, draw_points=False)
    (found,) = [v for v in result.verdicts if v.obligation == kind and v.claim in (0, None)]
    assert found.status is Status.REFUTED
    assert found.witness is not None
    for parameter, value in place.items():
        assert found.witness.parameters[parameter] == value
    assert result.status is Status.REFUTED


def test_the_witness_is_inside_the_domain_and_says_what_is_the_case() -> None:
    mechanism, _, _ = FALSE["tight until 8"]
    result = verify(mechanism, smt=False, coq=False)
    (tight,) = [v for v in result.verdicts if v.obligation == "tight"]
    assert tight.witness is not None
    u = Fraction(tight.witness.parameters["u"])
    assert u > 1
    # A witness may be any size above 8; at 9 the product is (9 - 2)(9 - 3)...(9 - 8) = 5040.
    k = int(tight.witness.parameters["k"])
    product = prod(k - i for i in range(2, 9))
    assert k >= 9
    assert Fraction(tight.witness.values["tight"]) == u + Fraction(product, 10**9)


def two(p: Any) -> Matrix:
    q = 1 - p
    return Matrix([[p, q], [q, p]])


TRUE: dict[str, tuple[Any, Any]] = {
    "root outside the domain": ([a], two((a**2 + 1) / 4)),
    "root at an end that is excluded": ([a], two((1 + a) / 2)),
    "no real root": ([a], two((3 + a**2) / 4)),
    "integers, root between two of them": (
        [k],
        Bits((2 * k - 7) / (8 * k) + Rational(1, 2), Rational(1, 2), OneHot(3)),
    ),
    "root at u = 1": ([eps], two(exp(eps) / (exp(eps) + 1))),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_root_outside_the_domain_refutes_nothing(name: str) -> None:
    parameters, table = TRUE[name]
    mechanism = Mechanism("m", parameters=parameters, table=table, claims=[Unbiased()])
    assert no_estimator(mechanism) is None
    assert verify(mechanism, smt=False, coq=False).status is not Status.REFUTED


def test_what_differs_from_what_is_derived_is_open_where_no_table_shows_it() -> None:
    """One-hot tables of 21 values have two million outputs: they are not written out."""
    table = Bits(Rational(1, 2), 1 / (exp(eps) + 1), OneHot(k))
    claim = LDP(log(exp(eps) + zero_until(20)), tight=True)
    mechanism = Mechanism("m", parameters=[eps, k], table=table, claims=[claim])
    result = verify(mechanism, largest=4, smt=False, coq=False)
    (tight,) = [v for v in result.verdicts if v.obligation == "tight" and v.claim == 0]
    assert tight.status is Status.OPEN
    assert "k = 21" in tight.detail
    assert not result.holds


def test_a_negative_probability_is_refuted_where_no_outputs_are_known() -> None:
    """No structure is given, so that the table cannot be written out; the cell is what it is."""
    outside = -1 / (exp(eps) + 1)
    table = Design(7, 3, 1, (1 - 4 * outside) / 3, outside, values=7)
    result = verify(Mechanism("m", parameters=[eps], table=table), smt=False, coq=False)
    (sign,) = [v for v in result.verdicts if v.obligation == "nonnegative"]
    assert sign.status is Status.REFUTED
    assert sign.witness is not None
    assert Fraction(sign.witness.values["outside"]) < 0


def test_an_irrational_witness_is_compared_with_the_domain_exactly() -> None:
    mechanism = Mechanism("m", parameters=[a], table=two((1 + a) / 2))

    def at(text: str) -> Witness:
        return Witness({"a": text}, {}, "")

    assert outside(mechanism, at("root of 2*a**2 - 1 between 0.707 and 0.708")) is None
    assert outside(mechanism, at("root of a**2 - 2 between 1.414 and 1.415")) == "0 < a < 1"
    # The root is 0.947, the end of the interval is no part of it.
    assert outside(mechanism, at("root of 9*a**2 - 8*a - 1/2 between 0.9 and 1.1")) is None
    with pytest.raises(InternalError, match="one root"):
        outside(mechanism, at("root of 9*a**2 - 8*a + 1/2 between 0 and 1"))


def test_an_irrational_witness_may_lie_on_a_bound_that_belongs_to_the_domain() -> None:
    root = Witness({"a": "the root of 2*x**3 - 1 between 79/100 and 8/10"}, {}, "")
    closed, opened = a**3 <= Rational(1, 2), a**3 < Rational(1, 2)
    table = two((1 + a) / 2)
    assert outside(Mechanism("m", parameters=[a], table=table, assuming=[closed]), root) is None
    assert outside(Mechanism("m", parameters=[a], table=table, assuming=[opened]), root)


def test_equal_functions_are_proved_however_they_are_written() -> None:
    u = exp(eps)
    table = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
    claim = LDP(2 * eps - eps, tight=True)
    result = verify(Mechanism("m", parameters=[eps, k], table=table, claims=[claim]), 4, coq=False)
    assert {v.status for v in result.verdicts if v.claim == 0} == {Status.ONE_GROUP}


@given(st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=7), min_size=1, max_size=4))
def test_roots_are_isolated(drawn: list[list[int]]) -> None:
    polynomials = [tuple(p) for p in drawn]
    roots = real_roots(polynomials)
    assert all(one.high < other.low for one, other in pairwise(roots))
    for root in roots:
        if root.rational:
            assert any(any(p) and value_at(p, root.low) == 0 for p in polynomials)
        else:
            assert value_at(root.factor, root.low) * value_at(root.factor, root.high) < 0
    # Between neighbours nothing changes its sign.
    ends = [None, *roots, None]
    for one, other in pairwise(ends):
        low = None if one is None else one.high
        high = None if other is None else other.low
        place = between(low, high)
        assert low is None or low < place
        assert high is None or place < high
        for p in polynomials:
            assert not any(p) or value_at(p, place) != 0


def test_an_optimum_that_nothing_could_be_compared_with_is_not_said_to_fail() -> None:
    """The cells of optimal unary encoding are the best, also beside those of symmetric bits."""
    u, k = exp(eps), integer("k", at_least=2)
    best = Optimal({"one": Rational(1, 2), "zero": 1 / (u**2 + 1)})
    bits = Bits(u / (u + 1), 1 / (u + 1), OneHot(k))
    mechanism = Mechanism("m", parameters=[eps, k], table=bits, claims=[best])
    result = verify(mechanism, smt=False, coq=False)
    (optimal,) = [v for v in result.verdicts if v.claim == 0]
    assert "fails" not in optimal.detail
    assert "nothing can be compared at u = " in optimal.detail
    assert optimal.witness is None
