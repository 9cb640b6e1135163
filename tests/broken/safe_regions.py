"""Clients of safe regions that give away more than epsilon inside their region, or more outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ldp_verified.errors import DomainError
from ldp_verified.protocols import PlaceReports, SafeRegions
from ldp_verified.run.kernels.wide import parities

TREE = {"world": ["east", "west"], "east": ["ea", "eb"], "west": ["wa", "wb"]}
REGIONS = SafeRegions(TREE, (math.log(2), math.log(4)), seed=4)
INSIDE, EVERYWHERE = ("ea", "eb"), REGIONS.taxonomy.places

HINTS = (1 << 62, 3 << 62)
"""A quarter and three quarters of all words."""

Program = Callable[[str, Any], Generator[Any, Any, None]]


def sign(number: int, place: str) -> int:
    """Z[x, i], as 0 or 1."""
    matrix = REGIONS.matrices[0]
    column = matrix.columns(np.array([number], dtype=np.uint64))
    return int(parities(column, matrix.encode([EVERYWHERE.index(place)]))[0])


TELLING = [number for number in range(40) if sign(number, "ea") != sign(number, "eb")]
"""Users whose columns tell the two places inside apart."""


def said(report: PlaceReports) -> tuple[int, ...]:
    """All that is sent."""
    columns = report.numbers, report.regions, report.levels, report.signs
    return tuple(int(each[0]) for each in columns)


def honest(place: str, source: Any) -> Generator[Any, Any, None]:
    """Number, region and epsilon without a look at the place."""
    yield said(REGIONS.client("east", math.log(4), TELLING[0], source).report(place))


def column_by_place(place: str, source: Any) -> Generator[Any, Any, None]:
    """Takes the number, and so the column, that suits the place."""
    number = 1 + EVERYWHERE.index(place)
    yield said(REGIONS.client("east", math.log(4), number, source).report(place))


def column_by_place_outside(place: str, source: Any) -> Generator[Any, Any, None]:
    """Goes on where others refuse: a place outside is reported on another column."""
    number, region = (TELLING[0], "east") if place in INSIDE else (TELLING[1], "west")
    found = said(REGIONS.client(region, math.log(4), number, source).report(place))
    yield (found[0], 1, *found[2:])


def region_by_place(place: str, source: Any) -> Generator[Any, Any, None]:
    """Names the smallest region around the place."""
    region = "east" if place in INSIDE else "west"
    yield said(REGIONS.client(region, math.log(4), TELLING[0], source).report(place))


def region_hinted_by_place(place: str, source: Any) -> Generator[Any, Any, None]:
    """Names one of two regions that hold both places, one place more often the larger one."""
    most = HINTS[1] if place == "ea" else HINTS[0]
    region = "east" if source.words(1)[0] < most else "world"
    yield said(REGIONS.client(region, math.log(4), TELLING[0], source).report(place))


def epsilon_by_place(place: str, source: Any) -> Generator[Any, Any, None]:
    """Chooses the smaller epsilon at home."""
    epsilon = math.log(2) if place == "ea" else math.log(4)
    yield said(REGIONS.client("east", epsilon, TELLING[0], source).report(place))


def epsilon_twice(place: str, source: Any) -> Generator[Any, Any, None]:
    """Reports as two users."""
    for number in TELLING[:2]:
        yield said(REGIONS.client("east", math.log(4), number, source).report(place))


def louder_epsilon(place: str, source: Any) -> Generator[Any, Any, None]:
    """Draws at the larger epsilon, and says that it was the smaller one."""
    found = said(REGIONS.client("east", math.log(4), TELLING[0], source).report(place))
    yield (*found[:2], 0, found[3])


def sign_as_it_is(place: str, source: Any) -> Generator[Any, Any, None]:
    """Reports without noise."""
    del source
    yield (TELLING[0], 1, 1, sign(TELLING[0], place))


def answers_outside(place: str, source: Any) -> Generator[Any, Any, None]:
    """The package's own client: it says that a place lies outside, by refusing it."""
    try:
        yield said(REGIONS.client("east", math.log(4), TELLING[0], source).report(place))
    except DomainError:
        yield "refused"


LEAKY_INSIDE: dict[str, Program] = {
    "column by place": column_by_place,
    "region hinted": region_hinted_by_place,
    "epsilon by place": epsilon_by_place,
    "epsilon twice": epsilon_twice,
    "no noise": sign_as_it_is,
}
"""What is wrong -> a client that tells two places of its region apart."""

LEAKY_OUTSIDE: dict[str, Program] = {
    "column by place outside": column_by_place_outside,
    "region by place": region_by_place,
    "the honest one": answers_outside,
}
"""What is seen -> a client whose messages tell places of its region from places outside."""
