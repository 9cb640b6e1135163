"""delta of declared tables: against exact losses, at the claimed epsilon, and what has none."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from ldp_verified.analysis.account import declared_delta, losses, worst_delta
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from tests.cli.running import run

TABLES: dict[str, dict[str, str]] = {
    "grr": {"eps": "1", "k": "10"},
    "sue": {"eps": "1", "k": "10"},
    "oue": {"eps": "1"},
    "hrr": {"eps": "2"},
    "binary_rr": {"eps": "1"},
    "grades": {"eps": "3"},
}


@pytest.mark.parametrize("name", TABLES)
def test_delta_falls_from_the_largest_distance_to_nothing_at_the_epsilon(name: str) -> None:
    mechanism = load(name)[0]
    found = [declared_delta(mechanism, TABLES[name], at) for at in (0.0, 0.3, 0.7, 3.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.1
    assert found[-1] <= 2e-13


def test_delta_of_k_ary_response_has_its_closed_form() -> None:
    (grr,) = load("grr")
    u, k = math.e, 10
    for at in (0.0, 0.25, 0.9):
        exact = (u - math.exp(at)) / (u + k - 1)
        found = declared_delta(grr, {"eps": "1", "k": str(k)}, at)
        assert exact - 1e-15 <= found <= exact + 2e-13


def test_rational_tables_agree_with_exact_losses() -> None:
    (warner,) = load("warner")
    gamma = Fraction(1, 8)
    every = losses(warner, {"gamma": gamma})
    exact = worst_delta(every, 1)
    found = declared_delta(warner, {"gamma": "1/8"}, 0.0)
    assert exact <= Fraction(found) <= exact + Fraction(2, 10**13)


def test_what_has_no_pair_tables_is_refused() -> None:
    with pytest.raises(ParameterError, match="finite table"):
        declared_delta(load("laplace")[0], {"b": "1"}, 0.5)


@pytest.mark.parametrize(
    ("values", "epsilon"),
    [({"eps": "1"}, 0.5), ({"eps": "1", "k": "1"}, 0.5), ({"eps": "1", "k": "5"}, -1.0)],
)
def test_bad_arguments_are_refused(values: dict[str, str], epsilon: float) -> None:
    with pytest.raises(ParameterError):
        declared_delta(load("grr")[0], values, epsilon)


def test_the_command_line_shows_it() -> None:
    found = run("derive", "grr", "--delta-at", "0.5", "--set", "eps=1", "--set", "k=4")
    assert found.exit_code == 0
    assert "grr (eps=1, k=4): delta <= 0.187" in found.stdout
    found = run("derive", "oue", "--delta-at", "0.5", "--set", "eps=1", "--json")
    body = json.loads(found.stdout)
    assert 0 < body["delta"] < 1
    assert run("derive", "grr", "--set", "eps=1").exit_code != 0
