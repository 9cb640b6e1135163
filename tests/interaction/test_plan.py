"""How many users queries take: the proven bound against exact probabilities."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from ldp_verified.analysis.interaction import LocalQueries
from ldp_verified.analysis.utility import Contribution, exact_tail
from ldp_verified.analysis.utility.contributions import Bounded
from ldp_verified.analysis.utility.tails import hoeffding_tail
from ldp_verified.errors import ParameterError
from ldp_verified.run.mechanisms.duchi import Duchi
from tests.broken.interaction import NoUnionBound


def missed(plan: LocalQueries, mean: Fraction) -> float:
    """Return the probability that some answer is off, at most: all queries have this mean."""
    made, m = plan.randomizer, plan.group_users
    assert isinstance(made, Duchi)
    # At two nearby rationals the law is the same; exact tails want small denominators.
    b = Fraction(made.decoding.atoms[-1]).limit_denominator(20)
    truth = (1 + mean / b) / 2
    own = Contribution([(b, truth), (-b, 1 - truth)])
    return plan.queries * exact_tail([(own, m)], Fraction(plan.tolerance) * m)


def test_all_answers_are_within_the_tolerance() -> None:
    for epsilon, queries in ((0.5, 1), (1.0, 20), (3.0, 5)):
        plan = LocalQueries(epsilon, queries, 0.4, beta=0.05)
        for mean in (Fraction(0), Fraction(1, 2), Fraction(1)):
            assert missed(plan, mean) <= 0.05


def test_a_plan_without_the_union_bound_is_too_small() -> None:
    """Planted: 20 queries, each of which may fail."""
    wrong = NoUnionBound(1.0, 20, 0.4, 0.05)
    assert missed(wrong, Fraction(0)) > 0.05


def test_users_double_where_the_tolerance_falls_by_a_root_of_two() -> None:
    one, other = LocalQueries(1.0, 10, 0.1), LocalQueries(1.0, 10, 0.1 / 2**0.5)
    assert other.group_users == pytest.approx(2 * one.group_users, abs=2)
    assert one.users == 10 * one.group_users


@pytest.mark.parametrize("d", [None, 3])
@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (0.0, 1.0), (-3.0, 5.0)])
def test_a_plan_of_users_takes_all_and_no_more(d: int | None, bounds: tuple[float, float]) -> None:
    for n, queries in ((10_007, 7), (500, 1)):
        plan = LocalQueries.of_users(n, 1.0, queries, bounds=bounds, d=d)
        assert plan.group_users <= n // queries
        finer = LocalQueries(1.0, queries, plan.tolerance * 0.99, bounds=bounds, d=d)
        assert finer.group_users > n // queries


def test_samples_without_replacement_keep_the_bound() -> None:
    """All populations of 4 users with values -1, 0, 1, groups of 2: reports, exactly.

    The group is drawn at random and each report is randomized: the probability that the mean of the
    reports is off by the tolerance is at most Hoeffding's bound, at every tolerance that matters.
    """
    made = Duchi(1.0)
    b = Fraction(made.decoding.atoms[-1]).limit_denominator(100)
    own = Bounded(Fraction(0), b**2, -b, b)
    tried = 0
    for values in product((-1, 0, 1), repeat=4):
        mean = Fraction(sum(values), 4)
        law: dict[Fraction, Fraction] = {}
        for pair in combinations(values, 2):
            for signs in product((1, -1), repeat=2):
                chance = Fraction(1, 6)
                for x, sign in zip(pair, signs, strict=True):
                    chance *= (1 + sign * x / b) / 2
                off = abs(b * sum(signs) / 2 - mean)
                law[off] = law.get(off, Fraction(0)) + chance
        assert sum(law.values()) == 1
        for off in law:
            tail = sum((p for o, p in law.items() if o >= off), Fraction(0))
            assert float(tail) <= hoeffding_tail([(own, 2)], 2 * off) + 1e-12
            tried += 1
    assert tried > 200


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"queries": 0}, "queries"),
        ({"queries": True}, "queries"),
        ({"tolerance": 0}, "^tolerance: .* got 0$"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": 1e-16}, "tolerance"),
        ({"beta": 0}, "beta"),
        ({"beta": 1}, "beta"),
        ({"bounds": (1.0, -1.0)}, "bounds"),
        ({"d": 63}, "d"),
        ({"d": 0}, "d"),
        ({"tolerance": 1e-7}, "^tolerance: .*users at most, got 1e-07"),
    ],
)
def test_bad_plans_are_named(given: dict[str, Any], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        LocalQueries(**{"epsilon": 1.0, "queries": 2, "tolerance": 0.1, **given})


@pytest.mark.parametrize("d", [0, -1, 63, "x", 1.5, True])
def test_a_number_of_coordinates_that_is_none_is_named(d: Any) -> None:
    with pytest.raises(ParameterError, match=r"^d:"):
        LocalQueries.of_users(1000, 1.0, 2, d=d)


def test_fewer_users_than_queries_are_refused() -> None:
    with pytest.raises(ParameterError, match="n"):
        LocalQueries.of_users(3, 1.0, 4)
