"""Rounds on candidates: what users hold of them, what a report costs, and what is refused."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import CandidateCounts, CandidateRound, CandidateSizes, ItemSets
from ldp_verified.protocols.candidates import within
from tests.registry import RANGE, covers

SETS = [[], [0], [1, 3], [4, 2, 0], [0, 1, 2, 3], [0, 1, 2, 3, 4]]
MIXED = ((0, 1), (3,), (2, 3, 4))


def test_the_rounds_name_the_declaration_of_svim() -> None:
    assert CandidateCounts.law_sha256 == load_protocol("svim").law_hash
    assert CandidateSizes.law_sha256 == CandidateCounts.law_sha256


@pytest.mark.parametrize("candidates", [((3,), (1,)), MIXED, ((0, 1, 2, 3, 4), (4,))])
def test_candidates_are_held_by_those_who_have_all_their_items(candidates: Any) -> None:
    found = within(ItemSets.of(SETS), candidates)
    begins = found.starts
    for user, own in enumerate(SETS):
        part = found.items[begins[user] : begins[user] + found.sizes[user]].tolist()
        assert sorted(part) == [
            place for place, each in enumerate(candidates) if set(each) <= set(own)
        ]


def test_many_users_are_compared_as_few_are() -> None:
    many = ItemSets.of(SETS).repeated([30_000] * len(SETS))
    few = within(ItemSets.of(SETS), MIXED).repeated([30_000] * len(SETS))
    found = within(many, MIXED)
    assert np.array_equal(found.items, few.items)
    assert np.array_equal(found.sizes, few.sizes)


@covers(RANGE, "CandidateCounts", "CandidateSizes")
@given(
    epsilon=st.floats(1e-6, 700),
    items=st.sampled_from([2, 3, 300, 1 << 20]),
    length=st.sampled_from([1, 2, 300]),
    name=st.sampled_from([None, "GRR", "OLH", "BLH", "SUE"]),
    listed=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(
    epsilon: float, items: int, length: int, name: str | None, listed: bool
) -> None:
    candidates = ((0, 1), (1,)) if listed else None
    made: list[CandidateRound] = [CandidateCounts(epsilon, items, candidates, length, name)]
    if name in (None, "GRR", "OLH"):
        made.append(CandidateSizes(epsilon, items, candidates, name))
    for asked in made:
        assert 0 < asked.realized_epsilon <= epsilon
        assert 0 < asked.variance(1) < math.inf
        assert asked.kept == (2 if listed else items)


def test_the_oracle_is_the_one_that_varies_less() -> None:
    for items, length in ((10, 1), (1000, 1), (1000, 8)):
        chosen = CandidateCounts(1.0, items, None, length)
        both = [CandidateCounts(1.0, items, None, length, name) for name in ("GRR", "OLH")]
        assert chosen.variance(1) == min(each.variance(1) for each in both)


@pytest.mark.parametrize("name", ["GRR", "OLH", "BLH", "SUE"])
def test_counts_of_candidates_are_unbiased_but_for_what_is_cut(name: str, seed: int) -> None:
    """Null: estimates are centred at `centre`, n = 24000, length 2.

    Two-sided normal tests at level 2e-10 of 3 counts of 4 oracles: 2.4e-9 in all. A bias of 8
    standard errors, which are bounded from above, is found with a power of 0.9.
    """
    made = CandidateCounts(2.0, 5, MIXED, 2, name)
    users = ItemSets.of(SETS).repeated([4000] * len(SETS))
    state = made.empty(simulated=True).update(made.privatize(users, rng=seed))
    estimate = made.estimate(state)
    error = math.sqrt(made.variance(state.n, 1.0) + made.variance(state.n) + state.n / 4)
    limit = -NormalDist().inv_cdf(1e-10)
    cut = 4000 * 2 / 3
    assert made.centre(users) == pytest.approx([4000 + cut, 8000 + cut, cut])
    assert np.abs(estimate.counts - made.centre(users)).max() <= limit * error
    assert made.labels == ("0+1", 3, "2+3+4")


@pytest.mark.parametrize("name", ["GRR", "OLH"])
def test_sizes_are_counted_without_bias(name: str, seed: int) -> None:
    """Null: of n = 24000 users 12000, 4000, 4000, 4000 hold 0, 1, 2 and 3 candidates.

    As above, 4 counts of 2 oracles at level 2e-10.
    """
    made = CandidateSizes(2.0, 5, MIXED, name)
    users = ItemSets.of(SETS).repeated([4000] * len(SETS))
    state = made.empty(simulated=True).update(made.privatize(users, rng=seed))
    held = [sum(set(each) <= set(own) for each in MIXED) for own in SETS]
    truth = 4000 * np.bincount(held, minlength=4)
    found = made.estimate(state)
    limit = -NormalDist().inv_cdf(1e-10) * math.sqrt(made.variance(state.n, 1.0) + state.n / 4)
    assert np.abs(found.counts - truth).max() <= limit
    assert np.array_equal(made.estimated_sizes(state), np.cumsum(found.counts))


def test_reports_on_other_candidates_are_foreign() -> None:
    made = CandidateCounts(1.0, 5, MIXED, 2)
    sent = made.privatize(SETS, rng=1)
    for other in (
        CandidateCounts(1.0, 5, ((0, 1), (3,), (2, 3)), 2),
        CandidateCounts(1.0, 6, MIXED, 2),
        CandidateCounts(1.0, 5, MIXED, 3),
        CandidateCounts(1.0, 5, MIXED, 2, group=1),
        CandidateCounts(1.0, 5, MIXED, 2, "OLH"),
    ):
        with pytest.raises(ReportError, match="foreign"):
            other.empty(True).update(sent)


def test_bad_arguments_are_named() -> None:
    usual: dict[str, Any] = {"epsilon": 1.0, "items": 5, "candidates": MIXED}
    odd: list[tuple[str, list[Any]]] = [
        ("epsilon", [0, None]),
        ("items", [1, 2.0]),
        ("group", [-1, 256]),
        ("oracle_name", ["OUE", 1]),
        ("candidates", ["01", 3, (1,), (1, 1), ((), 1), ((1, 1), 2), (5, 1), (1.0, 2), (True, 2)]),
    ]
    for name, values in odd:
        for value in values:
            for of in (CandidateCounts, CandidateSizes):
                with pytest.raises(ParameterError) as refused:
                    of(**usual | {name: value})
                assert refused.value.argument == name
    with pytest.raises(ParameterError, match="length"):
        CandidateCounts(1.0, 5, MIXED, 0)
    for of in (CandidateCounts, CandidateSizes):
        made = of(1.0, 5, MIXED)
        sets: Any  # no type would let all of these pass
        for sets in ([], [[5]], [[1, 1]], [3], None):
            with pytest.raises(DomainError):
                made.privatize(sets, rng=1)
        assert len(made.privatize([[], [0, 1, 2, 3, 4]], rng=1)) == 2


def test_rows_are_named_by_the_candidates_not_by_their_places() -> None:
    asked = CandidateCounts(20.0, 6, ((5,), (0, 2), (4,)))
    state = asked.empty(simulated=True).update(asked.privatize([[5]] * 90 + [[0, 2]] * 9, rng=1))
    found = asked.estimate(state)
    assert tuple(found.names) == asked.labels == (5, "0+2", 4)
    assert [label for label, count, _ in found if count > 50] == [5]
    assert found.sum_of(["0+2"]).value == pytest.approx(9, abs=1)
    assert len(CandidateCounts(1.0, 6).estimate(CandidateCounts(1.0, 6).empty()).names) == 6
