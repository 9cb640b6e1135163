"""Counts that fit the public numbers: the nearest ones, never farther from the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import linprog

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import SafeRegions, SafeRegionState
from ldp_verified.protocols.region_counts import nearest_counts
from ldp_verified.protocols.taxonomy import Taxonomy
from tests.broken.region_counts import clipped_and_scaled, lifted_region_by_region

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Method = Callable[[Taxonomy, Floats, Floats, Mapping[str, int]], Floats]

TREE = Taxonomy(
    {
        "world": ["north", "south", "island"],
        "north": ["a", "b", "c"],
        "south": ["east", "west", "d"],
        "east": ["e", "f"],
        "west": ["g", "h", "i"],
    }
)
K = len(TREE.places)


def constraints(named: Mapping[str, int]) -> tuple[Floats, Floats]:
    """(Rows of regions over places, how many users each holds at least)."""
    rows = np.zeros((len(TREE.names), K))
    least = np.zeros(len(TREE.names))
    for number, region in enumerate(TREE.names):
        span = TREE.span(region)
        rows[number, span.start : span.stop] = 1
        least[number] = sum(n for name, n in named.items() if region in TREE.around(name))
    return rows, least


def problem(method: Method, rng: np.random.Generator) -> str:
    """Say what is wrong with a method at random counts; "" if nothing is.

    The nearest point c of a convex set is the one at which no point z of the set has a smaller
    inner product with (c - counts)/variances: a linear program looks for one.
    """
    counts = rng.normal(100, 300, K)
    variances = rng.uniform(1, 400, K)
    named = {name: int(rng.integers(0, 400)) for name in TREE.names}
    named["north"] += 500
    found = method(TREE, counts, variances, named)
    rows, least = constraints(named)
    if found.min() < 0 or not np.isclose(found.sum(), least[0], rtol=1e-9):
        return "negative, or another sum"
    if (rows @ found < least - 1e-6).any():
        return "a region has fewer than named it"
    slope = (found - counts) / variances
    best = linprog(slope, A_ub=-rows[1:], b_ub=-least[1:], A_eq=rows[:1], b_eq=least[:1])
    assert best.status == 0
    assert best.fun is not None
    farther = slope @ found > best.fun + 1e-6 * (1 + np.abs(slope) @ found)
    return "not the nearest" if farther else ""


def test_it_is_the_nearest_and_others_are_noticed(rng: np.random.Generator) -> None:
    wrong = {"clipped": set[str](), "lifted": set[str]()}
    for _ in range(20):
        assert problem(nearest_counts, rng) == ""
        wrong["clipped"].add(problem(clipped_and_scaled, rng))
        wrong["lifted"].add(problem(lifted_region_by_region, rng))
    assert "a region has fewer than named it" in wrong["clipped"]
    assert "not the nearest" in wrong["lifted"]


def test_what_fits_stays_as_it_is() -> None:
    counts = np.arange(1.0, K + 1)
    found = nearest_counts(TREE, counts, np.ones(K), {"world": int(counts.sum())})
    assert found == pytest.approx(counts, abs=1e-9)
    alone = nearest_counts(TREE, np.zeros(K), np.ones(K), {"east": 10})
    east = TREE.span("east")
    assert alone[east.start : east.stop] == pytest.approx([5, 5])
    assert alone.sum() == pytest.approx(10)


def test_places_where_nobody_may_be_keep_nothing() -> None:
    variances = np.ones(K)
    variances[:3] = 0
    counts = np.where(variances > 0, 50.0, 0.0)
    found = nearest_counts(TREE, counts, variances, {"south": 70})
    assert found[:3].tolist() == [0, 0, 0]
    assert found.sum() == pytest.approx(70)


def test_counts_are_no_farther_from_the_truth(seed: int) -> None:
    """At every draw, in squared distance over the variance; with clusters and without."""
    protocol = SafeRegions(TREE.regions, (0.5, 2.0))
    users = np.array([400, 0, 30, 0, 90, 5, 0, 0, 250, 60])
    state = SafeRegionState(protocol, simulated=True)
    first = 0
    for turn, (region, level) in enumerate((("world", 0.5), ("north", 2.0), ("south", 2.0))):
        inside = TREE.span(region)
        held = users[inside.start : inside.stop]
        places = TREE.places[inside.start : inside.stop]
        reports = protocol.simulate(
            places, held, seed + turn, region=region, epsilon=level, first=first
        )
        state.update(reports)
        first += int(held.sum())
    truth = users * (1 + (np.arange(K) < TREE.span("south").stop))
    assert state.named == {"world": users.sum(), "north": 430, "south": users[3:9].sum()}
    for clusters in (None, state.clusters(0.05)):
        raw, found = state.estimate(clusters=clusters), state.consistent(clusters)
        over = raw.oracle.variance_line(state.n)[0] * state.n
        before, after = (np.sum((each - truth) ** 2 / over) for each in (raw.counts, found))
        assert after <= before * (1 + 1e-9)
        assert found.sum() == pytest.approx(state.n)
        assert found.min() >= 0
        north = TREE.span("north")
        assert found[north.start : north.stop].sum() >= 430 - 1e-6


def test_no_report_is_refused() -> None:
    with pytest.raises(ReportError, match="must hold reports"):
        SafeRegionState(SafeRegions(TREE.regions, (1.0,))).consistent()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"counts": np.zeros(K - 1)}, "counts: must be finite numbers"),
        ({"counts": np.full(K, np.nan)}, "counts: must be finite numbers"),
        ({"variances": np.full(K, np.inf)}, "variances: must be finite"),
        ({"variances": np.full(K, -1.0)}, "variances: must not be negative"),
        ({"variances": np.zeros(K)}, "variances: must not be 0 in all places"),
        ({"named": {}}, "named: must be numbers"),
        ({"named": {"north": -1, "south": 9}}, "named: must be numbers"),
        ({"named": {"a": 3}}, "named: must be a region of the taxonomy"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], rule: str) -> None:
    given: dict[str, Any] = {"counts": np.zeros(K), "variances": np.ones(K), "named": {"east": 5}}
    with pytest.raises(ParameterError, match=rule):
        nearest_counts(TREE, **(given | change))
