"""Facts of an expanded table equal numbers worked out by hand and by brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.language import Matrix, Mechanism, Rational, load, real
from ldp_verified.prove.enumeration.exact_values import NotExpandableError
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.table_facts import (
    LinearEstimator,
    SupportEstimator,
    delta,
    estimator,
    left_inverse,
    support_estimator,
    tight_ratio,
    worst,
)

if TYPE_CHECKING:
    from ldp_verified.prove.enumeration.expand import ExpandedTable

p = real("p", above=0, below=1)


def _table(rows: list[list[object]], **labels: Any) -> ExpandedTable:
    form = Matrix(rows, **labels)
    return expand(Mechanism("table", parameters=[p], table=form), {p: Fraction(1, 2)})


def test_tight_ratio_of_the_catalogue() -> None:
    for name, point, expected in (
        ("grr", {"u": Fraction(5, 2), "k": 4}, Fraction(5, 2)),
        ("oue", {"u": Fraction(5, 2), "k": 4}, Fraction(5, 2)),
        ("sue", {"s": Fraction(5, 2), "k": 4}, Fraction(25, 4)),
        ("olh", {"u": Fraction(5, 2), "k": 4, "g": 3}, Fraction(5, 2)),
        ("warner", {"gamma": Fraction(1, 4)}, Fraction(3)),
    ):
        assert tight_ratio(expand(load(name)[0], point)) == expected


def test_worst_says_where() -> None:
    table = _table([[Rational(1, 2), Rational(1, 2)], [Rational(1, 5), Rational(4, 5)]])
    found = worst(table)
    assert (found.ratio, found.column.output, found.x, found.x2) == (Fraction(5, 2), 0, 0, 1)


def test_delta_of_randomized_response_by_hand() -> None:
    grr = load("grr")[0]
    table = expand(grr, {"u": 3, "k": 3})  # Rows 3/5, 1/5, 1/5.
    assert delta(table, Fraction(1)) == Fraction(2, 5)
    assert delta(table, Fraction(2)) == Fraction(1, 5)
    assert delta(table, Fraction(3)) == 0


def test_delta_against_every_event() -> None:
    """Delta is the largest P(E|x) - level P(E|x') over all 2^m events E."""
    table = expand(load("oue")[0], {"u": 2, "k": 2})
    level = Fraction(3, 2)
    brute = max(
        sum(
            (table.probability(c, x) - level * table.probability(c, x2) for c in event),
            Fraction(0),
        )
        for x, x2 in permutations(range(2), 2)
        for chosen in product([False, True], repeat=len(table.columns))
        for event in [[c for c, taken in zip(table.columns, chosen, strict=True) if taken]]
    )
    assert delta(table, level) == brute


def test_support_estimator_of_grr() -> None:
    found = support_estimator(expand(load("grr")[0], {"u": 3, "k": 3}))
    assert isinstance(found, SupportEstimator)
    assert (found.p_star, found.q_star) == (Fraction(3, 5), Fraction(1, 5))
    assert (found.supported, found.otherwise) == (Fraction(2), Fraction(-1, 2))
    assert found.expectation(0, 0) == 1
    assert found.variance(0, 0) == Fraction(3, 5) * 4 + Fraction(2, 5) / 4 - 1


def test_support_that_differs_is_no_support_estimator() -> None:
    table = _table([[Rational(7, 10), Rational(3, 10)], [Rational(1, 5), Rational(4, 5)]])
    assert support_estimator(table) == "p* differs between inputs: 7/10, 4/5"
    assert isinstance(left_inverse(table), LinearEstimator)
    assert table.supported_mass == (
        (Fraction(7, 10), Fraction(3, 10)),
        (Fraction(1, 5), Fraction(4, 5)),
    )


def test_left_inverse_is_unbiased_and_of_least_variance(rng: np.random.Generator) -> None:
    """Against numpy's generalised least squares on random 3 x 5 tables, to 1e-9."""
    for _ in range(5):
        weights = rng.integers(1, 20, size=(3, 5))
        rows = [[Rational(int(w), int(row.sum())) for w in row] for row in weights]
        table = _table(rows, outputs=list("abcde"))
        found = left_inverse(table)
        assert isinstance(found, LinearEstimator)
        for x, v in product(range(3), repeat=2):
            assert found.expectation(x, v) == (x == v)
        matrix = weights / weights.sum(axis=1, keepdims=True)
        scaled = matrix / matrix.mean(axis=0)
        expected = np.linalg.solve(scaled @ matrix.T, scaled)
        order = [c.output for c in table.columns]
        ours = np.array([[float(w) for w in row] for row in found.weights])
        assert np.allclose(ours, expected[:, order], rtol=1e-9, atol=1e-9)


def test_a_wide_matrix_has_better_than_its_support() -> None:
    """Three outputs, the third supporting nobody: p* and q* exist, least variance is elsewhere."""
    rows: list[list[object]] = [
        [Rational(3, 5), Rational(1, 5), Rational(1, 5)],
        [Rational(1, 5), Rational(3, 5), Rational(1, 5)],
    ]
    table = _table(rows, outputs="abc", support=[[0], [1], []])
    by_support, found = support_estimator(table), estimator(table, matrix=True)
    assert isinstance(by_support, SupportEstimator)
    assert isinstance(found, LinearEstimator)
    variances = []
    for candidate in (by_support, found):
        assert [candidate.expectation(x, 0) for x in (0, 1)] == [1, 0]
        variances.append(sum(candidate.variance(x, 0) for x in (0, 1)))
    assert variances[1] < variances[0]


def test_a_square_matrix_has_one_estimator() -> None:
    table = expand(load("warner")[0], {"gamma": Fraction(1, 5)})
    by_support, found = support_estimator(table), estimator(table, matrix=True)
    assert isinstance(by_support, SupportEstimator)
    assert isinstance(found, LinearEstimator)
    assert found.weights[0] == (by_support.supported, by_support.otherwise)


def test_rank_is_the_reason() -> None:
    third = Rational(1, 3)
    reason = left_inverse(_table([[third] * 3] * 2, outputs="abc"))
    assert reason == "the table has rank 1 but 2 inputs: no linear estimator is unbiased"


def test_no_output_at_all() -> None:
    with pytest.raises(NotExpandableError, match="positive probability"):
        worst(_table([[0, 0], [0, 0]]))


def test_row_sums_see_what_is_missing() -> None:
    assert _table([[p, p], [p, p / 2]]).row_sums == (Fraction(1), Fraction(3, 4))
