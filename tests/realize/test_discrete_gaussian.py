"""The table of Gaussian noise: its weights, and its delta against sums over every event."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.run.realize.real_numbers.discrete_gaussian import (
    LEAST_STEPS,
    MOST_STEPS,
    TOTAL,
    UNITS,
    DiscreteGaussian,
    smallest,
)

SHARES = [1 << 17, 1 << 19, 1 << 20, 5 << 20, 40 << 20]


def _exponential(epsilon: float) -> tuple[Fraction, Fraction]:
    """Fractions on both sides of e^epsilon, 2^-180 apart relatively; another library's digits."""
    with localcontext(prec=70):
        value = Fraction(Decimal(epsilon).exp())
    return value * (1 - Fraction(1, 1 << 180)), value * (1 + Fraction(1, 1 << 180))


def _by_all_outputs(noise: DiscreteGaussian, level: Fraction, shift: int) -> Fraction:
    """The sum over every output of how much P(y|x) exceeds level P(y|x + shift)."""
    law = {z: Fraction(w, TOTAL) for z, w in enumerate(noise.weights)}
    none = Fraction(0)
    gaps = (p - level * law.get(z - shift, none) for z, p in law.items())
    return sum((max(none, gap) for gap in gaps), none)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 5.0, 60.0])
@pytest.mark.parametrize("m", [1, 2, 7])
def test_delta_is_that_of_all_outputs_and_all_pairs(share: int, epsilon: float, m: int) -> None:
    noise = DiscreteGaussian.of(share)
    low, high = _exponential(epsilon)
    found = noise.delta(epsilon, m)
    every = [_by_all_outputs(noise, low, sign * j) for j in range(1, m + 1) for sign in (1, -1)]
    assert max(every) <= found
    # Rounded up to the next double, and no further.
    assert Fraction(nextafter(found, 0.0)) < _by_all_outputs(noise, high, m) or found == 0.0


@pytest.mark.parametrize("share", SHARES)
def test_weights_are_those_of_the_normal_density(share: int) -> None:
    """Each within one unit but the middle one, which has what rounding leaves."""
    noise = DiscreteGaussian.of(share)
    with localcontext(prec=120):
        rate = Decimal(UNITS) ** 2 / (2 * Decimal(share) ** 2)
        masses = [(-rate * z * z).exp() for z in range(-noise.reach, noise.reach + 1)]
        ideal = [TOTAL * mass / sum(masses) for mass in masses]
        for z, (weight, mass) in enumerate(zip(noise.weights, ideal, strict=True)):
            slack = len(ideal) if z == noise.reach else 1
            assert abs(weight - mass) <= slack


def test_variance_is_that_of_the_table() -> None:
    noise = DiscreteGaussian.of(1 << 20)
    law = [(j - noise.reach, Fraction(w, TOTAL)) for j, w in enumerate(noise.weights)]
    assert sum(z * p for z, p in law) == 0
    assert sum(z * z * p for z, p in law) == noise.variance


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0.05, 700),
    st.floats(min_value=2.0**-60, max_value=1, exclude_max=True),
    st.integers(1, 64),
)
def test_what_is_found_holds_the_claim(epsilon: float, delta: float, m: int) -> None:
    found = smallest(epsilon, delta, m)
    if found is not None:
        assert found.delta(epsilon, m) <= delta


@pytest.mark.parametrize(
    ("epsilon", "delta", "m"), [(1.0, 1e-6, 16), (4.0, 1e-9, 9), (0.1, 0.3, 64)]
)
def test_a_little_less_noise_breaks_the_claim(epsilon: float, delta: float, m: int) -> None:
    """2^-12 less, where 2^-29 is what the search leaves."""
    found = smallest(epsilon, delta, m)
    assert found is not None
    less = DiscreteGaussian.of(found.share - (found.share >> 12))
    assert less.delta(epsilon, m) > delta


def test_noise_beyond_the_largest_is_none() -> None:
    assert smallest(1e-6, 1e-6, 1) is None
    assert smallest(1.0, 1e-6, MOST_STEPS) is None


def test_hardly_any_privacy_takes_the_smallest_noise() -> None:
    found = smallest(1.0, 1 - 2.0**-53, 1)
    assert found is not None
    assert Fraction(found.share, UNITS) == LEAST_STEPS


def _dented(weights: tuple[int, ...]) -> tuple[int, ...]:
    """Less weight next to the middle than further out; symmetric and as much as before."""
    made, middle = list(weights), len(weights) // 2
    for side in (-1, 1):
        less = made[middle + 2 * side] // 2
        made[middle] += made[middle + side] - less
        made[middle + side] = less
    return tuple(made)


@pytest.mark.parametrize(
    "change",
    [
        lambda w: (*w[:-1], w[-1] - 1, 1),
        lambda w: (w[0], w[1] + 5, *w[2:-1], w[-1] - 5),
        _dented,
        lambda w: tuple(2 * x for x in w),
    ],
    ids=["not symmetric", "moved", "not log-concave", "too much"],
)
def test_a_table_that_delta_does_not_hold_for_is_refused(change: object) -> None:
    """At a table that is not log-concave, "z <= t" need not be the best event."""
    assert callable(change)
    good = DiscreteGaussian.of(1 << 20)
    with pytest.raises(ArithmeticError):
        DiscreteGaussian(good.share, change(good.weights))
