"""Signs of polynomials on a domain: sums of products of bounds, and what has no sign."""

from __future__ import annotations

import pytest
import sympy

from ldp_verified.language import Domain
from ldp_verified.prove.coq.signs import SignProofs
from ldp_verified.prove.coq.terms import NotCertifiedError, Spelling

a, b = sympy.symbols("a b")
NOTHING, ALL = sympy.Integer(0), sympy.Integer(1)
ORDERED = {a: Domain(NOTHING, ALL, True, True), b: Domain(a, ALL, True, True)}
LEVEL = a * (3 * a - 2) / (2 * a - 1)
QUOTIENT = {a: Domain(ALL, None, lower_open=True), b: Domain(ALL, LEVEL)}
MARGIN = sympy.expand(a * (3 * a - 2) - b * (2 * a - 1))


def signs(domains: dict[sympy.Symbol, Domain]) -> SignProofs:
    return SignProofs(domains, Spelling({a: "a", b: "b"}, None, 1, "1"))


@pytest.mark.parametrize(
    ("domains", "polynomial", "sign"),
    [
        (ORDERED, 2 * a * b - a - b, -1),
        (ORDERED, a + 3 * b - 4 * a * b, 1),
        (ORDERED, a * b**2 + a - 2 * b, -1),
        (QUOTIENT, sympy.expand(a * (3 * a - 2) * (2 * b - 1) - b**2 * (2 * a - 1)), 1),
        (QUOTIENT, sympy.expand(MARGIN + a - 1), 1),
    ],
)
def test_a_sign_is_found(
    domains: dict[sympy.Symbol, Domain], polynomial: sympy.Expr, sign: int
) -> None:
    """The form is the polynomial, and strictly of that sign; read back by sympy."""
    found, factor = signs(domains).factor(polynomial)
    form = sympy.sympify(factor.form.replace("^", "**"), locals={"a": a, "b": b})
    assert found == sign
    assert factor.strict
    assert sympy.cancel(form - sign * polynomial) == 0


@pytest.mark.parametrize(
    ("domains", "polynomial"),
    [
        (ORDERED, 2 * a * b - a - b + sympy.Rational(1, 100)),
        (ORDERED, a + b - 1),
        (ORDERED, 2 * a - b),
        (QUOTIENT, MARGIN - sympy.Rational(1, 100)),
        (QUOTIENT, sympy.expand(a - b)),
    ],
)
def test_what_has_both_signs_has_no_certificate(
    domains: dict[sympy.Symbol, Domain], polynomial: sympy.Expr
) -> None:
    with pytest.raises(NotCertifiedError, match="the sign of"):
        signs(domains).factor(polynomial)


def test_a_denominator_of_a_bound_is_asserted_before_it_is_used() -> None:
    this = signs(QUOTIENT)
    lines = list(this.asserted([this.factor(sympy.expand(MARGIN + a - 1))[1]]))
    assert lines[0].startswith("factor (2 * a - 1) ")
    assert "(2 * a - 1) * ((a * (3 * a - 2) / (2 * a - 1)) - b)" in lines[1]
