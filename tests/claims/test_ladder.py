"""The ladder proves what is true, refutes with a point, and gives up rather than guess."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import exp

from ldp_verified.claims import Context, Ladder, RulingKind
from ldp_verified.claims.ladder import derivative, divided, steps, strict
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
