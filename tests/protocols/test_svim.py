"""SVIM and SVSM: their rounds, their clients, what they find, and what they refuse."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import (
    SVIM,
    SVSM,
    CandidateCounts,
    CandidateSizes,
    ItemSets,
    LDPMiner,
    Mined,
    SetClient,
    SpendingBook,
)
from ldp_verified.protocols.svim import cut_factor, guessed, percentile
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import RANGE, covers

NESTED = [list(range(size)) for size in range(9)]
"""Item i is in all sets of more than i items; of all pairs (0, 1) is the most frequent."""


@pytest.mark.parametrize("of", [SVIM, SVSM])
def test_it_runs_the_declaration_that_it_names(of: Any) -> None:
    assert load_protocol(of.__name__.lower()).law_hash == of.law_sha256


def test_lengths_and_factors_are_those_computed_by_hand() -> None:
    sizes = np.array([50.0, 60.0, 30.0, 10.0, 0.0])
    assert percentile(sizes) == 2
    assert percentile(np.array([9.0, 0.0, 0.0])) == 1
    assert percentile(np.array([0.0, 1.0, 1.0])) == 2
    assert cut_factor(sizes, 2) == (60 + 60 + 30) / (60 + 60 + 20)
    assert cut_factor(sizes, 4) == 1.0
    assert cut_factor(np.zeros(3), 1) == 1.0


def mined(counts: list[float]) -> Mined:
    sets = tuple((10 + place,) for place in range(len(counts)))
    return Mined(sets, np.array(counts), np.ones(len(counts)), 100, True)


def test_guesses_are_the_largest_products() -> None:
    """Compared with all sets of five items, one of which has no estimate above 0."""
    counts = [40.0, 90.0, 70.0, -3.0, 60.0]
    share = {10 + place: 0.9 * count / 90 for place, count in enumerate(counts) if count > 0}
    every = [each for size in range(2, 5) for each in itertools.combinations(sorted(share), size)]
    every.sort(key=lambda each: -math.prod(share[item] for item in each))
    for top in (1, 3, 11, 50):
        assert list(guessed(mined(counts), top)) == every[:top]
    assert guessed(mined([1.0, 0.0]), 5) == ()


@covers(RANGE, "SVIM", "SVSM", "LDPMiner")
@given(
    epsilon=st.floats(1e-6, 700),
    k=st.sampled_from([2, 3, 300]),
    top=st.sampled_from([1, 2, 40]),
    many=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_every_round_costs_no_more_than_is_declared(
    epsilon: float, k: int, top: int, many: bool
) -> None:
    """Two users and two thousand; rounds without any report, too."""
    sets = ItemSets.of([[0, k - 1], []]).repeated([1000, 1000] if many else [1, 1])
    for made in (
        SVIM(epsilon, k, min(k, top)),
        SVSM(epsilon, k, top),
        LDPMiner(epsilon, k, 2, top),
    ):
        states: list[Any] = []
        paid = []
        for _ in range(made.groups):
            asked = made.round(*states)
            assert asked.epsilon == made.report_epsilon
            paid.append(asked.realized_epsilon)
            states.append(asked.empty(simulated=True).update(asked.privatize(sets, rng=1)))
        assert 0 < (sum(paid) if made.everybody else max(paid)) <= epsilon
        assert 1 <= len(made.found(*states).sets) <= 2 * top
        assert 1 <= len(made.mine(sets, rng=2).sets) <= 2 * top


def test_svim_names_the_most_frequent_items(seed: int) -> None:
    """At epsilon = 8 and n = 90000 neighbours differ by over 50 standard errors of a count."""
    users = ItemSets.of(NESTED).repeated([10_000] * 9)
    found = SVIM(8.0, 12, 3).mine(users, seed)
    assert set(found.names) == {0, 1, 2}
    assert found.n == 90_000
    assert found.simulated
    truth = {0: 80_000, 1: 70_000, 2: 60_000}
    for row in found.rows():
        assert abs(row.value - truth[int(row.label)]) < 0.1 * truth[int(row.label)]


def test_svsm_names_sets_among_the_items(seed: int) -> None:
    """Of the top four sets are 0 (80000 of 90000 users), 1 and 0+1 (70000), and one of 60000."""
    users = ItemSets.of(NESTED).repeated([10_000] * 9)
    found = SVSM(8.0, 12, 6).mine(users, seed)
    assert {0, 1, "0+1"} <= set(found.names)
    assert abs(found["0+1"].value - 70_000) < 7000


@pytest.mark.parametrize(
    "made",
    [SVIM(2.0, 12, 3), SVSM(2.0, 12, 3), LDPMiner(2.0, 12, 2, 3)],
    ids=lambda made: type(made).__name__,
)
@pytest.mark.parametrize("counts", [[300] * 9, [0, 7, 0, 400, 1, 0, 2, 3, 5]])
def test_a_population_is_asked_as_its_users_are(made: Any, counts: list[int], seed: int) -> None:
    """The same random words name the same sets, whether each user has a set or points to one."""
    sets = ItemSets.of(NESTED)
    users = sets.holders(counts)
    found, other = (
        made._mined(held, who, word_source(seed, "test"))
        for held, who in ((sets, users), (sets.repeated(counts), np.arange(len(users))))
    )
    assert found.sets == other.sets
    assert np.array_equal(found.counts, other.counts)
    assert found.n == other.n == sum(counts)
    drawn = made.simulate(NESTED, counts, seed)
    assert (drawn.n, drawn.simulated) == (sum(counts), True)


def test_counts_of_a_population_that_do_not_fit_are_refused() -> None:
    made = SVIM(2.0, 12, 3)
    for counts in ([1] * 8, [1] * 8 + [-1], [0.5] * 9, "9"):
        with pytest.raises(ParameterError, match="counts"):
            made.simulate(NESTED, counts, 1)
    with pytest.raises(DomainError, match="one set or more"):
        made.simulate(NESTED, [0] * 9, 1)
    with pytest.raises(DomainError, match=r"items in 0\.\.11"):
        made.simulate([[12]], [3], 1)


@pytest.mark.parametrize("of", [SVIM, SVSM])
def test_states_of_rounds_merge_and_are_saved(of: Any, tmp_path: Path) -> None:
    made = of(4.0, 9, 2)
    states: list[Any] = []
    for number in range(made.groups):
        asked = made.round(*states)
        assert asked.group == number
        one, two = (asked.privatize(NESTED * 40, rng=number + 9 * i) for i in (1, 2))
        whole = asked.empty(True).update(one).update(two)
        merged = asked.empty(True).update(one).merge(asked.empty(True).update(two))
        assert merged == whole
        whole.save(tmp_path / f"{number}")
        states.append(made.round(*states).load(tmp_path / f"{number}"))
        if len(states) < made.groups:
            assert made.round(*states) == made.round(*states)
    found = made.found(*states)
    assert found.n == made.groups * 720
    assert np.array_equal(found.counts, np.sort(found.counts)[::-1])
    with pytest.raises(ParameterError, match=f"states: must be those of {made.groups} rounds"):
        made.found(*states[:-1])
    with pytest.raises(ParameterError, match="states: must be those of at most"):
        made.round(*states)
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        made.round(states[1])
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        made.found(*states[:-1], states[0])


def test_a_client_reports_once_in_its_own_group(tmp_path: Path) -> None:
    made = SVIM(1.0, 5, 2)
    book = SpendingBook(tmp_path / "book", 1, new=True)
    client = made.client(group=1, rng=1, book=book)
    asked = CandidateSizes(1.0, 5, ((0,), (3,)), group=1)
    for wrong in ([5], [1, 1], [-1], "12", 3, [0.5], [True], [[1]]):
        with pytest.raises(DomainError, match="must"):
            client.report(wrong, asked)
    for other, name in (
        (CandidateSizes(1.0, 6, ((0,), (3,))), "items"),
        (CandidateSizes(0.5, 5, ((0,), (3,))), "epsilon"),
        (CandidateCounts(1.0, 5, ((0,), (3,)), 2, group=2), "a group in which"),
    ):
        with pytest.raises(ParameterError, match=f"asked: must .*{name}"):
            client.report([0], other)
    assert book.left == 1
    assert len(client.report([], asked)) == 1
    assert book.left == 0
    with pytest.raises(ParameterError, match="asked: must ask a group in which"):
        client.report([0], asked)
    with pytest.raises(ParameterError, match="budget"):
        made.client(1, rng=1, book=book).report([0], asked)
    wrong_round: Any = made
    with pytest.raises(ParameterError, match="asked"):
        client.report([0], wrong_round)
    with pytest.raises(ParameterError, match=r"group: must be an integer in 0\.\.2"):
        made.client(3)
    none: Any = None
    with pytest.raises(ParameterError, match="protocol"):
        SetClient(none)


def test_groups_do_not_depend_on_the_set(seed: int) -> None:
    """Null: 4, 1 and 5 of 10 users are in the groups, whatever their sets are.

    Six counts of n = 60,000; normal approximation, each at 6.5 standard deviations: a false alarm
    has at most 6 * 8e-11 = 5e-10. A share that is off by 0.02 is missed with less than 1e-3.
    """
    n = 60_000
    made = SVIM(1.0, 5, 2)
    for source in (np.random.default_rng(seed), np.random.default_rng(seed + 1)):
        drawn = made.draw_groups(n, word_source(source, "groups"))
        for group, share in enumerate((0.4, 0.1, 0.5)):
            found = np.count_nonzero(drawn == group)
            assert abs(found - n * share) <= 6.5 * math.sqrt(n * share * (1 - share))


def test_no_more_items_are_named_than_there_are() -> None:
    assert SVIM(1.0, 6, 6).top == 6
    for k, top in ((6, 7), (5, 32)):
        with pytest.raises(ParameterError, match=rf"top: must be .* in 1\.\.{k}, got {top}$"):
            SVIM(1.0, k, top)
    assert [SVIM(1.0, k).top for k in (2, 5, 32, 33)] == [2, 5, 32, 32]
    assert SVIM(1.0, 5, cast("Any", None)) == SVIM(1.0, 5, 5)
    for wrong in (0, 1, None, "5"):
        with pytest.raises(ParameterError, match="k: must"):
            SVIM(1.0, cast("Any", wrong))
    assert SVSM(1.0, 6, 7).top == 7  # of sets there are more


def test_bad_arguments_are_named() -> None:
    usual: dict[str, Any] = {"epsilon": 1.0, "k": 5, "top": 2}
    kinds: list[Any] = [SVIM, SVSM]
    for of in kinds:
        for name, value in (("epsilon", 0), ("k", 1), ("top", 0), ("top", 2.0), ("k", None)):
            with pytest.raises(ParameterError, match=name):
                of(**usual | {name: value})
        made = of(1.0, 5, 2)
        for sets in ([], [[5]], [[1, 1]], None):
            with pytest.raises(DomainError):
                made.mine(sets, rng=1)
        with pytest.raises(ParameterError, match="rng"):
            made.mine([[1]], rng=1.5)


@pytest.mark.parametrize(
    "made", [SVIM(2.0, 5), SVSM(2.0, 5), LDPMiner(2.0, 5, 2)], ids=lambda made: type(made).__name__
)
def test_it_says_where_nothing_stands_out(made: Any, seed: int) -> None:
    """Null: nobody holds anything, 500 users, seven runs of three protocols.

    In a run something stands out with a chance of at most 2e-3, so in all seven with less than
    1e-18. A share of a half of 5,000 users is 10 and more errors at epsilon 2.
    """
    silent = [made.mine([[]] * 500, rng=seed + run) for run in range(7)]
    assert any(found.heading.endswith("users, simulated, nothing stands out") for found in silent)
    assert all(len(found.names) for found in silent)
    held = made.mine([[1, 2]] * 5_000 + [[]] * 5_000, rng=seed)
    assert held.evident is not None
    assert "stands out" not in held.heading
    assert {(1,), (2,)} <= held.evident
    rest = np.flatnonzero([each not in held.evident for each in held.sets])
    assert "nothing stands out" in held.taken(rest).heading
