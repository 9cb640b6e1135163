"""Rankings of the oracles by the users or the epsilon that they need."""

from __future__ import annotations

import pytest

from ldp_verified.deploy.collect.plan import users_for_error, users_for_quantile
from ldp_verified.deploy.collect.ranking import Wish, plans_for_epsilon, plans_for_users
from ldp_verified.errors import ParameterError


def test_all_oracles_are_planned_and_sorted() -> None:
    found = plans_for_users(1.0, 50, lambda made: users_for_error(made, 0.01))
    users = [p.need.users for p in found if p.need is not None and p.need.users is not None]
    assert len(users) == len(found) >= 10
    assert users == sorted(users)
    assert {"grr", "oue", "olh", "cms"} <= {p.name for p in found}
    by_epsilon = plans_for_epsilon(10**6, 50, lambda made: users_for_error(made, 0.01))
    epsilons = [p.epsilon for p in by_epsilon if p.epsilon is not None]
    assert epsilons == sorted(epsilons)
    assert all(p.need is not None and (p.need.users or 0) <= 10**6 for p in by_epsilon)


def test_a_wish_asks_its_own_question() -> None:
    (first, *_) = plans_for_users(1.0, 8, Wish(0.01, None, 0.9, None, 0.25).users)
    assert first.need is not None
    (same,) = [
        p
        for p in plans_for_users(1.0, 8, lambda made: users_for_quantile(made, 0.01, 0.25, 0.9))
        if p.name == first.name
    ]
    assert first == same


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plans_for_users(1.0, 1, lambda m: users_for_error(m, 0.1)), "k: must"),
        (lambda: plans_for_epsilon(10, 1, lambda m: users_for_error(m, 0.1)), "k: must"),
        (lambda: plans_for_epsilon(0, 5, lambda m: users_for_error(m, 0.1)), "n: must"),
        (lambda: plans_for_users(1.0, 5, Wish(None, None, 0.9, None).users), "error: must be"),
    ],
)
def test_arguments_are_checked(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ParameterError, match=message):
        call()
