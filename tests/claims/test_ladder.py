"""The ladder proves what is true, refutes with a point, and gives up rather than guess."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sympy import exp, log

from ldp_verified.check.claims import Context, Ladder, RulingKind
from ldp_verified.check.claims.ladder import derivative, divided, steps, strict
from ldp_verified.language import real

x = real("x", above=0)
u = exp(x)


@pytest.mark.parametrize(
    "relation",
    [
        u > 1 + x + x**2 / 2,
        u / (u + 1) <= (2 + x) / 4,
        (u - 1) ** 2 >= x**2 * u,
        (u + 1) / (u - 1) <= 2 / x + x / 6,
        exp(-x) <= 1 / (1 + x),
        exp(x / 2) + exp(-x / 2) >= 2,
    ],
)
def test_true_inequalities(relation: object) -> None:
    found = Ladder(relation, x).decide(Context())
    assert found.kind is RulingKind.PROVED, found
    assert found.checkers == ("ladder", "balls")


@pytest.mark.parametrize("relation", [u <= 1 + 2 * x, u >= x**3, u / (u + 1) >= (1 + x) / 2])
def test_false_inequalities(relation: object) -> None:
    found = Ladder(relation, x).decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    assert set(found.witness.parameters) == {"x"}


def test_what_is_false_only_far_away_is_not_proved() -> None:
    # True at every point that is tried, false between 40 and 50.
    found = Ladder((x - 40) * (x - 50) * u >= -x * 0, x).decide(Context())
    assert found.kind is RulingKind.OPEN


def test_derivative_of_an_exponential_polynomial() -> None:
    # (x^2 e^2x)' = 2 x e^2x + 2 x^2 e^2x
    terms = {(2, 2): Fraction(1)}
    assert derivative(terms) == {(2, 1): 2, (2, 2): 2}
    assert derivative({(0, 0): Fraction(5)}) == {}
    assert divided({(2, 1): Fraction(1), (3, 0): Fraction(4)}) == {(0, 1): 1, (1, 0): 4}


def test_a_negative_start_ends_the_ladder() -> None:
    assert steps({(0, 0): Fraction(-1), (1, 0): Fraction(1, 2)}) is None
    assert steps({(0, 0): Fraction(-1), (1, 0): Fraction(1)}) == 1
    assert not strict({})


eps = real("eps", above=0)
CLOSED, FROM_TWO = real("eps", at_least=0), real("q", at_least=2)
NOT_PROVED: dict[str, tuple[Any, Any, RulingKind]] = {
    "strict at a closed end": (exp(CLOSED) > 1, CLOSED, RulingKind.REFUTED),
    "strict at another": (FROM_TWO**2 > 4, FROM_TWO, RulingKind.REFUTED),
    "divided by 0 at the end": (1 / (FROM_TWO - 2) > 0, FROM_TWO, RulingKind.OPEN),
    "a difference of infinities at the end": (
        exp(CLOSED) / (exp(CLOSED) - 1) ** 2 <= 1 / CLOSED**2,
        CLOSED,
        RulingKind.OPEN,
    ),
    "divided by 0 within": ((eps**2 - 1) / (eps - 1) >= eps, eps, RulingKind.OPEN),
    "divided by 0 at an irrational place": (
        eps / (exp(eps) - exp(2 * eps) + 1) >= -1000,
        eps,
        RulingKind.OPEN,
    ),
    "0 at one point within": ((FROM_TWO - 3) ** 2 > 0, FROM_TWO, RulingKind.REFUTED),
    "no lower end": (exp(real("x")) >= real("x") + 1, real("x"), RulingKind.OPEN),
    "an irrational end": (
        exp(real("x", above=0, below=log(2))) <= 2,
        real("x", above=0, below=log(2)),
        RulingKind.OPEN,
    ),
}
"""Planted: true inside, and wrong or without a value where nobody looked; and what is not known."""


@pytest.mark.parametrize("name", NOT_PROVED)
def test_ends_and_divisors_count(name: str) -> None:
    relation, parameter, kind = NOT_PROVED[name]
    found = Ladder(relation, parameter).decide(Context())
    assert found.kind is kind
    assert (found.witness is not None) is (kind is RulingKind.REFUTED)


def test_a_range_from_above_0_is_within_what_is_shown_from_0_on() -> None:
    above_one = real("eps", above=1)
    assert Ladder(exp(above_one) > 1 + above_one, above_one).decide(Context()).kind is (
        RulingKind.PROVED
    )
    assert Ladder(exp(CLOSED) >= 1, CLOSED).decide(Context()).kind is RulingKind.PROVED
