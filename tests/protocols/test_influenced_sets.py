"""Influence of one report on padded sets, on keys with numbers, and on the ranges of a tree."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import (
    CandidateCounts,
    CandidateSizes,
    KeyValueBits,
    KeyValueResponse,
    KeyValueSymbols,
    PaddedHashing,
    PaddedResponse,
    RangeTree,
    RangeWavelet,
    SamplingRappor,
    SamplingSuccinctHistogram,
)
from ldp_verified.protocols.influenced import signed_sums
from ldp_verified.run.aggregate.influence import Influence, influence_on_counts
from ldp_verified.run.aggregate.symbols import packed
from tests.protocols.test_influenced import disagreements, reports_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CANDIDATES = ((0,), (1, 2), (3,))
SETS: dict[str, Any] = {
    "response": PaddedResponse(1.0, 3, 2),
    "hashing": PaddedHashing(1.0, 2, 2, 2),
    "one bit": SamplingSuccinctHistogram(1.0, 2, 2),
    "bits": SamplingRappor(1.0, 2, 2),
    "of candidates": CandidateCounts(1.0, 4, CANDIDATES, 2, "GRR"),
    "of candidates, in bits": CandidateCounts(1.0, 4, CANDIDATES, 2, "SUE"),
    "of candidates, hashed": CandidateCounts(1.0, 4, CANDIDATES, 1, "BLH"),
    "of sizes": CandidateSizes(1.0, 4, CANDIDATES, "GRR"),
}
PAIRS: dict[str, Any] = {
    "response": KeyValueResponse(1.0, 2, 2, (0.0, 10.0)),
    "symbols": KeyValueSymbols(1.0, 2, 1, (-3.0, 1.0)),
    "bits": KeyValueBits(1.0, 2, 1, (-3.0, 1.0)),
    "bits of three keys": KeyValueBits(2.0, 3, 2),
}


def estimates(made: Any) -> list[Any]:
    """What the server says after each report that there is, alone."""
    every = symbols(made) if isinstance(made, KeyValueSymbols) else reports_of(made.oracle)
    return [made.estimate(made.empty().update(each)) for each in every]


def symbols(made: KeyValueSymbols) -> list[Any]:
    """All reports of symbols: those without a sign where there is no symbol."""
    layout = made.layout
    every = np.array(list(product((False, True), repeat=layout.counters)))
    kept = every[~(every[:, layout.k :] & ~every[:, : layout.keys]).any(axis=1)]
    return [made.reports(packed(row[np.newaxis]), simulated=False) for row in kept]


@pytest.mark.parametrize("name", SETS)
def test_a_report_on_a_set(name: str) -> None:
    made = SETS[name]
    labels = list(getattr(made, "labels", range(made.k))) if name != "of sizes" else range(made.k)

    def of(places: tuple[int, ...] | None) -> Influence:
        return made.influence(None if places is None else [labels[v] for v in places])  # type: ignore[no-any-return]  # of any protocol

    single = np.array([found.counts for found in estimates(made)])
    assert disagreements(single, of) == []
    wrong = influence_on_counts(made.inner.oracle, None)
    if made.length > 1:  # forgotten: one of `length` items is sampled
        assert disagreements(single, lambda places: wrong if places is None else of(places))


@pytest.mark.parametrize("name", PAIRS)
def test_a_report_on_keys_with_numbers(name: str) -> None:
    made = PAIRS[name]
    found = estimates(made)
    assert disagreements(np.array([each.counts for each in found]), made.influence) == []
    low, high = made.bounds
    sums = np.array([each.plus * high + each.minus * low for each in found])
    claimed = made.influence_on_sum()
    assert [float(claimed.least), float(claimed.most)] == pytest.approx([sums.min(), sums.max()])
    halves = np.array([each.sums * (high - low) / 2 for each in found])
    middles = np.array([each.counts * (high + low) / 2 for each in found])
    assert sums == pytest.approx(halves + middles)


def test_no_such_sets_or_keys() -> None:
    for keys in ([], [0, 0], [2], [-1], [True], ["a"], 3, "01", [[0]], [float("nan")]):
        with pytest.raises(ParameterError, match="keys"):
            PAIRS["response"].influence(keys)
    for labels in ([7], [[0]], [None]):
        with pytest.raises(ParameterError, match="among the labels"):
            SETS["of candidates"].influence(labels)
    with pytest.raises(ParameterError, match="values"):
        SETS["of candidates"].influence(3)
    assert SETS["of candidates"].influence(["1+2"]) == SETS["of candidates"].influence([0])


TREES = [RangeTree(1.0, 4, 1), RangeTree(1.0, 4, 2), RangeTree(2.0, 3, 1), RangeTree(0.5, 7, 1)]
WAVELETS = [RangeWavelet(1.0, 2), RangeWavelet(1.0, 4), RangeWavelet(2.0, 3), RangeWavelet(0.5, 7)]


def weights(made: RangeTree | RangeWavelet, first: int, last: int) -> list[Floats]:
    """What each report of each level adds to a range, from states of one report on each level."""
    nodes = made.layout.nodes if isinstance(made, RangeWavelet) else made.layout
    sizes = [2 << bits for bits in nodes.bits]
    starts = [2 * start for start in nodes.starts]
    total = np.empty(sizes)
    for places in product(*map(range, sizes)):
        data = np.array([a + b for a, b in zip(starts, places, strict=False)], dtype=np.uint64)
        kind = made.layout.check(data.astype(np.int64))
        state = made.empty().update(made.reports(kind, simulated=False))
        total[places] = made.estimate(state).between(first, last).value
    # Turning all signs of a level takes its reports to the opposite: their mean is the even share.
    even = total.mean() / len(sizes)
    axes = range(len(sizes))
    found = [total.mean(axis=tuple(a for a in axes if a != g)) - total.mean() + even for g in axes]
    for places in product(*map(range, sizes)):
        parts = [each[place] for each, place in zip(found, places, strict=True)]
        assert sum(parts) == pytest.approx(total[places])
    return found


def tree_disagreements(
    made: RangeTree | RangeWavelet, of: Any, ranges: Iterable[tuple[int, int]]
) -> list[Any]:
    """The ranges for which an influence is not the extreme over all reports of all levels."""
    wrong = []
    for first, last in ranges:
        claimed, found = of(first, last), weights(made, first, last)
        ends = min(each.min() for each in found), max(each.max() for each in found)
        if not np.allclose([float(claimed.least), float(claimed.most)], ends):
            wrong.append((first, last))
    return wrong


@pytest.mark.parametrize("made", [*TREES, *WAVELETS], ids=repr)
def test_a_report_on_a_level_of_a_tree(made: RangeTree | RangeWavelet) -> None:
    ranges = [(a, b) for a in range(made.k) for b in range(a, made.k)]
    if made.k > 4:
        ranges = [(0, 0), (1, 5), (6, 6)]
    assert tree_disagreements(made, made.influence, ranges) == []
    one = made.influence()
    for v in range(made.k):
        assert float(made.influence(v, v).most) == pytest.approx(float(one.most))


def test_a_wrong_influence_on_ranges_is_seen() -> None:
    """Forgotten: one user in as many as there are levels is asked about a level; the even share."""
    made = TREES[0]

    def as_if_all_were_asked(first: int, last: int) -> Influence:
        right = made.influence(first, last)
        middle, reach = (right.least + right.most) / 2, right.swing / 2 / made.levels
        return Influence(middle - reach, middle + reach)

    def without_the_even_share(first: int, last: int) -> Influence:
        right = made.influence(first, last)
        return Influence(-right.swing / 2, right.swing / 2)

    for wrong in (as_if_all_were_asked, without_the_even_share):
        assert tree_disagreements(made, wrong, [(0, 0), (1, 2)])


def test_no_such_range() -> None:
    for first, last in [(2, 1), (0, 4), (-1, 0), (0, None), (None, 1)]:
        with pytest.raises(ParameterError, match=r"first|last"):
            TREES[0].influence(first, last)


def test_signed_sums_are_those_of_the_matrix() -> None:
    matrix = np.array([[1.0]])
    for _ in range(3):
        numbers: Floats = np.arange(len(matrix), dtype=np.float64) + 0.5
        assert signed_sums(numbers).tolist() == (matrix @ numbers).tolist()
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
