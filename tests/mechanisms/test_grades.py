"""The exponential mechanism on three grades against its scores."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ldp_verified.errors import DomainError
from ldp_verified.language import load
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.run.mechanisms import Grades

(SPEC,) = load("grades")


@pytest.mark.parametrize("root", [Fraction(101, 100), Fraction(2), Fraction(50)])
def test_the_table_is_proportional_to_the_weights(root: Fraction) -> None:
    """`root` is e^(eps/4): the weight of a report that is off by d is root^-d."""
    table = expand(SPEC, {next(iter(SPEC.variables)): root})
    for x in range(3):
        weights = [root ** -abs(x - y) for y in range(3)]
        found = {column.output: table.probability(column, x) for column in table.columns}
        assert found == {y: weight / sum(weights) for y, weight in enumerate(weights)}


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 1.0, 20.0])
def test_the_realized_table_is_near_and_no_less_private(epsilon: float) -> None:
    """The class is given its tight epsilon, half of the eps of the scores."""
    mechanism = Grades(epsilon)
    assert mechanism.realized_epsilon <= epsilon
    root = math.exp(epsilon / 2)
    for x in range(3):
        weights = [root ** -abs(x - y) for y in range(3)]
        for y in range(3):
            ideal = weights[y] / sum(weights)
            assert float(mechanism.rows[x][y]) == pytest.approx(ideal, abs=1e-12)


def test_grades_are_given_as_they_are(seed: int) -> None:
    """The integers 1 and 2 are grades, so that indices would have two meanings: 0 is refused."""
    made = Grades(1.0)
    assert made.labels == (1, 2, 3)
    assert [made.pmf(x - 1, x) for x in made.labels] == [made.rows[x][x] for x in range(3)]
    assert made.aggregate(made.privatize([1, 2, 3], seed), simulated=True).estimate()[3].label == 3
    with pytest.raises(DomainError, match="must be one of 1, 2, 3"):
        made.privatize([0, 1])
