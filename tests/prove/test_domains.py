"""Soundness of the shifts: a sign that is claimed is the sign at every point of the domain."""

from __future__ import annotations

from fractions import Fraction as Exact

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from ldp_verified.prove.certificates.domains import DomainVariable, cases, shift, shifted_ring, sign
from ldp_verified.prove.certificates.polynomials import ExpressionError, Poly

X_DOMAINS = [
    DomainVariable("x", "1", None, True, False, False),
    DomainVariable("x", "2", None, False, False, True),
    DomainVariable("x", "0", "1/2", True, True, False),
    DomainVariable("x", "0", "1", False, False, False),
    DomainVariable("x", None, "3", False, True, False),
]
Y_DOMAINS = [
    DomainVariable("y", "x", None, True, False, False),
    DomainVariable("y", "0", "1", True, False, False),
    DomainVariable("y", "1", None, False, False, False),
]
COEFFICIENTS = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(-4, 6).filter(bool), max_size=5
)


def inside(variable: DomainVariable, value: Exact, x: Exact) -> bool:
    def bound(text: str) -> Exact:
        return x if text == "x" else Exact(text)

    above = variable.lower is None or (
        value > bound(variable.lower) if variable.lower_open else value >= bound(variable.lower)
    )
    below = variable.upper is None or (
        value < bound(variable.upper) if variable.upper_open else value <= bound(variable.upper)
    )
    return above and below and (not variable.integer or value.denominator == 1)


def value_in(variable: DomainVariable, step: Exact, x: Exact) -> Exact:
    """A point of the domain, `step` >= 0 telling how far from its lower end.

    From its upper end where it has no lower one.
    """
    lower = (
        None if variable.lower is None else x if variable.lower == "x" else Exact(variable.lower)
    )
    upper = None if variable.upper is None else Exact(variable.upper)
    if variable.integer:
        step = Exact(int(step * 10))
    if lower is not None and upper is not None:
        return lower + (upper - lower) * min(step, Exact(1))
    if lower is not None:
        return lower + step
    assert upper is not None
    return upper - step


STEPS = st.one_of(
    st.sampled_from([Exact(0), Exact(1), Exact(1, 1000), Exact(1000)]),
    st.fractions(min_value=0, max_value=5, max_denominator=12),
)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.sampled_from(X_DOMAINS), st.sampled_from(Y_DOMAINS), COEFFICIENTS, STEPS, STEPS)
@example(X_DOMAINS[3], Y_DOMAINS[1], {(1, 0): 1}, Exact(0), Exact(1))
@example(X_DOMAINS[3], Y_DOMAINS[1], {(0, 0): 1, (1, 0): -1}, Exact(1), Exact(1, 2))
def test_a_claimed_sign_is_the_sign(
    x_domain: DomainVariable, y_domain: DomainVariable, poly: Poly, x_step: Exact, y_step: Exact
) -> None:
    x = value_in(x_domain, x_step, Exact(0))
    y = value_in(y_domain, y_step, x)
    assume(inside(x_domain, x, x) and inside(y_domain, y, x))
    variables = [x_domain, y_domain]
    ring = shifted_ring(variables)
    found = []
    for case in cases(variables):
        result = sign(ring, shift(ring, poly, case), case)
        if result is None:
            return
        found.append(result)
    signs = {s for s, _ in found if s}
    if len(signs) > 1:
        return
    value = sum((c * x ** e[0] * y ** e[1] for e, c in poly.items()), Exact(0))
    if not signs:
        assert value == 0
    else:
        (expected,) = signs
        assert value * expected >= 0
        if all(s and strict for s, strict in found):
            assert value != 0


def test_a_closed_upper_bound_is_a_case_of_its_own() -> None:
    assert len(cases([X_DOMAINS[3]])) == 2
    assert len(cases([X_DOMAINS[2]])) == 1


def test_the_end_of_a_closed_interval_is_not_called_strict() -> None:
    """1 - x is positive on [0, 1) only; at 1 it vanishes."""
    variables = [X_DOMAINS[3]]
    ring = shifted_ring(variables)
    poly: Poly = {(0,): 1, (1,): -1}
    found = [sign(ring, shift(ring, poly, case), case) for case in cases(variables)]
    assert (1, True) in found
    assert (0, False) in found


def test_a_sign_that_changes_is_not_claimed() -> None:
    variables = [X_DOMAINS[0]]
    ring = shifted_ring(variables)
    (case,) = cases(variables)
    assert sign(ring, shift(ring, {(1,): 1, (0,): -3}, case), case) is None


def test_an_unbounded_variable_has_no_sign() -> None:
    variables = [DomainVariable("x", None, None, False, False, False)]
    ring = shifted_ring(variables)
    (case,) = cases(variables)
    assert sign(ring, shift(ring, {(1,): 1}, case), case) is None


def test_a_bound_with_a_denominator_that_may_vanish_is_refused() -> None:
    variables = [X_DOMAINS[0], DomainVariable("y", "1/(x - 2)", None, True, False, False)]
    with pytest.raises(ExpressionError, match="may not be positive"):
        cases(variables)
