"""Trees of regions: order, spans, and what is no tree."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import Taxonomy

WORLD = Taxonomy(
    {"france": ("paris", "lyon"), "world": ("europe", "asia"), "asia": ["tokyo"],
     "europe": ["france", "bonn"]}
)  # fmt: skip


def test_places_of_a_region_stand_together() -> None:
    assert WORLD.names == ("world", "europe", "france", "asia")
    assert WORLD.whole == "world"
    assert WORLD.places == ("paris", "lyon", "bonn", "tokyo")
    spans = [WORLD.places[s.start : s.stop] for s in map(WORLD.span, WORLD.names)]
    assert spans == [WORLD.places, WORLD.places[:3], WORLD.places[:2], ("tokyo",)]
    assert WORLD.around("france") == ("france", "europe", "world")
    assert WORLD.numbers(["tokyo", "paris"]) == [3, 0]


def test_the_order_of_the_regions_is_that_of_the_tree() -> None:
    again = Taxonomy(WORLD.regions)
    assert (again, again.digest, hash(again)) == (WORLD, WORLD.digest, hash(WORLD))
    other = Taxonomy({"world": ("asia", "europe"), "asia": ["tokyo"], "europe": ["paris", "bonn"]})
    assert other.digest != WORLD.digest


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40), st.integers(1, 6))
def test_every_tree_holds_each_place_in_the_regions_around_it(
    draws: list[int], regions: int
) -> None:
    """Region r hangs under a region before it; each place under any."""
    parts: dict[str, list[str]] = {f"r{r}": [f"own{r}"] for r in range(regions)}
    for r in range(1, regions):
        parts[f"r{draws[0] % r}"].append(f"r{r}")
    for place, draw in enumerate(draws):
        parts[f"r{draw % regions}"].append(f"p{place}")
    tree = Taxonomy(parts)
    assert sorted(tree.places) == sorted({*parts, *itertools.chain(*parts.values())} - parts.keys())
    for region, inside in parts.items():
        span = set(tree.span(region))
        for part in inside:
            own = set(tree.span(part)) if part in parts else set(tree.numbers([part]))
            assert own <= span
            assert part not in parts or tree.around(part)[1] == region
    assert sum(len(tree.span(f"r{r}")) for r in range(regions)) >= len(tree.places)


BAD: list[tuple[Any, str]] = [
    ({}, "1..65536 regions"),
    (3, "1..65536 regions"),
    ("text", "1..65536 regions"),
    ([("a",)], "pairs of a region and its parts"),
    ({"a": []}, "a list of parts that is not empty"),
    ({"a": "bc"}, "a list of parts that is not empty"),
    ({"a": ["b", "b"]}, "must not overlap"),
    ({"a": ["b", "c"], "b": ["x"], "c": ["x"]}, "must not overlap"),
    ([("a", ["b"]), ("a", ["c"])], "different names"),
    ({"a": ["b"], "c": ["d"]}, "one region that is part of no other"),
    ({"a": ["a"]}, "one region that is part of no other"),
    ({"a": ["x"], "b": ["c"], "c": ["b"]}, "parts of the whole domain"),
    ({"a": [1]}, "printable texts"),
    ({"a": [""]}, "printable texts"),
    ({"": ["a"]}, "printable texts"),
]


@pytest.mark.parametrize("regions, said", BAD)
def test_what_is_no_tree_is_refused(regions: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=f"regions: .*{said}.*, got "):
        Taxonomy(regions)


@pytest.mark.parametrize("region", ["bonn", "mars", 3, None, math.nan])
def test_a_region_outside_the_taxonomy_is_refused(region: Any) -> None:
    with pytest.raises(ParameterError, match="region: must be a region of the taxonomy, got"):
        WORLD.span(region)


@pytest.mark.parametrize("places", [["paris", "a secret"], ["europe"], "paris", 3, [["paris"]]])
def test_no_message_shows_a_place(places: Any) -> None:
    with pytest.raises(DomainError) as refused:
        WORLD.numbers(places)
    assert refused.value.__cause__ is refused.value.__context__ is None
    assert "secret" not in str(refused.value)
    assert "paris" not in str(refused.value)
