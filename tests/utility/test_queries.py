"""Users for statistical queries: enough of them, and more for more queries."""

from __future__ import annotations

from fractions import Fraction

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


def test_bad_plans_are_named() -> None:
    with pytest.raises(ParameterError, match="level"):
        noisy_bit(Fraction(1), Fraction(1, 2))
    with pytest.raises(ParameterError, match="queries"):
        query_plan(0, 3, Fraction(1, 5), Fraction(1, 10))
