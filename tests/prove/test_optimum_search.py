"""Rivals of a claimed optimum."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.language import (
    Design,
    Mechanism,
    Optimal,
    Rational,
    Singletons,
    exp,
    integer,
    load,
    real,
)
from ldp_verified.prove.enumeration.optimum_search import search_optimum

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)


def _claims_optimum(mechanism: Mechanism) -> Optimal:
    (claim,) = [c for c in mechanism.claims if isinstance(c, Optimal)]
    return claim


@pytest.mark.parametrize("name", ["olh", "oue"])
def test_the_catalogue_survives_every_rival(name: str) -> None:
    mechanism = load(name)[0]
    search = search_optimum(mechanism, _claims_optimum(mechanism), 5)
    assert search is not None
    assert search.witness is None
    assert "rival" in search.sizes


@pytest.mark.parametrize("share", [1, Fraction(1, 2)])
def test_the_share_matters(share: object) -> None:
    """OUE is best at f = 0 only: at f = 1 a smaller `one (1 - one)` wins."""
    mechanism = load("oue")[0]
    claim = Optimal(_claims_optimum(mechanism).values, at_f=share)
    search = search_optimum(mechanism, claim, 3)
    assert search is not None
    assert search.witness is not None
    one, zero = (Fraction(search.witness.values[f"{name} instead"]) for name in ("one", "zero"))
    ratio = Fraction(search.witness.parameters["u"])
    odds = one * (1 - zero) / (zero * (1 - one))
    assert max(odds, 1 / odds) <= ratio
    at = Fraction(str(share))
    value = (at * one * (1 - one) + (1 - at) * zero * (1 - zero)) / (one - zero) ** 2
    assert value == Fraction(search.witness.values["variance"])
    assert value < Fraction(search.witness.values["variance at the claimed optimum"])


def test_cells_of_a_design() -> None:
    """At a given ratio GRR's cells are forced; half as much ratio is worse, and is refuted."""
    table = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
    grr = Mechanism("cells", parameters=[eps, k], table=table)
    best = Optimal({"inside": u / (u + k - 1), "outside": 1 / (u + k - 1)})
    found = search_optimum(grr, best, 3)
    assert found is not None
    assert found.witness is None
    reverse = Optimal({"inside": 1 / (1 + u * (k - 1)), "outside": u / (1 + u * (k - 1))})
    search = search_optimum(grr, reverse, 3)
    assert search is not None
    assert search.witness is not None
    assert search.witness.parameters["k"] == "3"  # At k = 2 both are the same table up to names.


def test_an_optimum_that_no_point_reaches_is_not_decided() -> None:
    mechanism = load("olh")[0]
    g = next(p for p in mechanism.parameters if p.name == "g")
    assert search_optimum(mechanism, Optimal({g: u + 2000}), 8) is None


def test_unknown_names_are_not_decided() -> None:
    assert search_optimum(load("oue")[0], Optimal({"three": 1}), 3) is None


@pytest.mark.parametrize(
    "one, zero", [(Rational(3, 2), 1 / (u + 1)), (1, 1 / (u + 1)), (Rational(1, 2), 1 / (u**2 + 1))]
)
def test_cells_claimed_best_must_be_a_table_of_the_declared_eps(one: object, zero: object) -> None:
    """No probability, no finite ratio, a larger ratio than the declared table has."""
    found = search_optimum(load("oue")[0], Optimal({"one": one, "zero": zero}), 3)
    assert found is not None
    assert found.witness is not None
    assert "are no table" in found.witness.explanation


def test_cells_claimed_best_that_waste_eps_are_beaten() -> None:
    sparing = Optimal({"one": Rational(1, 2), "zero": 3 / (2 * u + 4)})
    found = search_optimum(load("oue")[0], sparing, 3)
    assert found is not None
    assert found.witness is not None
    assert "variance per user" in found.witness.explanation
