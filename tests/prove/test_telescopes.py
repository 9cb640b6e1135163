"""Polynomials on the unit cube as sums of steps from one monomial to a smaller one."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_verified.language import LDP, Mechanism, MetricLDP, Points, apart, integer, log, near, real
from ldp_verified.language import left as to_low
from ldp_verified.language import right as to_high
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.domains import DomainVariable, combined, constraints
from ldp_verified.prove.certificates.polynomials import Ring, dense
from ldp_verified.prove.statements.certificate import MOST_FACTORED, _factors
from ldp_verified.prove.statements.telescopes import telescoped


def unit(name: str, *, below: bool = True) -> DomainVariable:
    return DomainVariable(name, "0", "1", True, below, False)


CUBE = (unit("x"), unit("y", below=False), unit("z"))
RING = Ring([v.name for v in CUBE])
NONNEGATIVE = (
    "x",
    "1 - x",
    "1 - x**40*y**30",
    "x*y - x**3*y**2*z",
    "2*x - x**2 - x*y**5",
    "1 + x**9 - y - x**9*y",
    "(1 - x)*(y - z*y**7)",
    "(1 - x)*(1 - y**8) + x*z*(1 - y**3)",
)


@pytest.mark.parametrize("text", NONNEGATIVE)
@pytest.mark.parametrize("side", [1, -1])
def test_the_products_sum_to_the_polynomial(text: str, side: int) -> None:
    target = {e: side * c for e, c in RING.parse(text).numerator.items()}
    given = constraints(CUBE)
    found = telescoped(target, given)
    assert found is not None
    total, _ = combined(given, found["terms"], len(CUBE))
    assert {e: found["sign"] * c for e, c in total.items()} == target


def test_what_never_reaches_0_is_shown_not_to() -> None:
    given = constraints(CUBE)
    for text, never in (("1 - y**30*x**40", True), ("1 - y**30", False)):
        found = telescoped(RING.parse(text).numerator, given)
        assert found is not None
        assert combined(given, found["terms"], len(CUBE))[1] is never


@pytest.mark.parametrize("text", ["x - y", "1 - 2*x", "x**2 + y**2 - x*y", "1 - x - y"])
def test_what_has_no_such_steps_is_left_alone(text: str) -> None:
    assert telescoped(RING.parse(text).numerator, constraints(CUBE)) is None


def test_a_variable_that_may_be_negative_is_left_alone() -> None:
    domain = (DomainVariable("x", "-1", "1", False, False, False),)
    assert telescoped(Ring(["x"]).parse("1 - x").numerator, constraints(domain)) is None


def test_a_large_polynomial_is_the_product_of_what_is_taken_out_of_it() -> None:
    poly = RING.parse("6*x**3*(1 - y)*(1 - x**40*y**40*z**40)").numerator
    assert dense(poly) > MOST_FACTORED
    constant, factors = _factors(RING, poly)
    product = RING.constant(constant)
    for factor, exponent in factors:
        for _ in range(exponent):
            product = RING.multiply(product, RING.parse(RING.show(factor)))
    assert product.numerator == poly
    assert sorted(len(factor) for factor, _ in factors) == [1, 2, 2]


k, t = integer("k", at_least=2), real("t", above=0, below=1)
NOISE = Points(
    k,
    decay=t,
    cell=(1 - t) / (1 + t) * near,
    low_end=to_low / (1 + t),
    high_end=to_high / (1 + t),
)


@pytest.mark.parametrize("times", [3, 5, 30, 250])
@pytest.mark.parametrize(
    "claimed",
    [
        lambda n: LDP(n * k * log(1 / t)),
        lambda n: LDP(n * (k - 1) * log(1 / t)),
        lambda n: MetricLDP(n * log(1 / t), apart),
    ],
)
def test_a_bound_many_times_too_large_is_proved(claimed: Any, times: int) -> None:
    """Shifted forms of degree n in five variables were written out: n^5 terms, for minutes."""
    mechanism = Mechanism("line", parameters=[k, t], table=NOISE, claims=[claimed(times)])
    found = verify(mechanism, 3, smt=False, coq=False, derived=False)
    (ratio,) = (v for v in found.verdicts if v.obligation == "ratio")
    assert (ratio.status, "certificate" in ratio.checkers) == (Status.ONE_GROUP, True)
