"""Networks: inference by enumeration, the best tree, no edges of noise, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import JointEstimate, JointTables, Network
from tests.broken.networks import without_tests

SIZES = {"a": 2, "b": 3, "c": 2, "d": 2}


def estimated(columns: dict[str, Any], seed: int, epsilon: float = 8.0) -> JointEstimate:
    made = JointTables(epsilon, {name: SIZES[name] for name in columns})
    return made.estimate(made.empty(simulated=True).update(made.privatize(columns, seed)))


def chain(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """d follows c, c follows b, and a is on its own."""
    b = rng.integers(0, 3, n)
    c = np.where(rng.random(n) < 0.9, (b > 0).astype(int), rng.integers(0, 2, n))
    d = np.where(rng.random(n) < 0.9, 1 - c, rng.integers(0, 2, n))
    return {"a": rng.integers(0, 2, n), "b": b, "c": c, "d": d}


def joint(made: Network) -> dict[tuple[int, ...], float]:
    """All cells, by the product of the tables."""
    names = list(made.labels)
    found = {}
    for cell in product(*(range(len(labels)) for labels in made.labels.values())):
        at, mass = dict(zip(names, cell, strict=True)), 1.0
        for name, up in made.parents.items():
            table = made.tables[name]
            mass *= table[at[name]] if up is None else table[at[up], at[name]]
        found[cell] = float(mass)
    return found


@pytest.fixture
def network(seed: int) -> Network:
    return estimated(chain(np.random.default_rng(seed), 40_000), seed).network()


def test_the_edges_are_those_that_were_drawn(network: Network) -> None:
    """Null: tests of six pairs at 0.01; a and others are independent, so 1 % of runs may differ.

    What must hold in every run: the edges of the chain, which lie more than 20 errors away.
    """
    assert {frozenset(edge) for edge in network.edges} >= {frozenset("bc"), frozenset("cd")}
    assert frozenset("bd") not in {frozenset(edge) for edge in network.edges}
    assert "->" in repr(network)
    assert next(iter(network.parents)) == "a"


def test_probabilities_are_those_of_the_product(network: Network) -> None:
    cells = joint(network)
    assert sum(cells.values()) == pytest.approx(1.0)
    names = list(network.labels)
    for asked in ({}, {"a": 1}, {"b": 2, "d": 0}, {"a": 0, "b": 1, "c": 1, "d": 1}):
        mass = sum(
            m
            for cell, m in cells.items()
            if all(cell[names.index(n)] == v for n, v in asked.items())
        )
        assert network.probability(asked) == pytest.approx(mass, rel=1e-9)
    found = network.conditional("b", {"d": 1})
    own = [sum(m for cell, m in cells.items() if cell[1] == v and cell[3] == 1) for v in range(3)]
    assert list(found.values()) == pytest.approx([each / sum(own) for each in own])


def test_planted_a_product_of_margins_is_another_distribution(network: Network) -> None:
    apart = Network(
        network.labels,
        dict.fromkeys(network.labels),
        {
            name: np.array([network.probability({name: v}) for v in labels])
            for name, labels in network.labels.items()
        },
    )
    assert abs(apart.probability({"c": 0, "d": 0}) - network.probability({"c": 0, "d": 0})) > 0.1


def test_noise_makes_no_edges(seed: int) -> None:
    """Null: independent attributes, tests of six pairs together at 1e-9."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, k, 4000) for name, k in SIZES.items()}
    found = estimated(columns, seed, epsilon=1.0)
    assert found.network(significance=1e-9).edges == ()
    assert len(without_tests(found).edges) == 3  # planted


def test_pairs_that_no_view_has_have_no_edge(seed: int) -> None:
    columns = chain(np.random.default_rng(seed), 20_000)
    made = JointTables(8.0, SIZES, (("a", "b"), ("c", "d")))
    found = made.estimate(made.empty(simulated=True).update(made.privatize(columns, seed)))
    assert ("c", "d") in found.network().edges
    assert all(set(edge) in ({"a", "b"}, {"c", "d"}) for edge in found.network().edges)


def test_what_is_refused(network: Network, seed: int) -> None:
    found = estimated({"a": [0, 1] * 50, "b": [0, 2] * 50}, seed)
    for wrong in (0, 1, True, None):
        with pytest.raises(ParameterError, match="significance"):
            found.network(wrong)  # type: ignore[arg-type]  # what is wrong
    calls: list[tuple[Any, str]] = [
        (lambda: network.probability({"z": 1}), "values: must be one of a, b, c, d"),
        (lambda: network.probability({"a": 7}), "a: must be one of its labels"),
        (lambda: network.conditional("z", {}), "name: must be one of"),
        (lambda: network.conditional("a", {"a": 1}), "name: must not be given"),
        (lambda: network.probability(None), "values: must be a mapping"),  # type: ignore[arg-type]  # what is wrong
    ]
    for call, message in calls:
        with pytest.raises(ParameterError, match=message):
            call()
    nobody = Network({"a": (0, 1)}, {"a": None}, {"a": np.array([1.0, 0.0])})
    both = Network(
        {"a": (0, 1), "b": (0, 1)},
        {"a": None, "b": "a"},
        {"a": np.array([1.0, 0.0]), "b": np.eye(2)},
    )
    assert nobody.conditional("a", {}) == {0: 1.0, 1: 0.0}
    with pytest.raises(ParameterError, match="given: must be values that somebody has"):
        both.conditional("b", {"a": 1})
