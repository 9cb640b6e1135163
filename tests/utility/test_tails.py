"""Tail bounds lie above the exact probability, which agrees with sums of fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.analysis.utility import (
    Contribution,
    bernstein_error,
    bernstein_tail,
    contribution,
    exact_tail,
    hoeffding_error,
    hoeffding_tail,
    smallest_users,
)
from ldp_verified.check.claims.tail_claims import tail_by_convolution
from ldp_verified.errors import ParameterError
from ldp_verified.language import load

shares = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)


def bit(chance: Fraction) -> Contribution:
    """1 with a probability, else 0."""
    return Contribution([(Fraction(1), chance), (Fraction(0), 1 - chance)])


@given(shares, shares, st.integers(1, 8), st.integers(0, 8), st.fractions(0, 6, max_denominator=7))
def test_bounds_and_the_exact_tail(
    p: Fraction, q: Fraction, n: int, m: int, error: Fraction
) -> None:
    users = [(bit(p), n), (bit(q), m)]
    exact = exact_tail(users, error)
    assert exact <= hoeffding_tail(users, error) + 1e-12
    assert exact <= bernstein_tail(users, error) + 1e-12
    strict = tail_by_convolution(users, error)
    assert exact_tail(users, error, strict=True) == pytest.approx(float(strict), abs=1e-15)


def test_a_binomial_tail_by_hand() -> None:
    users = [(bit(Fraction(1, 2)), 10)]
    by_hand = 2 * sum(comb(10, i) for i in range(3)) / 2**10
    assert exact_tail(users, 3) == pytest.approx(by_hand, rel=1e-15)
    assert exact_tail(users, 3) >= by_hand


@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(1, 1000)])
def test_errors_are_the_inverse_of_the_bounds(beta: Fraction) -> None:
    users = [(bit(Fraction(1, 5)), 40), (bit(Fraction(2, 3)), 7)]
    assert hoeffding_tail(users, hoeffding_error(users, beta)) <= beta
    assert bernstein_tail(users, bernstein_error(users, beta)) <= beta
    assert hoeffding_tail(users, hoeffding_error(users, beta) * 0.999) > beta
    assert bernstein_tail(users, bernstein_error(users, beta) * 0.999) > beta


@pytest.mark.parametrize("method", ["hoeffding", "bernstein", "exact"])
def test_one_user_fewer_is_not_enough(method: str) -> None:
    own, error, beta = bit(Fraction(1, 3)), Fraction(1, 10), Fraction(1, 20)
    n = smallest_users(own, error, beta, method)
    tail = {"hoeffding": hoeffding_tail, "bernstein": bernstein_tail, "exact": exact_tail}[method]
    assert tail([(own, n)], error * n) <= beta
    assert tail([(own, n - 1)], error * (n - 1)) > beta


def test_the_exact_number_is_the_smaller_one() -> None:
    own, error, beta = bit(Fraction(1, 3)), Fraction(1, 10), Fraction(1, 20)
    exact, bound = (smallest_users(own, error, beta, m) for m in ("exact", "hoeffding"))
    assert exact < bound


@pytest.mark.parametrize("name", ["grr", "oue", "warner", "subset_selection"])
def test_contributions_of_the_catalogue_are_unbiased(name: str) -> None:
    mechanism = load(name)[0]
    sizes = {"k": Fraction(4), "u": Fraction(3), "omega": Fraction(2), "gamma": Fraction(1, 4)}
    point = {s.name: sizes[s.name] for s in mechanism.variables if s.name in sizes}
    for x in (0, 1):
        own = contribution(mechanism, point, x, 0)
        assert own.mean == (x == 0)
        assert own.variance > 0
        assert own.reach <= own.width


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: exact_tail([], 1), "users"),
        (lambda: hoeffding_tail([(bit(Fraction(1, 2)), 3)], -1), "error"),
        (lambda: smallest_users(bit(Fraction(1, 2)), 0, Fraction(1, 2)), "error"),
        (lambda: smallest_users(bit(Fraction(1, 2)), 1, 2), "beta"),
        (lambda: smallest_users(bit(Fraction(1, 2)), 1, Fraction(1, 2), "guess"), "method"),
        (lambda: Contribution([(Fraction(1), Fraction(1, 2))]), "atoms"),
    ],
)
def test_bad_input_is_named(call: object, argument: str) -> None:
    assert callable(call)
    with pytest.raises(ParameterError, match=argument):
        call()
