"""Counts of places: unbiased, with the variance that is stated, whoever may be there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import RegionClusters, SafeRegions, SafeRegionState
from ldp_verified.protocols.safe_region_state import _sums
from ldp_verified.run.kernels.wide import parities

TREE = {"world": ["east", "west", "sea"], "east": ["ea", "eb", "ec"], "west": ["wa", "wb"]}
MADE = SafeRegions(TREE, (1.0, 3.0), seed=9)
GROUPS: list[tuple[str, float, dict[str, int]]] = [
    ("world", 3.0, {"ea": 600, "sea": 400, "wb": 200}),
    ("east", 1.0, {"ea": 500, "eb": 900}),
    ("east", 3.0, {"eb": 300, "ec": 100}),
    ("west", 1.0, {"wa": 700}),
]
TRUTH = {place: sum(held.get(place, 0) for *_, held in GROUPS) for place in MADE.taxonomy.places}
USERS = sum(sum(held.values()) for *_, held in GROUPS)
EAST_IN_WORLD = RegionClusters(MADE.taxonomy, (("world", ("world", "east")), ("west", ("west",))))


def state_of(seed: int, first: int = 0) -> SafeRegionState:
    """All users, with other numbers for each `first`."""
    state = SafeRegionState(MADE, simulated=True)
    for number, (region, epsilon, held) in enumerate(GROUPS):
        choice: dict[str, Any] = {"region": region, "epsilon": epsilon}
        drawn = MADE.simulate([*held], [*held.values()], seed + number, first=first, **choice)
        state.update(drawn)
        first += len(drawn)
    return state


@pytest.mark.parametrize("clusters", [None, EAST_IN_WORLD], ids=["own region", "clusters"])
def test_counts_are_unbiased_and_vary_as_is_stated(
    clusters: RegionClusters | None, seed: int
) -> None:
    """Null: the mean of 60 estimates, of new users each, is the true count; so is their spread.

    n = 3700 users each, six places; normal approximation: 6 standard deviations of the mean,
    2.0e-9 each; a bias of one standard deviation of an estimate is missed with 4 percent. The sum
    of squares over sigma^2 is chi-square with 60 degrees: outside 14..155 with 1.5e-9. Two cases of
    six places: 4.2e-8 in all.
    """
    runs = [state_of(seed + 10 * run, run * USERS).estimate(clusters=clusters) for run in range(60)]
    assert runs[0].labels == MADE.taxonomy.places
    errors = np.array([[row.value - TRUTH[str(row.label)] for row in run.rows()] for run in runs])
    line = runs[0].oracle.variance_line(USERS)
    shares = np.array([TRUTH[place] / USERS for place in MADE.taxonomy.places])
    sigma = np.sqrt(USERS * (line[0] + line[1] * shares))
    assert (np.abs(errors.mean(axis=0)) <= 6 * sigma / 60**0.5).all()
    squares = (errors**2).sum(axis=0) / sigma**2
    assert ((squares >= 14) & (squares <= 155)).all()
    assert runs[0].std_error == pytest.approx(sigma, rel=0.2)


def test_the_variance_is_that_of_the_users_who_may_be_there(seed: int) -> None:
    """At the sea those of the world only; in the clusters those of the east, too."""
    state = state_of(seed)
    c = {epsilon: 1 / (2 * m.gain) for epsilon, m in zip(MADE.epsilons, MADE.matrices, strict=True)}
    assert c[1.0] == pytest.approx((math.e + 1) / (math.e - 1))
    world, east = 1200 * c[3.0] ** 2, 1400 * c[1.0] ** 2 + 400 * c[3.0] ** 2
    west = 700 * c[1.0] ** 2
    wanted = [world + east] * 3 + [world + west] * 2 + [world]
    assert state.squares == pytest.approx({"world": world, "east": east, "west": west})
    own, both = state.estimate(), state.estimate(clusters=EAST_IN_WORLD)
    assert own.oracle.variance_line(USERS)[0] * USERS == pytest.approx(np.array(wanted))
    assert (both.oracle.variance_line(USERS)[0] * USERS)[5] == pytest.approx(world + east)
    low, high = own.simultaneous(0.99)
    assert ((low <= own.counts.clip(0)) & (own.counts <= high)).all()


def test_errors_stay_below_the_bounds(seed: int) -> None:
    """Null: a place's error exceeds its bound with at most beta = 1e-10 in all, both ways."""
    state = state_of(seed)
    truth = np.array([TRUTH[place] for place in MADE.taxonomy.places])
    clusters = state.clusters(1e-10)
    for made in (None, clusters, EAST_IN_WORLD):
        bounds = state.largest_errors(1e-10, made)
        assert (np.abs(state.estimate(clusters=made).counts - truth) <= bounds).all()
    assert (state.largest_errors(0.5) < state.largest_errors(0.1)).all()


def test_the_transform_and_the_count_of_signs_agree(rng: np.random.Generator) -> None:
    rows, signs = rng.integers(0, 64, 5000), rng.integers(0, 2, 5000).astype(np.uint8)
    span = range(3, 40)
    at_once = _sums(rows, signs, span, 6)
    one_by_one = np.concatenate(
        [_sums(rows[part], signs[part], span, 6)[None] for part in np.split(np.arange(5000), 1000)]
    )
    assert at_once.tolist() == one_by_one.sum(axis=0).tolist()


def test_signs_are_those_of_the_public_columns(seed: int) -> None:
    state = state_of(seed)
    numbers, regions, levels, signs = state.columns
    matrix = MADE.matrices[0]
    value = matrix.encode([MADE.taxonomy.numbers(["sea"])[0]])[0]
    there = regions == MADE.taxonomy.names.index("world")
    agree = parities(matrix.columns(numbers.astype(np.uint64)), value) == signs
    counted = 2 * np.count_nonzero(agree & there) - np.count_nonzero(there)
    assert set(levels[there]) == {1}
    found = state.estimate(["sea"]).counts[0]
    assert found == pytest.approx(counted / (2 * MADE.matrices[1].gain))


def test_states_merge_are_kept_and_count_nobody_twice(seed: int) -> None:
    whole, later = state_of(seed), state_of(seed, USERS)
    both = whole.merge(later)
    again = SafeRegionState.from_bytes(both.to_bytes(), MADE)
    assert list(again.estimate()) == list(both.estimate())
    assert (both.n, again.simulated) == (2 * USERS, True)
    with pytest.raises(ReportError, match="numbers: must be different"):
        both.merge(later)


def test_a_place_where_nobody_may_be_has_the_count_zero(seed: int) -> None:
    state = SafeRegionState(MADE, simulated=True)
    state.update(MADE.simulate(["ea"], [50], seed, region="east", epsilon=1.0))
    row = state.estimate()["sea"]
    assert (row.value, row.std_error, row.low, row.high) == (0, 0, 0, 0)
    assert state.largest_errors(0.1)[5] == 0


def test_what_cannot_be_counted_is_refused(seed: int) -> None:
    empty: Any = SafeRegionState(MADE)
    for call in (empty.estimate, lambda: empty.clusters(0.1), lambda: empty.largest_errors(0.1)):
        with pytest.raises(ReportError, match="state: must hold reports"):
            call()
    state = state_of(seed)
    for values in (["mars"], ["east"], []):
        with pytest.raises(DomainError, match="values: must be"):
            state.estimate(values)
    for beta in (0.0, 1.0, 2.0):
        with pytest.raises(ParameterError, match="beta"):
            state.largest_errors(beta)
        with pytest.raises(ParameterError, match="beta"):
            state.clusters(beta)
    part = RegionClusters(MADE.taxonomy, (("world", ("world",)),))
    with pytest.raises(ParameterError, match="clusters: must hold every region"):
        state.estimate(clusters=part)
    other = RegionClusters(SafeRegions({"world": ["a", "b"]}, (1.0,)).taxonomy, part.clusters)
    with pytest.raises(ParameterError, match="clusters: must be of the protocol's own taxonomy"):
        state.estimate(clusters=other)
    wrong: Any = 3
    with pytest.raises(ParameterError, match="clusters"):
        state.estimate(clusters=wrong)
    with pytest.raises(ParameterError, match="protocol"):
        SafeRegionState(wrong)
