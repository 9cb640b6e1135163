"""Influence of one report on fixed rows of a sketch, places, mined items and prefix rounds."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import (
    FixedRows,
    LDPMiner,
    PlaceReports,
    PlaneNoise,
    PrefixRound,
    PrefixRounds,
    RoundReports,
    RoundState,
    SafeRegions,
    SafeRegionState,
)
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.mechanisms import CMS, HCMS
from tests.protocols.test_influenced import disagreements, reports_of
from tests.protocols.test_influenced_groups import ends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ROWS: list[CMS | HCMS] = [CMS(1.0, 5, 4, 4, 1), HCMS(1.0, 5, 4, 4, 1), CMS(2.0, 4, 2)]
REGIONS = {"all": ["x", "y"], "x": ["a", "b"], "y": ["c", "d"]}


def of_rows(made: CMS | HCMS) -> Floats:
    """What every report adds to each count, by the estimate from this report alone."""
    fixed = FixedRows(made)
    states = [made.empty().update(each) for each in reports_of(made.oracle)]
    return np.array([fixed.estimate(state).counts for state in states])


@pytest.mark.parametrize("made", ROWS, ids=repr)
def test_fixed_rows(made: CMS | HCMS) -> None:
    fixed, single = FixedRows(made), of_rows(made)
    assert disagreements(single, fixed.influence) == []
    # The estimator that is meant for drawn rows has other weights.
    assert disagreements(single, made.influence)
    with pytest.raises(ParameterError, match="among the labels"):
        fixed.influence([made.k])


def test_labels_of_fixed_rows() -> None:
    made = CMS(1.0, 3, 4, 4, 1, categories=("a", "b", "c"))
    assert FixedRows(made).influence(["b"]) == FixedRows(CMS(1.0, 3, 4, 4, 1)).influence([1])


def test_both_axes_of_a_plane() -> None:
    made = PlaneNoise(1.0, 4, 3)
    sums = []
    for cell in product(range(4), range(3)):
        sent = made.by_axis(made.reports(np.array([cell]), simulated=False))
        states = zip(made.empty(), sent, strict=True)
        sums.append([state.update(each).estimate().mean for state, each in states])
    found = np.array(sums)
    for axis, claimed in enumerate(made.influence()):
        assert ends(claimed) == pytest.approx([found[:, axis].min(), found[:, axis].max()])
    across, down = (axis.influence() for axis in made.axes)
    assert ends(across) != ends(down)


def test_a_place_of_a_region() -> None:
    made = SafeRegions(REGIONS, (0.5, 1.0, 2.0))
    found: list[list[float]] = [[], [], []]
    regions = range(len(made.taxonomy.names))
    for number, region, level, sign in product(range(6), regions, range(3), (0, 1)):
        sent = PlaceReports(
            made.identity,
            np.array([number], dtype=np.uint64),
            np.array([region], dtype=np.uint32),
            np.array([level], dtype=np.uint8),
            np.array([sign], dtype=np.uint8),
            simulated=False,
        )
        state = SafeRegionState(made).update(sent)
        found[level] += state.estimate().counts.tolist()
    for epsilon, added in zip(made.epsilons, found, strict=True):
        assert ends(made.influence(epsilon)) == pytest.approx([min(added), max(added)])
    whole = [each for added in found for each in added]
    assert ends(made.influence()) == pytest.approx([min(whole), max(whole)])
    assert made.influence() != made.influence(2.0)
    for wrong in (0.7, True, "1"):
        with pytest.raises(ParameterError, match="epsilon"):
            made.influence(wrong)


def test_items_that_a_miner_names() -> None:
    """All bits of the second report, whatever the first round found; the first report is void."""
    made = LDPMiner(2.0, 4, 1, 1, 2)
    asked = made.round(made.round().empty().update(made.round().privatize([[0]], rng=None)))
    candidates = asked.candidates
    assert candidates is not None
    states = [asked.empty().update(each) for each in reports_of(asked.oracle)]
    single = np.array([asked.estimate(state).counts for state in states])

    def of(places: tuple[int, ...] | None) -> Influence:
        return made.influence(None if places is None else [candidates[v][0] for v in places])

    assert disagreements(single, of) == []

    def at_all_of_epsilon(places: tuple[int, ...] | None) -> Influence:
        return LDPMiner(4.0, 4, 1, 1, 2).influence(places)

    assert disagreements(single, at_all_of_epsilon)
    for items in ([], [0, 0], [4], [0, 1, 2], "0"):
        with pytest.raises(ParameterError, match=r"items|values"):
            made.influence(items)  # type: ignore[arg-type]  # what is refused


def named(made: PrefixRounds, published: tuple[int, ...], n: int) -> Floats:
    """What each answer of a user who confirms adds to the counts of n users, of whom 1/10 do."""
    asked = PrefixRound(made, made.levels, published)
    values = [made.decode(each) for each in asked_words(published)]
    found = []
    for answer in range(asked.answers):
        m = n // 10
        data = np.full(m, answer, dtype=np.uint8)
        functions = np.zeros(m, dtype=np.uint16)
        sent = RoundReports(asked.identity, functions, data, simulated=False)
        state = RoundState(asked).update(sent)
        found.append(state.estimates(n, list(range(len(values)))).counts / m)
    return np.array(found)


def asked_words(published: tuple[int, ...]) -> NDArray[np.uint64]:
    """128-bit numbers as two words each."""
    halves = [[each >> 64, each & ((1 << 64) - 1)] for each in published]
    return np.array(halves, dtype=np.uint64)


def test_a_user_of_the_round_that_confirms() -> None:
    made = PrefixRounds(2.0, 16, top=2)
    values = (3, 9, 500, 65_000)
    published = tuple(value << 112 for value in values)
    asked = PrefixRound(made, made.levels, published)
    single = named(made, published, 40)

    def of(places: tuple[int, ...] | None) -> Influence:
        return asked.influence(None if places is None else [values[v] for v in places])

    assert disagreements(single, of) == []

    def as_if_all_confirmed(places: tuple[int, ...] | None) -> Influence:
        right = of(places)
        return Influence(right.least / 10, right.most / 10)

    assert disagreements(single, as_if_all_confirmed)
    assert made.influence() == asked.influence()  # four values are as many as it asks about
    fewer = PrefixRound(made, made.levels, published[:2]).influence()
    assert fewer.most < made.influence().most
    with pytest.raises(ParameterError, match="must be that of the last round"):
        PrefixRound(made, 0).influence()
    for wrong, error in (([4], DomainError), ([], ParameterError), ([3, 3], ParameterError)):
        with pytest.raises(error, match="values"):
            asked.influence(wrong)
