"""Users for a wanted error: of several estimates, and where nobody is enough."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.analysis.utility import (
    Contribution,
    bernstein_error,
    hoeffding_error,
    smallest_users,
    union_users,
)
from ldp_verified.errors import ParameterError

FAIR = Contribution([(Fraction(1), Fraction(1, 2)), (Fraction(0), Fraction(1, 2))])
RARE = Contribution([(Fraction(1), Fraction(1, 100)), (Fraction(0), Fraction(99, 100))])


def test_one_estimate_is_a_union_of_one() -> None:
    one = smallest_users(FAIR, Fraction(1, 10), Fraction(1, 20), "hoeffding")
    assert union_users(FAIR, Fraction(1, 10), Fraction(1, 20), 1) == one
    # ln(2/beta)/(2 error^2) users, rounded up: 50 ln 40 = 184.4
    assert one == 185


def test_many_estimates_cost_a_logarithm() -> None:
    few, many = (union_users(FAIR, Fraction(1, 10), Fraction(1, 20), m) for m in (1, 1000))
    assert few < many < 4 * few


def test_bernstein_knows_the_variance() -> None:
    users = [(RARE, 10_000)]
    assert bernstein_error(users, Fraction(1, 20)) < hoeffding_error(users, Fraction(1, 20))
    users = [(FAIR, 10_000)]
    assert bernstein_error(users, Fraction(1, 20)) > hoeffding_error(users, Fraction(1, 20))


def test_an_error_that_nobody_reaches_is_named() -> None:
    with pytest.raises(ParameterError, match="needs more than"):
        smallest_users(FAIR, Fraction(1, 10**9), Fraction(1, 20), "hoeffding")
    with pytest.raises(ParameterError, match="estimates"):
        union_users(FAIR, Fraction(1, 10), Fraction(1, 20), 0)
