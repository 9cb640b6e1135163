"""A point inside the domains; an empty domain is an error before anything is proved of it."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import SpecError
from ldp_verified.language import Domain, Matrix, Mechanism, integer, real
from ldp_verified.language.feasible import interior_point

p = real("p", above=0, below=1)
q = real("q", above=0, below=1)
k = integer("k", at_least=2)


def test_a_vacuous_mechanism_is_refused() -> None:
    with pytest.raises(SpecError, match=r"satisfy every bound.*0 < p < 1, p < q < p"):
        Mechanism(
            "vacuous",
            parameters=[p, q],
            table=Matrix([[p, 1 - p], [1 - q, q]]),
            assuming=[p > q, q > p],
        )


def test_a_bound_that_only_some_earlier_values_leave_room_for() -> None:
    # At p = 1/2, which is tried first, nothing lies between p and 1 - p.
    between = Domain(lower=p, upper=1 - p, lower_open=True, upper_open=True)
    point = interior_point({p: p.domain, q: between})
    assert point[p] < point[q] < 1 - point[p]


def test_integers_between_bounds() -> None:
    omega = integer("omega", at_least=2, at_most=k - 1)
    point = interior_point({k: k.domain, omega: omega.domain})
    assert 2 <= point[omega] <= point[k] - 1


@given(
    st.fractions(-3, 3),
    st.fractions(-3, 3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["both", "lower", "upper", "none"]),
)
def test_the_point_belongs_to_the_domain_or_there_is_none(
    low: object, width: object, low_open: bool, high_open: bool, whole: bool, bounds: str
) -> None:
    lower, upper = sympy.Rational(low), sympy.Rational(low) + sympy.Rational(width)
    domain = Domain(
        lower if bounds in ("both", "lower") else None,
        upper if bounds in ("both", "upper") else None,
        low_open,
        high_open,
        whole,
    )
    x = sympy.Symbol("x")
    inside = sympy.Interval(
        lower if bounds in ("both", "lower") else -sympy.oo,
        upper if bounds in ("both", "upper") else sympy.oo,
        low_open,
        high_open,
    )
    members = inside.intersect(sympy.S.Integers) if whole else inside
    if members.is_empty:
        with pytest.raises(SpecError, match="none were found"):
            interior_point({x: domain})
    else:
        assert interior_point({x: domain})[x] in members
