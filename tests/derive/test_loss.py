"""The largest delta in words: every part with where it counts."""

from __future__ import annotations

import pytest
from sympy import Rational

from ldp_verified.derive import Facts
from ldp_verified.language import load
from tests.broken.deltas import FALSE, TRUE


@pytest.mark.parametrize(
    ("name", "level", "text"),
    [
        ("zero cells", 3, "1 - b"),
        ("everything is given away", 3, "1"),
        ("bits, half the delta", 1, "(exp(eps) - 1)/(2*(exp(eps) + 1))"),
    ],
)
def test_what_always_counts_has_no_condition(name: str, level: int, text: str) -> None:
    mechanism = {**TRUE, **FALSE}[name]
    assert Facts(mechanism).largest_delta(Rational(level)) == text


def test_what_counts_in_part_says_where() -> None:
    said = Facts(TRUE["the pattern changes at a = 1/4"]).largest_delta(Rational(1))
    assert said == "1/2 - 2*a where 2*a < 1 - 2*a plus 2*a - 1/2 where 1 - 2*a < 2*a"
    grr = Facts(load("grr")[0]).largest_delta(Rational(2))
    assert grr == "(exp(eps) - 2)/(k + exp(eps) - 1) where 2 < exp(eps)"


def test_pairs_that_differ_are_named() -> None:
    said = Facts(TRUE["x and x' swapped differ"]).largest_delta(Rational(3))
    assert said == "the largest of: 1 - 3*b where 3*b < 1 (x = 0, x' = 1); 1 - b (x = 1, x' = 0)"
