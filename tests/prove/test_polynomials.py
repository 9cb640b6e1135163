"""The verifier's arithmetic against Python's fractions, and against what it must refuse to read."""

from __future__ import annotations

import re
from fractions import Fraction as Exact

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.prove.certificates.polynomials import (
    ExpressionError,
    Fraction,
    Poly,
    Ring,
    primitive,
)

RING = Ring(["u", "k"])


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0:
        return draw(st.sampled_from(["u", "k", "1", "2", "7", "10"]))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    operator = draw(st.sampled_from(["+", "-", "*", "/"]))
    power = draw(st.sampled_from(["", "**2", "**-1", "**0"]))
    return f"({left} {operator} {right}){power}"


def evaluate(value: Fraction, u: Exact, k: Exact) -> Exact:
    def at(poly: Poly) -> Exact:
        return sum((c * u ** e[0] * k ** e[1] for e, c in poly.items()), Exact(0))

    bottom = Exact(value.scale)
    for key, exponent in value.denominator.items():
        bottom *= at(dict(key)) ** exponent
    return at(value.numerator) / bottom


POINTS = st.fractions(min_value=Exact(1, 7), max_value=9, max_denominator=20)


@given(expressions(), POINTS, POINTS)
def test_reading_and_evaluating_commute(text: str, u: Exact, k: Exact) -> None:
    try:
        exact = re.sub(r"\d+", r"Exact(\g<0>)", text)
        expected = eval(exact, {"u": u, "k": k, "Exact": Exact})
    except ZeroDivisionError:
        return
    try:
        parsed = RING.parse(text)
    except ExpressionError as error:
        if "division by zero" not in str(error):
            raise
        return
    try:
        assert evaluate(parsed, u, k) == expected
    except ZeroDivisionError:
        return


@given(expressions(), expressions(), POINTS, POINTS)
def test_substitution_is_composition(outer: str, inner: str, u: Exact, k: Exact) -> None:
    try:
        a, b = RING.parse(outer), RING.parse(inner)
        composed = RING.substitute(a, {"u": b})
        expected = evaluate(a, evaluate(b, u, k), k)
    except (ExpressionError, ZeroDivisionError):
        return
    try:
        assert evaluate(composed, u, k) == expected
    except ZeroDivisionError:
        return


@given(expressions())
def test_what_is_shown_is_read_back(text: str) -> None:
    try:
        numerator = RING.parse(text).numerator
    except ExpressionError:
        return
    assert RING.parse(RING.show(numerator)) == Fraction(numerator, {})


def test_every_divisor_is_kept_for_the_checker_to_see() -> None:
    """(u - k)/(u - k) must not silently become 1: it is undefined at u = k."""
    parsed = RING.parse("(u - k)/(u - k)")
    assert parsed.denominator
    assert [RING.show(dict(key)) for key in parsed.denominator] == ["u-k"]


def test_primitive_parts_have_a_positive_leading_coefficient() -> None:
    content, part = primitive({(1, 0): -4, (0, 1): 6})
    assert (content, part) == (-2, {(1, 0): 2, (0, 1): -3})


@pytest.mark.parametrize(
    "text",
    [
        "x + 1",
        "u.k",
        "u(1)",
        "1.5*u",
        "'u'",
        "u if k else 1",
        "u**k",
        "u**(1/2)",
        "u**1000",
        "u//k",
        "u @ k",
        "u k",
        "True + u",
        "1/(u - u)",
        "__import__('os')",
    ],
)
def test_anything_but_a_rational_function_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        RING.parse(text)
