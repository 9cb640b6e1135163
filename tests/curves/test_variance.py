"""Variance curves against the textbook's formulas; crossings at the known points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ldp_verified import PGR
from ldp_verified.analysis.curves import VarianceCurves, variance_curves
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
        curves = variance_curves([*load("grr"), *load("sue")], "epsilon", points, 20, share)
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


def test_a_set_has_the_best_size_of_all() -> None:
    """Every omega tried; the textbook's variance (Ye, Barg 2018) at f = 0, written here again."""
    curves = variance_curves(
        load("subset_selection"), "epsilon", np.array([0.1, 1.0, 2.0, 6.0]), 30
    )
    for epsilon, value in zip(curves.points, curves.values["subset_selection"], strict=True):
        u = math.exp(epsilon)
        best = min(
            (w * u + 30 - w - u) * (w * u + 29 - w) / (w * (30 - w) * (u - 1) ** 2)
            for w in range(1, 30)
        )
        assert value == pytest.approx(best, rel=1e-9)


def test_a_plane_has_the_best_prime_of_all() -> None:
    """The class at its best prime, which for so few values a server can hold."""
    curves = variance_curves(load("pgr"), "epsilon", np.array([0.3, 1.0, 2.0, 3.5]), 100)
    for epsilon, value in zip(curves.points, curves.values["pgr"], strict=True):
        assert value == pytest.approx(PGR(float(epsilon), 100).variance(1), rel=1e-6)
        assert value < 1.1 * 4 * math.exp(epsilon) / (math.exp(epsilon) - 1) ** 2


def test_every_crossing_is_found_and_those_of_the_best_come_first() -> None:
    points = np.linspace(0.0, 3.0, 31)

    def made(name: str) -> Callable[[float], float]:
        return {
            "flat": lambda x: 1.0 + 0.0 * x,
            "down": lambda x: 2.0 - x,
            "wave": lambda x: 1.2 + 0.5 * math.sin(6 * x),
            "flat_too": lambda x: 1.0 + 1e-12 * x,
        }[name]

    names = ("flat", "down", "wave", "flat_too")
    evaluate = {name: made(name) for name in names}
    values = {name: np.array([evaluate[name](x) for x in points]) for name in names}
    curves = VarianceCurves("epsilon", points, 10, 0.0, values, evaluate)
    found = curves.crossings
    (first,) = [c for c in found if {c.before, c.after} == {"flat", "down"}]
    assert (first.before, first.after, first.once) == ("flat", "down", True)
    assert first.at == pytest.approx(1.0)
    waves = [c for c in found if {c.before, c.after} == {"flat", "wave"}]
    expected = sorted((math.pi * i + s * math.asin(0.4)) / 6 for i, s in turns())
    assert sorted(c.at for c in waves) == pytest.approx(expected)
    assert not any(c.once for c in waves)
    assert not [c for c in found if {c.before, c.after} == {"flat", "flat_too"}]
    assert [c.best for c in found] == sorted((c.best for c in found), reverse=True)


def turns() -> list[tuple[int, int]]:
    """1.2 + 0.5 sin(6 x) is 1 at 6 x = pi i + asin(0.4), i odd, and 2 pi i - asin(0.4)."""
    every = [(i, 1 if i % 2 else -1) for i in range(1, 7)]
    return [(i, s) for i, s in every if (math.pi * i + s * math.asin(0.4)) / 6 <= 3]


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
        ("epsilon", [1.0, 2.0], 10, "x", "share"),
        ("epsilon", [1.0, 2.0], 10, math.nan, "share"),
        ("epsilon", ["a", "b"], 10, 0.0, "points"),
        ("epsilon", [1.0, math.nan], 10, 0.0, "points"),
        ("epsilon", [[1.0], [2.0, 3.0]], 10, 0.0, "points"),
        ("epsilon", None, 10, 0.0, "points"),
        ("epsilon", [1.0, 2.0], "x", 0.0, "fixed"),
        ("epsilon", [1.0, 2.0], math.inf, 0.0, "fixed"),
    ],
)
def test_bad_arguments(against: str, points: Any, fixed: Any, share: Any, argument: str) -> None:
    with pytest.raises(ParameterError) as caught:
        variance_curves(load("grr"), against, points, fixed, share)
    assert caught.value.argument == argument
