"""The client of safe regions over all its words: its exact law, inside its region and outside."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import (
    TranscriptCheck,
)
from ldp_verified.language import load_protocol
from ldp_verified.protocols import SafeRegions
from ldp_verified.prove import Status
from tests.broken.safe_regions import (
    EVERYWHERE,
    INSIDE,
    LEAKY_INSIDE,
    LEAKY_OUTSIDE,
    REGIONS,
    TELLING,
    Program,
    honest,
    louder_epsilon,
    region_by_place,
    said,
    sign,
)
from tests.registry import SAMPLER, covers

LIES = [matrix._randomizer.thresholds[0] for matrix in REGIONS.matrices]
P = [Fraction(matrix._randomizer.p) for matrix in REGIONS.matrices]
RATIOS = [p / (1 - p) for p in P]


def check(
    program: Program, places: Any, level: int = 1, declared: Any = None, words: int = 3
) -> TranscriptCheck:
    """Check a client at these places, held to one realized epsilon."""
    by = declared and (lambda place, history, sent: declared(place, history).get(sent, 0))
    return check_every_word(program, places, [], RATIOS[level], words, by)


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("sign_matrix").law_hash == SafeRegions.law_sha256


@covers(SAMPLER, "SafeRegions")
@pytest.mark.parametrize("region", ["east", "world"])
@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("number", range(4))
def test_the_client_has_exactly_the_declared_law_inside_its_region(
    region: str, level: int, number: int
) -> None:
    """Region, epsilon and number as they are; the sign of the own place with chance p."""
    span = REGIONS.taxonomy.span(region)
    public = number, REGIONS.taxonomy.names.index(region), level

    def client(place: str, source: Any) -> Any:
        made = REGIONS.client(region, REGIONS.epsilons[level], number, source)
        yield said(made.report(place))

    def declared(place: str, _: object) -> dict[Any, Fraction]:
        truth = sign(number, place)
        return {((*public, s),): P[level] if s == truth else 1 - P[level] for s in (0, 1)}

    places = EVERYWHERE[span.start : span.stop]
    found = check(client, places, level, declared)
    assert found.status is Status.ENUMERATED, str(found)
    assert math.log(RATIOS[level]) <= REGIONS.matrices[level].realized_epsilon


def test_the_honest_client_is_private_where_its_column_tells_the_places_apart() -> None:
    found = check(honest, INSIDE)
    assert (found.status, found.largest) == (Status.ENUMERATED, RATIOS[1])
    assert len(TELLING) > 2


@pytest.mark.parametrize("name", LEAKY_INSIDE)
def test_clients_that_leak_inside_are_refuted(name: str) -> None:
    found = check(LEAKY_INSIDE[name], INSIDE)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


def test_an_epsilon_that_is_not_the_one_named_is_refuted() -> None:
    assert check(louder_epsilon, INSIDE, 1).status is Status.ENUMERATED
    assert check(louder_epsilon, INSIDE, 0).status is Status.REFUTED


@pytest.mark.parametrize("name", LEAKY_OUTSIDE)
def test_outside_the_region_nothing_is_promised(name: str) -> None:
    """These are private inside; over the whole domain some message has no finite ratio."""
    inside = check(LEAKY_OUTSIDE[name], INSIDE)
    assert inside.status is Status.ENUMERATED, str(inside)
    found = check(LEAKY_OUTSIDE[name], EVERYWHERE)
    assert (found.status, found.largest) == (Status.REFUTED, None), str(found)


def test_a_region_that_the_place_chooses_is_private_inside_each_region() -> None:
    for places in (INSIDE, ("wa", "wb")):
        assert check(region_by_place, places).status is Status.ENUMERATED
