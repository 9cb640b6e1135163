"""Users for statistical queries: enough of them, and more for more queries."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.analysis.utility import exact_tail, query_plan
from ldp_verified.analysis.utility.queries import noisy_bit
from ldp_verified.errors import ParameterError


def test_a_noisy_bit_is_unbiased_for_every_share() -> None:
    for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert noisy_bit(Fraction(3), share).mean == share


def test_the_plan_keeps_all_answers_within_tolerance() -> None:
    plan = query_plan(4, Fraction(3), Fraction(1, 5), Fraction(1, 10))
    assert plan.users == 4 * plan.users_per_query
    assert plan.exact_per_query <= plan.users_per_query
    for share in (Fraction(0), Fraction(1, 2), Fraction(1)):
        n = plan.users_per_query
        missed = exact_tail([(noisy_bit(Fraction(3), share), n)], n * Fraction(1, 5))
        assert 4 * missed <= 0.1


def test_more_queries_need_more_users_each() -> None:
    few, many = (query_plan(t, 3, Fraction(1, 5), Fraction(1, 10)) for t in (1, 100))
    assert few.users_per_query < many.users_per_query


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"beta": Fraction(2)}, "beta"),
        ({"beta": 0}, "beta"),
        ({"beta": 1.0}, "beta"),
        ({"beta": "x"}, "beta"),
        ({"beta": math.nan}, "beta"),
        ({"tolerance": 0}, "^tolerance"),
        ({"tolerance": "x"}, "^tolerance"),
        ({"level": 1}, "level"),
        ({"level": math.inf}, "level"),
        ({"queries": 1.5}, "queries"),
    ],
)
def test_what_makes_no_plan_is_named(given: dict[str, Any], match: str) -> None:
    arguments = {"queries": 3, "level": 3, "tolerance": Fraction(1, 5), "beta": 0.1, **given}
    with pytest.raises(ParameterError, match=match):
        query_plan(**arguments)


def test_a_float_is_shared_out_exactly() -> None:
    """In doubles a share of beta may be rounded up, and all answers together fail too often."""
    plan = query_plan(3, 3, Fraction(1, 5), 0.1)
    assert type(plan.beta) is Fraction
    assert plan.beta == Fraction(0.1)
    assert plan == query_plan(3, 3, Fraction(1, 5), Fraction(0.1))


def test_bad_plans_are_named() -> None:
    with pytest.raises(ParameterError, match="level"):
        noisy_bit(math.nan, Fraction(1, 2))  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ParameterError, match="share"):
        noisy_bit(Fraction(3), Fraction(2))
    with pytest.raises(ParameterError, match="level"):
        noisy_bit(Fraction(1), Fraction(1, 2))
    with pytest.raises(ParameterError, match="queries"):
        query_plan(0, 3, Fraction(1, 5), Fraction(1, 10))
