"""The law of an estimate, in classes, by hand."""

from __future__ import annotations

from fractions import Fraction

from ldp_verified.check.conformance.estimate_laws import USERS, estimates_law


def test_the_law_of_an_estimate_has_its_mean() -> None:
    """By hand: all of 200 users hold the value, all report, p = 3/4 and q = 1/2."""
    p, q = Fraction(3, 4), Fraction(1, 2)
    look, edges = estimates_law({USERS: Fraction(1)}, p, q, "x")
    assert sum(look.probabilities) == 1
    assert len(edges) == len(look.labels) - 2
    assert edges[0] < USERS < edges[-1]
    # P(estimate below the mean) is about a half, but for the mass at the mean.
    below = sum(look.probabilities[:2])
    assert abs(below - Fraction(1, 2)) < Fraction(1, 15)
