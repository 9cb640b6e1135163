"""Statistics in steps, and back in the users' units."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.analysis.central import (
    ClampedMean,
    ClampedSum,
    Count,
    Histogram,
    Neighbours,
    check_sensitivity,
)
from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.prove.verdicts import Status

REPLACE, ADD_REMOVE = Neighbours.REPLACE, Neighbours.ADD_REMOVE


@pytest.mark.parametrize("neighbours", Neighbours)
def test_without_noise_the_answer_is_the_statistic(
    neighbours: Neighbours, rng: np.random.Generator
) -> None:
    values = rng.normal(2.0, 3.0, 1000)
    clamped = np.clip(values, -1.0, 4.0)
    answers: list[tuple[Any, Any, Any, float]] = [
        (Count(), values > 0, (values > 0).sum(), 0.0),
        (Count(of=3), np.floor(values), (np.floor(values) == 3).sum(), 0.0),
        (ClampedSum(-1, 4), values, clamped.sum(), 1000 * 2**-8),
        (ClampedMean(-1, 4), values, clamped.mean(), 2**-8),
    ]
    for what, data, truth, slack in answers:
        steps = what.steps(data, neighbours)
        assert steps.dtype == np.int64
        assert what.answer(steps.astype(float), len(data), neighbours) == pytest.approx(
            truth, abs=max(slack, 1e-9)
        )
    labels = np.array(["a", "b", "c"])[rng.integers(0, 3, 100)]
    counts = Histogram(("a", "b", "c")).steps(labels, neighbours)
    assert counts.tolist() == [(labels == each).sum() for each in "abc"]


def test_steps_are_a_power_of_two_and_bounds_are_kept() -> None:
    made = ClampedSum(0, 60)
    assert made.sensitivity(REPLACE).total == 960
    assert made.places([-5.0, 0.03, 60.0, 1e300]).tolist() == [0, 0, 960, 960]
    assert ClampedSum(0.1, 0.9, 0.25).sensitivity(ADD_REMOVE).total == 3


def test_the_error_of_a_mean_is_that_of_the_quotient() -> None:
    made = ClampedMean(-1, 1, 1.0)
    assert made.error(np.array([3.0]), 2.0, 10, REPLACE) == pytest.approx(0.2)
    noisy = np.array([5.0, 10.0])
    assert made.error(noisy, 2.0, 0, ADD_REMOVE) == pytest.approx(0.2 * 1.25**0.5)
    assert made.answer(np.array([5.0, -3.0]), 0, ADD_REMOVE) == 5.0  # n counts as 1


MASKED = np.ma.MaskedArray(np.array([1, 1, 0]), mask=[False, True, False])

BAD: list[tuple[Any, Any, type[LdpError]]] = [
    (Count(), [0, 2], DomainError),
    (Count(), [0.5], DomainError),
    (Count(), [[0], [1]], DomainError),
    (Count(of="a"), [0, 1], DomainError),
    (Count(of=1), ["a"], DomainError),
    (Count(), MASKED, DomainError),
    (Count(of=1), MASKED, DomainError),
    (Count(of=1), [1, np.ma.masked], DomainError),
    (Histogram(2), MASKED, DomainError),
    (ClampedSum(0, 1), MASKED, DomainError),
    (Count(), [[1], [1, 0]], DomainError),
    (Count(of="1"), [1, "1"], DomainError),
    (Histogram(2), [0, 2], DomainError),
    (Histogram(("a",)), ["b"], DomainError),
    (ClampedSum(0, 1), [float("nan")], DomainError),
    (ClampedSum(0, 1), [float("inf")], DomainError),
    (ClampedMean(0, 1), ["x"], DomainError),
]


@pytest.mark.parametrize("what,values,error", BAD)
def test_values_that_are_none_are_refused_and_not_shown(
    what: Any, values: Any, error: type[LdpError]
) -> None:
    with pytest.raises(error) as caught:
        what.steps(values, REPLACE)
    assert "values" in caught.value.argument


@pytest.mark.parametrize("of", [True, np.True_, 2.5, b"a", [1, 2], np.array([1]), ("a",)])
def test_what_is_counted_is_one_string_or_integer(of: Any) -> None:
    with pytest.raises(ParameterError, match="of: must be a string or an integer"):
        Count(of)


@pytest.mark.parametrize("of,count", [("1", 1), (1, 2), ("a", 0), (10**400, 0)])
def test_objects_are_counted_each_as_what_it_is(of: str | int, count: int) -> None:
    values = np.array([1, "1", 1.0, None, b"1", "\ud800"], dtype=object)
    assert Count(of).steps(values, REPLACE).tolist() == [count]


@pytest.mark.parametrize(
    "arguments",
    [
        (1, 0),
        (0, 0),
        (0, float("inf")),
        (float("nan"), 1),
        (0, 1, 0),
        (0, 1, -1.0),
        (0, 1, 1e-9),
        (0.1, 0.2, 1.0),
        (1e9, 1e9 + 1),
        (0, 5e-324),
        (0, 1e-322),
        (-1e-200, 1e-200),
        (0, Fraction(1, 10**400)),
        (0, Fraction(10**400)),
        (-1e308, 1e308),
        (0, 1e141),
        (0, 1, 5e-324),
        (0, 1, 10**400),
        (0, 1, Fraction(1, 10**400)),
    ],
)
def test_bounds_that_are_none_are_refused(arguments: Any) -> None:
    for kind in (ClampedSum, ClampedMean):
        with pytest.raises(ParameterError, match=r"low, high|step"):
            kind(*arguments)


@pytest.mark.parametrize("bounds", [(0, 1e-140), (-1e-140, 1e-140), (0, 1e140), (-4e139, 5e139)])
@pytest.mark.parametrize("kind", [ClampedSum, ClampedMean])
@pytest.mark.parametrize("neighbours", Neighbours)
def test_the_narrowest_and_the_widest_interval_keep_their_sensitivity(
    kind: Any, bounds: tuple[float, float], neighbours: Neighbours
) -> None:
    """Steps that underflow gave 0/0, which counted as -2^63: the sign of an answer told a row."""
    made = kind(*bounds)
    data = [0.0, 1.0, -1e300, 5e-324, bounds[0] / 3, bounds[1]]
    assert check_sensitivity(made, data, 2, neighbours).status is Status.ENUMERATED
    assert all(made.most(1)[0] <= place <= made.most(1)[1] for place in made.places(data))


def test_a_bound_may_be_a_fraction() -> None:
    exact: list[Any] = [Fraction(1, 3), Fraction(4, 3), Fraction(1, 3)]
    assert ClampedSum(*exact).most(1) == (1, 4)


@pytest.mark.parametrize("given", [0, (), ("a", "a"), 1 << 25])
def test_categories_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(ParameterError):
        Histogram(given)
