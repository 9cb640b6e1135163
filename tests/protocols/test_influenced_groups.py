"""Influence of what one user sends where groups find values, and in a few other protocols."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import (
    SHE,
    BitGroups,
    BitReduction,
    BitState,
    Bitstogram,
    BitstogramState,
    ChangeTree,
    CodedState,
    DuchiVector,
    FragmentState,
    GroupReports,
    Hashtogram,
    HashtogramState,
    KnownDomain,
    PrefixCohorts,
    PrefixCohortState,
    PrefixExtending,
    PrefixState,
    PrivateExpanderSketch,
    PrivateExpanderSketchState,
    Rappor,
    RapporState,
    SequenceFragments,
    SignMatrix,
    SignReports,
    SignState,
    SphereVector,
    SuccinctHistogram,
    TreeHist,
    TreeHistState,
    VotedMean,
)
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.kernels.directions import normals
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import hashes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Floats = NDArray[np.float64]

GROUPS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "prefix_extending": (PrefixExtending(1.0, 4, 2, 4), PrefixState),
    "prefix_cohorts": (PrefixCohorts(1.0, 4, 2, 2, 3, g=2), PrefixCohortState),
    "tree_hist": (TreeHist(1.0, 3, 2, 2), TreeHistState),
    "bit_groups": (BitGroups(1.0, 3, 2), BitState),
    "bit_reduction": (BitReduction(2.0, 3, 2), BitState),
    "bitstogram": (Bitstogram(1.0, 3, 2, 0, 1, 2), BitstogramState),
    "private_expander_sketch": (
        PrivateExpanderSketch(1.0, 3, 1, 2, 0, 1, 2),
        PrivateExpanderSketchState,
    ),
    "hashtogram": (Hashtogram(1.0, 3, 1, 2), HashtogramState),
    "succinct_histogram": (SuccinctHistogram(1.0, 3, 2, 0), CodedState),
    "sequence_fragments": (SequenceFragments(1.0, 4, 2, 2), FragmentState),
}
VALUES = (0, 3, 5, 6)
USERS = 20


def of_alike(made: Any, state: Any, seed: Words, bucket: int, rng: int) -> Floats:
    """What a user adds whose counting reports all have one function and bucket.

    20 users, of whom 3 confirm: just as many as on average. In protocols without a group that
    confirms, every user counts.
    """
    source = word_source(rng, "test")
    groups = made.of_reports(made.draw_groups(USERS, source))
    if made.counting < 1:
        counts = np.arange(USERS) < made.counting * USERS
        groups = np.where(counts, made.levels, np.arange(USERS) % made.levels).astype(np.uint8)
    counts = groups == made.levels if made.groups > made.levels else groups >= 0
    seeds = made.draw_functions(groups, source)
    seeds[counts] = seed
    buckets = np.where(counts, bucket, 0).astype(np.uint8)
    sent = GroupReports(made.identity, groups, seeds, buckets, simulated=True)
    found = state(made, simulated=True).update(sent).estimate(VALUES)
    return np.asarray(found.counts / USERS / float(made.counting))


def functions(made: Any, rng: int) -> Words:
    """All public masks of those who count; or the zero function, and a hundred others."""
    if isinstance(made, Bitstogram | Hashtogram | PrivateExpanderSketch):
        rows = made.hashtogram
        return rows.seeds(np.arange(rows.rows * rows.columns))
    source = word_source(rng, "functions")
    drawn = made.draw_functions(np.full(100, made.levels, dtype=np.uint8), source)
    return np.concatenate([np.zeros((1, 3), dtype=np.uint64), drawn])


def group_disagreements(
    name: str, rng: int, of: Callable[[Any], Influence] | None = None
) -> list[Any]:
    """The sets of values for which an influence is not the extreme of what users add.

    Three alike reports confirm, so that what they add to 20 users is 20/3 of the mean of them.
    """
    made, state = GROUPS[name]
    claim = of or made.influence
    every = [
        of_alike(made, state, seed, bucket, rng) * float(made.counting)
        for seed in functions(made, rng)
        for bucket in range(made.buckets)
    ]
    single = np.array(every) / float(made.counting)
    wrong = []
    for size in range(1, len(VALUES) + 1):
        for places in combinations(range(len(VALUES)), size):
            claimed, totals = claim([VALUES[v] for v in places]), single[:, places].sum(axis=1)
            ends = totals.min(), totals.max()
            if not np.allclose([float(claimed.least), float(claimed.most)], ends):
                wrong.append(places)
    return wrong


@pytest.mark.parametrize("name", GROUPS)
def test_a_user_of_a_group(name: str, seed: int) -> None:
    assert group_disagreements(name, seed) == []
    made = GROUPS[name][0]
    assert made.influence() == made.influence([VALUES[1]])
    assert made.counting == (Fraction(3, 20) if made.user_groups > made.levels > 0 else 1)


def test_a_wrong_influence_on_groups_is_seen(seed: int) -> None:
    """Forgotten: three users in twenty confirm; the rows of Hashtogram are public."""
    extending, bitstogram = GROUPS["prefix_extending"][0], GROUPS["bitstogram"][0]

    def as_if_all_counted(values: Any) -> Influence:
        right = extending.influence(values)
        return Influence(right.least * extending.counting, right.most * extending.counting)

    def as_if_drawn_afresh(values: Any) -> Influence:
        one = bitstogram.influence()
        return Influence(len(values) * one.least, len(values) * one.most)

    assert group_disagreements("prefix_extending", seed, as_if_all_counted)
    assert group_disagreements("bitstogram", seed, as_if_drawn_afresh)


def test_the_zero_function_sends_all_values_to_one_bucket() -> None:
    """Reports of it are taken: `check_functions` cannot know that it was chosen."""
    values = np.array([[0, 1], [1 << 63, 7]], dtype=np.uint64)
    zero = np.zeros((2, 3), dtype=np.uint64)
    for bits in (1, 4, 8):
        assert hashes(zero, values, bits).tolist() == [0, 0]
    GROUPS["prefix_extending"][0].check_functions(np.zeros(2, dtype=np.uint8), zero)


def test_no_such_values() -> None:
    made = GROUPS["prefix_extending"][0]
    for values, error in [([], ParameterError), ([1, 1], ParameterError), ([16], DomainError)]:
        with pytest.raises(error, match="values"):
            made.influence(values)
    assert PrefixExtending(1.0).influence(["a", "b"]).most > made.influence().most / 2


def ends(influence: Influence) -> list[float]:
    return [float(influence.least), float(influence.most)]


def test_numbers_with_noise_for_each_value() -> None:
    made = SHE(1.0, 2, 2, ("a", "b"))
    every = list(product(range(made.number.outputs), repeat=2))
    every = [pair for pair in every if min(pair) == 0 or max(pair) >= made.number.outputs - 3]
    kind = made.privatize(["a"]).data.dtype
    rows = np.array(every, dtype=kind)
    single = np.array(
        [made.aggregate(made.reports(row[np.newaxis], False)).estimate().counts for row in rows]
    )
    assert ends(made.influence()) == pytest.approx([single.min(), single.max()])
    both = single.sum(axis=1)
    assert ends(made.influence(["a", "b"])) == pytest.approx([both.min(), both.max()])
    with pytest.raises(ParameterError, match="among the labels"):
        made.influence(["c"])


def test_a_lie_about_a_vector_looks_for_a_seed() -> None:
    """In the plane one of 20,000 lines is nearly the first axis; no report adds more."""
    made = SphereVector(1.0, 2, radius=5.0)
    seeds = np.arange(20_000, dtype=np.uint64) << np.uint64(8)
    single = [made.mean_estimate(made.reports(seeds[i : i + 1], False)).means[0] for i in range(50)]
    own = normals(seeds >> np.uint64(8), np.zeros(20_000, dtype=np.uint64), 2).astype(float)
    every = own[:, 0] / np.linalg.norm(own, axis=1) * float(made.influence().most)
    assert single == pytest.approx(every[:50].tolist(), abs=1e-6)
    assert 0.999 < every.max() / float(made.influence().most) <= 1
    assert made.influence().least == -made.influence().most


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (2.0, 12.0)])
def test_all_coordinates_of_a_vector(bounds: tuple[float, float]) -> None:
    made = DuchiVector(1.5, 3, bounds)
    every = (np.array([corner], dtype=np.uint64) for corner in range(8))
    single = np.array([made.mean_estimate(made.reports(row, False)).means for row in every])
    assert ends(made.influence()) == pytest.approx([single.min(), single.max()])
    assert single[7].tolist() == pytest.approx([float(made.influence().most)] * 3)


def test_a_sign_of_a_public_column() -> None:
    made = SignMatrix(1.0, 4)
    found = []
    for number, sign in product(range(8), (0, 1)):
        columns = np.array([number], dtype=np.uint64), np.array([sign], dtype=np.uint8)
        state = SignState(made).update(SignReports(made.identity, *columns, simulated=False))
        found.append(state.estimate([5]).counts[0])
    assert ends(made.influence()) == pytest.approx([min(found), max(found)])


def test_the_signs_of_a_level_of_days() -> None:
    made = ChangeTree(1.0, 5, 2)
    found = []
    for level in range(made.levels):
        first, last = made.firsts[level], made.firsts[level + 1]
        for signs in product((0, 1), repeat=last - first):
            sent = [2 * (first + i) + sign for i, sign in enumerate(signs)]
            data = np.array([*sent, 2 * made.firsts[-1] + level])
            state = made.aggregate(made.reports(data, simulated=False))
            found.append(state.estimate().counts)
    single = np.array(found)
    for day in range(5):
        assert ends(made.influence()) == pytest.approx([single[:, day].min(), single[:, day].max()])


def test_an_answer_about_a_mean() -> None:
    made = VotedMean(1.0, 2)
    answers = [
        made.empty().update(made.reports(np.array([4 + x]), simulated=False)) for x in (0, 1)
    ]
    found = [replace(state, questions=frozenset({0})).mean(0)[0] for state in answers]
    assert ends(made.influence()) == pytest.approx(found)


def test_a_cohort_and_bits_of_rappor() -> None:
    deployment = Rappor(0.25, 0.125, 0.875, 4, 2, cohorts=2)
    made = KnownDomain(deployment, ("a", "b", "c"))
    single = []
    for cohort, bits in product(range(2), range(16)):
        state = RapporState(deployment)
        packed = np.array([[bits]], dtype=np.uint64)
        state.update_packed(np.array([cohort]), packed, simulated=False)
        single.append(made.decode(state).counts)
    totals = np.array(single)
    assert ends(made.influence()) == pytest.approx([totals.min(), totals.max()])
    some = totals[:, [0, 2]].sum(axis=1)
    assert ends(made.influence(["a", "c"])) == pytest.approx([some.min(), some.max()])
    assert ends(made.influence(["b"])) != pytest.approx([some.min(), some.max()])
    with pytest.raises(ParameterError, match="among the labels"):
        made.influence(["d"])
    with pytest.raises(ParameterError, match="noise"):
        KnownDomain(Rappor(1.0, 0.5, 0.5001, 4, 2, cohorts=2), ("a", "b")).influence()
