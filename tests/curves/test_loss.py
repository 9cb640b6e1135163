"""Trade-off and delta of a table against what the table itself gives."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from ldp_verified.analysis.curves import loss_curve
from ldp_verified.analysis.curves.loss import exact_point
from ldp_verified.errors import ParameterError
from ldp_verified.language import Matrix, Mechanism, Rational, load

THIRD = Rational(1, 3)
TABLE = Matrix([[THIRD, 2 * THIRD, 0], [Rational(1, 2), Rational(1, 4), Rational(1, 4)]])


def test_the_trade_off_is_below_every_test_of_sets_and_meets_the_best() -> None:
    curve = loss_curve(Mechanism("m", parameters=[], table=TABLE), {})
    rows = [[1 / 3, 2 / 3, 0.0], [0.5, 0.25, 0.25]]
    tests = [
        (sum(other[y] for y in chosen), 1 - sum(own[y] for y in chosen))
        for own, other in (rows, rows[::-1])
        for size in range(4)
        for chosen in combinations(range(3), size)
    ]
    alphas = np.array([alpha for alpha, _ in tests])
    betas = curve.trade_off(alphas)
    assert all(b <= beta + 1e-12 for b, (_, beta) in zip(betas, tests, strict=True))
    # The corner of the likelihood-ratio test {y : P(y|x) > P(y|x')} is reached.
    assert any(
        abs(b - beta) < 1e-12 and 0 < beta < 1 for b, (_, beta) in zip(betas, tests, strict=True)
    )
    assert math.isinf(curve.epsilon)
    assert curve.trade_off(np.array([0.0]))[0] == pytest.approx(0.75)


def test_delta_is_the_largest_excess_of_a_set() -> None:
    curve = loss_curve(load("grr")[0], {"eps": 1, "k": 4})
    u = math.e
    for level in (0.0, 0.4, 1.0):
        expected = max(0.0, (u - math.exp(level)) / (u + 3))
        assert curve.delta(np.array([level]))[0] == pytest.approx(expected)
    assert curve.epsilon == pytest.approx(1.0)


def test_masses_sum_to_one_under_both_inputs() -> None:
    for name, values in (
        ("oue", {"eps": 2}),
        ("olh", {"eps": "1/2", "g": 3}),
        ("warner", {"gamma": "0.2"}),
    ):
        curve = loss_curve(load(name)[0], values)
        for losses, masses in zip(curve.losses, curve.masses, strict=True):
            assert masses.sum() == pytest.approx(1)
            assert (masses * np.exp(-losses)).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"eps": 1}, "must give k"),
        ({"eps": 1, "k": 4, "j": 2}, "must name one of eps, k"),
        ({"eps": "one", "k": 4}, "eps: must be a number"),
        ({"eps": "1/0", "k": 4}, "eps: must be a number"),
        ({"eps": "0/0", "k": 4}, "eps: must be a number"),
        ({"eps": "nan", "k": 4}, "eps: must be a number"),
        ({"eps": "oo", "k": 4}, "eps: must be a number"),
        ({"eps": 1, "k": "4/0"}, "k: must be a number"),
        ({"eps": np.array(1), "k": 4}, "eps: must be a number"),
        ({"eps": True, "k": 4}, "eps: must be a number"),
        ({"eps": 1, "k": 1}, "k: must satisfy integer k >= 2"),
        ({"eps": -1, "k": 4}, "eps: must satisfy eps > 0"),
    ],
)
def test_bad_values(values: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        loss_curve(load("grr")[0], values)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(0.1)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
    ids=repr,
)
def test_numbers_are_read_exactly_as_elsewhere(value: object, exact: Fraction) -> None:
    point = exact_point(load("grr")[0], {"eps": value, "k": 4})
    assert {Fraction(int(each.p), int(each.q)) for each in point.values()} == {exact, Fraction(4)}
