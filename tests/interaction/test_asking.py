"""Algorithms that ask, and the values of what they ask about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.analysis.interaction import Asking, exact_queries, values_of
from ldp_verified.errors import DomainError, ParameterError
from tests.broken.interaction import centred

if TYPE_CHECKING:
    from collections.abc import Generator

BOUNDS = (-1.0, 1.0)


def median(low: float = -1.0, high: float = 1.0) -> Generator[Any, float, float]:
    """Halve an interval five times: each question depends on the answers before it."""
    for _ in range(5):
        middle = (low + high) / 2
        below = yield lambda x, middle=middle: (np.asarray(x) < middle) * 1.0
        low, high = (low, middle) if below > 0.5 else (middle, high)
    return (low + high) / 2


def test_an_algorithm_asks_until_it_is_done() -> None:
    asking = Asking(median, 5)
    middles = []
    while asking.question is not None:
        middles.append((asking.number, asking.question(-0.9), asking.question(0.9)))
        asking.answer(1.0)
    assert middles == [(i, 1.0, 0.0) for i in range(4)] + [(4, 0.0, 0.0)]
    assert asking.done
    assert asking.result == pytest.approx(-1 + 1 / 32)
    with pytest.raises(ParameterError, match="while the algorithm asks"):
        asking.answer(1.0)


def test_a_running_generator_does_as_well() -> None:
    assert Asking(median(0.0, 1.0), 5).question is not None


def test_it_asks_no_more_than_planned() -> None:
    asking = Asking(median, 2)
    asking.answer(1.0)
    with pytest.raises(ParameterError, match="must ask 2 queries at most"):
        asking.answer(1.0)


def test_what_is_no_algorithm_is_named() -> None:
    with pytest.raises(ParameterError, match="generator function"):
        Asking(lambda: 3, 2)  # type: ignore[arg-type,return-value]  # wrong on purpose
    with pytest.raises(ParameterError, match=r"query 0: must be functions.*int"):
        Asking((x for x in (3,)), 2)  # type: ignore[misc]  # wrong on purpose


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda x: x * 2, r"must have values in -1.0..1.0"),
        (lambda x: x * np.nan, "must have values in"),
        (lambda x: np.stack([x, x]), "shape"),
        (lambda _: "no", "must have numbers"),
        (centred, "own record"),
    ],
)
def test_bad_values_are_refused_and_not_shown(function: Any, match: str) -> None:
    records = np.linspace(0.0, 1.0, 50)
    with pytest.raises(DomainError, match=match) as error:
        values_of(function, records, BOUNDS, None, many_at_once=True, name="query 3")
    assert "query 3" in str(error.value)
    assert "got 2.0" not in str(error.value)


def test_one_record_or_many_give_the_same() -> None:
    records = np.linspace(-1.0, 1.0, 40)

    def both(x: Any) -> Any:
        return np.stack([x, x**2], axis=-1)

    one = values_of(both, records, BOUNDS, 2)
    many = values_of(both, records, BOUNDS, 2, many_at_once=True)
    np.testing.assert_array_equal(one, many)
    assert one.shape == (40, 2)
    with pytest.raises(DomainError, match="shape"):
        values_of(both, records, BOUNDS, 3)


def test_exact_answers_find_the_median() -> None:
    records = np.linspace(0.2, 0.4, 1001)
    for many in (True, False):
        found = exact_queries(median, records, queries=5, many_at_once=many)
        assert found == pytest.approx(0.3, abs=1 / 16)
    with pytest.raises(DomainError, match="records"):
        exact_queries(median, records[:0], queries=5)


def test_exact_answers_may_be_vectors() -> None:
    def asks() -> Generator[Any, Any, Any]:
        return (yield lambda x: [x, -x])

    assert exact_queries(asks, [0.0, 1.0], queries=1, d=2).tolist() == [0.5, -0.5]


@pytest.mark.parametrize(
    "question",
    [
        lambda x: [x] * int(1 + x),
        lambda _: np.ma.masked,
        lambda x: x or np.ma.MaskedArray(0.5, mask=True),
        lambda x: "SECRET" * int(1 + x),
    ],
)
def test_values_that_are_no_numbers_are_refused(question: Any) -> None:
    with pytest.raises(DomainError, match="query") as caught:
        values_of(question, [0.0, 1.0], BOUNDS, None)
    assert not set(str(caught.value)) & set("0123456789")  # no length of a text
