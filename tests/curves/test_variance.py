"""Variance curves against the textbook's formulas; crossings at the known points."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldp_verified.curves import variance_curves
from ldp_verified.errors import ParameterError
from ldp_verified.language import load, load_catalogue


def test_grr_and_oue_cross_where_the_paper_says() -> None:
    # Wang, Blocki, Li, Jha 2017: k < 3 e^eps + 2.
    both = [*load("grr"), *load("oue")]
    for epsilon in (0.3, 1.0, 2.5):
        curves = variance_curves(both, "k", np.geomspace(2, 1000, 60), epsilon)
        (crossing,) = curves.crossings
        assert (crossing.before, crossing.after) == ("grr", "oue")
        assert crossing.at == pytest.approx(3 * math.exp(epsilon) + 2, rel=1e-9)
        u = math.exp(epsilon)
        assert crossing.variance == pytest.approx(4 * u / (u - 1) ** 2, rel=1e-9)


def test_values_are_the_textbooks_at_every_share() -> None:
    points = np.linspace(0.2, 5, 7)
    for share in (0.0, 0.25, 1.0):
        curves = variance_curves(load_catalogue(), "epsilon", points, 20, share)
        for epsilon, grr, sue in zip(
            points, curves.values["grr"], curves.values["sue"], strict=True
        ):
            u, s = math.exp(epsilon), math.exp(epsilon / 2)
            assert grr == pytest.approx((18 + u) / (u - 1) ** 2 + share * 18 / (u - 1))
            assert sue == pytest.approx(s / (s - 1) ** 2)


def test_a_tuned_integer_is_the_better_neighbour_of_the_optimum() -> None:
    curves = variance_curves(load("olh"), "epsilon", np.array([0.5, 1.0, 3.0]), 50)
    for epsilon, value in zip(curves.points, curves.values["olh"], strict=True):
        u = math.exp(epsilon)
        best = min((u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2) for g in range(2, 100))
        assert value == pytest.approx(best, rel=1e-9)


def test_mechanisms_without_eps_or_k_are_left_out() -> None:
    curves = variance_curves(load_catalogue(), "epsilon", [0.5, 1.0], 10)
    assert {"warner", "binary_rr"}.isdisjoint(curves.values)
    with pytest.raises(ParameterError, match="must have a variance in eps and k"):
        variance_curves(load("warner"), "epsilon", [0.5, 1.0], 10)


@pytest.mark.parametrize(
    ("against", "points", "fixed", "share", "argument"),
    [
        ("n", [1.0, 2.0], 10, 0.0, "against"),
        ("epsilon", [1.0], 10, 0.0, "points"),
        ("epsilon", [2.0, 1.0], 10, 0.0, "points"),
        ("epsilon", [0.0, 1.0], 10, 0.0, "epsilon"),
        ("k", [1.0, 4.0], 1.0, 0.0, "k"),
        ("epsilon", [1.0, 2.0], 10, 1.5, "share"),
    ],
)
def test_bad_arguments(
    against: str, points: list[float], fixed: float, share: float, argument: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        variance_curves(load("grr"), against, points, fixed, share)
    assert caught.value.argument == argument
