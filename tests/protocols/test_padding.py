"""Padding and sampling: its price, its counts, which of the two is better, and what it refuses."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import (
    ItemSets,
    PaddedClient,
    PaddedHashing,
    PaddedResponse,
    PaddedSampling,
    SamplingRappor,
    SamplingSuccinctHistogram,
    SpendingBook,
    padded_sampling,
)
from tests.registry import RANGE, covers

DECLARED: dict[str, Any] = {
    "padded_response": PaddedResponse,
    "padded_hashing": PaddedHashing,
    "sampling_succinct_histogram": SamplingSuccinctHistogram,
    "sampling_rappor": SamplingRappor,
}
EACH = list(DECLARED.values())
SETS = [[], [0], [1, 3], [4, 2, 0], [0, 1, 2, 3], [0, 1, 2, 3, 4]]
COUNTS = [3_000, 5_000, 4_000, 4_000, 2_000, 2_000]


@pytest.mark.parametrize("name", DECLARED)
def test_it_runs_the_declaration_that_it_names(name: str) -> None:
    assert load_protocol(name).law_hash == DECLARED[name].law_sha256


@covers(RANGE, "PaddedResponse", "PaddedHashing", "SamplingSuccinctHistogram", "SamplingRappor")
@given(
    epsilon=st.floats(1e-6, 700),
    k=st.sampled_from([2, 3, 300, 1 << 20]),
    length=st.sampled_from([1, 2, 5, 300, 1 << 20]),
)
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(epsilon: float, k: int, length: int) -> None:
    for of in EACH:
        made = of(epsilon, k, length)
        assert 0 < made.realized_epsilon <= epsilon
        assert 0 < made.variance(1) < math.inf
    if epsilon < 20 and k + length < 1 << 16:
        assert PaddedResponse(epsilon, k, length).realized_epsilon == pytest.approx(
            epsilon, rel=1e-6
        )


def test_the_response_has_more_than_epsilon_and_hashing_has_not() -> None:
    assert PaddedResponse(1.0, 100, 5).inner.epsilon == pytest.approx(
        math.log(5 * (math.e - 1) + 1), abs=1e-12
    )
    for of in EACH[1:]:
        assert of(1.0, 100, 5).inner.epsilon == 1.0
    assert PaddedResponse(1.0, 100, 1).inner.epsilon == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("length", [1, 2, 5, 20])
def test_variances_are_those_of_the_papers_formulas(epsilon: float, length: int) -> None:
    u = math.exp(epsilon)
    response = PaddedResponse(epsilon, 50, length)
    wanted = (length * u + 50 - 1) / (u - 1) ** 2
    assert response.variance(7) == pytest.approx(7 * wanted, rel=1e-9)
    hashing = PaddedHashing(epsilon, 50, length)
    g = hashing.inner.buckets
    wanted = length**2 * (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2)
    assert hashing.variance(7) == pytest.approx(7 * wanted, rel=1e-9)
    bit = SamplingSuccinctHistogram(epsilon, 50, length)
    wanted = length**2 * (u + 1) ** 2 / (u - 1) ** 2
    assert bit.variance(7) == pytest.approx(7 * wanted, rel=1e-9)
    bits = SamplingRappor(epsilon, 50, length)
    wanted = length**2 * math.sqrt(u) / (math.sqrt(u) - 1) ** 2
    assert bits.variance(7) == pytest.approx(7 * wanted, rel=1e-9)
    assert hashing.variance(7) >= 7 * 4 * length**2 * u / (u - 1) ** 2 * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_better_one_is_chosen_by_the_right_rule(epsilon: float, length: int) -> None:
    """k < l (4 l - 1) e^eps + 1, where 4 e^eps is the least (e^eps + g - 1)^2/(g - 1) of any g.

    With the best whole number of buckets the edge is higher. A table that is rounded to 64 bits
    moves it by less than one in a million.
    """
    u = math.exp(epsilon)
    published = length * (4 * length - 1) * u + 1
    edge = min((u + g - 1) ** 2 / (g - 1) for g in range(2, 200)) * length**2 - length * u + 1
    assert edge >= published * (1 - 1e-12)
    below, above = math.floor(edge * (1 - 1e-6)), math.ceil(edge * (1 + 1e-6))
    assert isinstance(padded_sampling(epsilon, below, length), PaddedResponse)
    assert isinstance(padded_sampling(epsilon, above, length), PaddedHashing)


@pytest.mark.parametrize("of", EACH)
def test_counts_are_unbiased_but_for_what_is_cut(of: Any) -> None:
    """Null: estimates are centred at `centre`, and sizes at their counts; n = 20000, length 3.

    Two-sided normal tests at level 2e-8 of 5 + 3 counts of four classes: 6.4e-7 in all. A bias of
    6.9 of the standard errors, which are bounded from above, is found with a power of 0.9.
    """
    made = of(2.0, 5, 3)
    sets = ItemSets.of(SETS).repeated(COUNTS)
    state = made.empty(simulated=True).update(made.simulate(SETS, COUNTS, rng=11))
    assert state.n == len(sets) == sum(COUNTS)
    assert state.simulated
    estimate = made.estimate(state)
    assert len(estimate.counts) == 5
    limit = -NormalDist().inv_cdf(1e-8)
    error = math.sqrt(made.variance(state.n, 1.0) + made.variance(state.n) + state.n / 4)
    assert np.abs(estimate.counts - made.centre(sets)).max() <= limit * error
    truth = [int((sets.sizes <= size).sum()) for size in range(3)]
    assert np.abs(made.estimated_sizes(state) - truth).max() <= limit * error


def test_the_centre_says_what_cutting_takes_away() -> None:
    made = PaddedResponse(1.0, 5, 2)
    assert made.centre([[0, 1, 2, 3]]).tolist() == [0.5, 0.5, 0.5, 0.5, 0]
    assert made.centre([[0, 1], [0], []]).tolist() == [2, 1, 0, 0, 0]
    with pytest.raises(DomainError, match="sets: must have items"):
        made.centre([[5]])


@pytest.mark.parametrize("of", EACH)
def test_states_add_up_and_are_saved(of: Any, tmp_path: Path) -> None:
    made = of(1.0, 5, 2)
    one, two = made.privatize(SETS, rng=1), made.privatize(SETS, rng=2)
    whole = made.empty(True).update(one).update(two)
    merged = made.empty(True).update(one).merge(made.empty(True).update(two))
    assert merged == whole
    whole.save(tmp_path / "state")
    for again in (made.load(tmp_path / "state"), pickle.loads(pickle.dumps(whole))):
        assert again == whole
        assert np.array_equal(made.estimate(again).counts, made.estimate(whole).counts)
    assert copy.copy(whole) == whole
    other = of(1.0, 5, 3)
    with pytest.raises(ReportError, match="length"):
        other.empty().update(one)
    with pytest.raises(ReportError, match="is foreign"):
        other.load(tmp_path / "state")
    with pytest.raises(ParameterError, match="state: must be of this protocol: length"):
        other.estimate(whole)
    with pytest.raises(ParameterError, match="state"):
        made.estimate(None)


@pytest.mark.parametrize("of", EACH)
def test_a_client_reports_once_and_pays_first(of: Any, tmp_path: Path) -> None:
    made = of(1.0, 5, 2)
    book = SpendingBook(tmp_path / "book", 1, new=True)
    client = made.client(rng=1, book=book)
    for wrong in ([5], [1, 1], [-1], "12", 3, [0.5], [True], [[1]]):
        with pytest.raises(DomainError, match=r"must") as refused:
            client.report(wrong)
        assert refused.value.argument in ("items", "sets")
    assert book.left == 1
    report = client.report([0, 1, 4])
    assert len(report) == 1
    assert book.left == 0
    with pytest.raises(ParameterError, match="report: must be called once"):
        client.report([0])
    with pytest.raises(ParameterError, match="budget"):
        made.client(rng=1, book=book).report([])
    made.empty(simulated=True).update(report)


def test_the_empty_set_and_all_items_are_sets() -> None:
    for of in EACH:
        made = of(1.0, 5, 2)
        assert len(made.privatize([[], [4, 3, 2, 1, 0]], rng=1)) == 2
        assert len(made.client(rng=3).report([])) == 1


@pytest.mark.parametrize("of", EACH)
def test_bad_arguments_are_named(of: Any) -> None:
    for arguments, name in (
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"k": 1}, "k"),
        ({"k": 2.0}, "k"),
        ({"length": 0}, "length"),
        ({"length": (1 << 20) + 1}, "length"),
        ({"length": None}, "length"),
    ):
        with pytest.raises(ParameterError) as refused:
            of(**{"epsilon": 1.0, "k": 5, "length": 2} | arguments)
        assert refused.value.argument == name
    made = of(1.0, 5, 2)
    for sets in ([], [[5]], [[1, 1]], None):
        with pytest.raises(DomainError):
            made.privatize(sets, rng=1)
    with pytest.raises(ParameterError, match="rng"):
        made.privatize([[1]], rng=1.5)
    with pytest.raises(ParameterError, match="counts"):
        made.simulate([[1]], [1, 2], rng=1)
    with pytest.raises(ParameterError, match="n: must"):
        made.variance(-1)
    protocol: Any = None
    with pytest.raises(ParameterError, match="protocol"):
        PaddedClient(protocol)
    assert isinstance(made, PaddedSampling)
    assert made.bits_per_report == made.inner.bits_per_report
