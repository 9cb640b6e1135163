"""Clusters of users: bounds, merges, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import RegionClusters, Taxonomy, clustered

TREE = Taxonomy(
    {"all": ["n", "s", "z"], "n": ["n1", "n2"], "s": ["s1", "s2"], "n1": ["a", "b"], "s1": ["c"]}
)
SIZES = {name: len(TREE.span(name)) for name in TREE.names}


def written_out(clusters: dict[str, list[str]], squares: dict[str, float], beta: float) -> Any:
    """Every place, one cluster after the other."""
    found = dict.fromkeys(TREE.places, 0.0)
    for region, members in clusters.items():
        total = sum(squares[member] for member in members)
        bound = (2 * math.log(2 * SIZES[region] / (beta / len(clusters))) * total) ** 0.5
        for number in TREE.span(region):
            found[TREE.places[number]] += bound
    return [found[place] for place in TREE.places]


def test_the_bound_of_a_place_adds_up_those_of_its_clusters() -> None:
    squares = {"all": 400.0, "n": 50.0, "n1": 9.0, "s": 80.0}
    split = {"all": ["all", "s"], "n": ["n", "n1"]}
    made = RegionClusters(TREE, tuple((r, tuple(m)) for r, m in split.items()))
    assert made.bounds(squares, 0.1) == pytest.approx(written_out(split, squares, 0.1))


@given(st.dictionaries(st.sampled_from(TREE.names), st.floats(1, 1e6), min_size=1))
def test_merging_never_raises_the_largest_bound(squares: dict[str, float]) -> None:
    alone = {region: [region] for region in squares}
    found = clustered(TREE, squares, 0.05)
    assert sorted(m for _, members in found.clusters for m in members) == sorted(squares)
    merged = {region: list(members) for region, members in found.clusters}
    worst = max(written_out(alone, squares, 0.05))
    assert found.bounds(squares, 0.05) == pytest.approx(written_out(merged, squares, 0.05))
    assert float(found.bounds(squares, 0.05).max()) <= worst * (1 + 1e-12)


def test_a_few_users_inside_many_are_merged_and_two_halves_are_not() -> None:
    assert clustered(TREE, {"all": 1e6, "n": 5e5}, 0.1).clusters == (("all", ("all", "n")),)
    halves = clustered(TREE, {"n": 1e6, "s": 1e6}, 0.1)
    assert halves.clusters == (("n", ("n",)), ("s", ("s",)))
    assert np.flatnonzero(halves.bounds({"n": 1e6, "s": 1e6}, 0.1) == 0).tolist() == [5]


def test_the_confidence_is_split_over_the_clusters() -> None:
    """One of m clusters with k places: sqrt(2 ln(2 k m/beta) sum c^2)."""
    made = RegionClusters(TREE, (("n", ("n",)), ("s", ("s",))))
    found = made.bounds({"n": 100.0, "s": 0.0}, 0.2)
    assert found[0] == pytest.approx((2 * math.log(2 * 3 * 2 / 0.2) * 100) ** 0.5)


BAD: list[tuple[Any, str]] = [
    ((), "must be one or more"),
    ("all", "must be one or more"),
    (("all",), "pairs of a region and its members"),
    ((("all", ()),), "must not be empty"),
    ((("mars", ("n",)),), "a region of the taxonomy"),
    ((("all", ("mars",)),), "a region of the taxonomy"),
    ((("n", ("s",)),), "must hold the regions of their members"),
    ((("n1", ("n",)),), "must hold the regions of their members"),
    ((("all", ("n",)), ("n", ("n",))), "must not overlap"),
    ((("all", ("n", "n")),), "must not overlap"),
]


@pytest.mark.parametrize("clusters, said", BAD)
def test_bad_clusters_are_refused(clusters: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=f"clusters: .*{said}.*, got "):
        RegionClusters(TREE, clusters)


def test_bad_arguments_are_refused() -> None:
    made = RegionClusters(TREE, (("n", ("n",)),))
    none: dict[str, float] = {}
    with pytest.raises(ParameterError, match=r"clusters: must hold every region .*'s'"):
        made.bounds({"n": 1.0, "s": 1.0}, 0.1)
    for beta in (0.0, 1.0, 2):
        with pytest.raises(ParameterError, match="beta"):
            made.bounds({"n": 1.0}, beta)
        with pytest.raises(ParameterError, match="beta"):
            clustered(TREE, {"n": 1.0}, beta)
    with pytest.raises(ParameterError, match="squares: must name"):
        clustered(TREE, none, 0.1)
    with pytest.raises(ParameterError, match="squares: must be a region of the taxonomy"):
        clustered(TREE, {"mars": 1.0}, 0.1)
    with pytest.raises(ParameterError, match="taxonomy"):
        RegionClusters(3, (("n", ("n",)),))  # type: ignore[arg-type]  # what is to be refused
