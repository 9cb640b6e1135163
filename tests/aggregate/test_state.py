"""States are a commutative monoid, and refuse what is not theirs whole."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import GRR
from ldp_verified.errors import LdpError, ParameterError, ReportError
from ldp_verified.run.aggregate import Reports, State
from tests.aggregate.oracles import oracle

ORACLE = oracle()
FOREIGN = oracle(p_star=Fraction(1, 2))
LARGEST = 2**63 - 1


def reports(values: list[int], simulated: bool = False) -> Reports:
    return Reports(np.array(values, dtype=np.uint8), ORACLE.identity, simulated)


BATCHES = st.builds(reports, st.lists(st.integers(0, 2), max_size=9))


def state_of(*batches: Reports, simulated: bool = False) -> State:
    state = State(ORACLE, simulated=simulated)
    for batch in batches:
        assert state.update(batch) is state
    return state


STATES = st.lists(BATCHES, max_size=4).map(lambda batches: state_of(*batches))


@given(st.lists(BATCHES, max_size=5), st.booleans())
def test_a_state_counts(real: list[Reports], simulated: bool) -> None:
    batches = [Reports(batch.data, batch.identity, simulated) for batch in real]
    state = state_of(*batches, simulated=simulated)
    values = np.concatenate([np.zeros(0, np.uint8), *(batch.data for batch in batches)]).tolist()
    assert state.n == len(values)
    assert state.counts.dtype == np.int64
    assert state.counts.tolist() == [values.count(v) for v in range(3)]
    assert state.simulated is simulated
    estimate = state.estimate()
    assert (estimate.n, estimate.simulated) == (state.n, simulated)
    assert estimate.support_counts.tolist() == state.counts.tolist()


@given(STATES, STATES, STATES)
def test_merging_is_a_commutative_monoid(a: State, b: State, c: State) -> None:
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).merge(c) == a.merge(b.merge(c))
    assert State(ORACLE).merge(a) == a.merge(State(ORACLE)) == a


@given(st.lists(BATCHES, max_size=5), st.data())
def test_merging_is_what_one_state_would_have_seen(
    batches: list[Reports], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(batches)))
    shuffled = data.draw(st.permutations(batches))
    whole = state_of(*batches)
    assert state_of(*batches[:cut]).merge(state_of(*batches[cut:])) == whole
    assert state_of(*shuffled) == whole


@given(STATES, STATES)
def test_merging_changes_neither_side(a: State, b: State) -> None:
    before = copy.deepcopy(a), copy.deepcopy(b)
    merged = a.merge(b)
    merged.update(reports([0]))
    assert (a, b) == before


@given(STATES)
def test_copies_are_independent(state: State) -> None:
    for other in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other == state
        other.update(reports([1]))
        assert other != state


@given(STATES)
def test_a_state_is_rebuilt_from_its_integers(state: State) -> None:
    assert State(ORACLE, state.n, state.counts, state.simulated) == state


def test_the_array_given_to_a_state_is_copied() -> None:
    counts = np.array([1, 0, 1])
    state = State(ORACLE, 2, counts)
    state.update(reports([0]))
    assert counts.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        state.counts[0] = 7


def test_an_estimate_does_not_follow_later_updates() -> None:
    state = state_of(reports([0, 1]))
    estimate = state.estimate()
    state.update(reports([0, 0]))
    assert estimate.support_counts.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "batch",
    [
        Reports(np.array([0, 3], dtype=np.uint8), ORACLE.identity),
        Reports(np.array([0.0]), ORACLE.identity),
        Reports(np.array([[0]], dtype=np.uint8), ORACLE.identity),
        Reports(np.array([0], dtype=np.uint8), FOREIGN.identity),
        np.array([0], dtype=np.uint8),
        None,
    ],
)
def test_a_refused_batch_changes_nothing(batch: Any) -> None:
    state = state_of(reports([0, 1, 1]))
    with pytest.raises(ReportError):
        state.update(batch)
    assert state == state_of(reports([0, 1, 1]))


@pytest.mark.parametrize("other", [State(FOREIGN), State(oracle(k=4)), None, 0])
def test_foreign_states_do_not_merge(other: Any) -> None:
    with pytest.raises(ReportError, match="other"):
        state_of(reports([0])).merge(other)


def test_counts_do_not_wrap_around() -> None:
    full = State(ORACLE, LARGEST, np.array([LARGEST, 0, 0]))
    with pytest.raises(ReportError, match="more than"):
        full.update(reports([0]))
    with pytest.raises(ReportError, match="more than"):
        full.merge(state_of(reports([0])))
    assert full.merge(State(ORACLE)) == full


@pytest.mark.parametrize(
    ("n", "counts"),
    [
        (-1, None),
        (1.0, None),
        (True, None),
        (2**63, None),
        (1, [1, 0, 0]),
        (1, np.array([1.0, 0, 0])),
        (1, np.array([1, 0])),
        (1, np.array([[1, 0, 0]])),
        (1, np.array([2, 0, 0])),
        (1, np.array([-1, 0, 0])),
    ],
)
def test_what_makes_no_state(n: Any, counts: Any) -> None:
    with pytest.raises(ParameterError):
        State(ORACLE, n, counts)


def test_a_refusal_is_an_error_of_this_package() -> None:
    with pytest.raises(LdpError):
        State(ORACLE, -1)


def test_the_representation_shows_sizes() -> None:
    assert (
        repr(state_of(reports([0], True), simulated=True))
        == "<State of 1 simulated Drawn reports, k=3>"
    )


def test_domains_too_large_for_a_table_of_counts_are_refused() -> None:
    """Before 32 GiB are asked for."""
    with pytest.raises(ParameterError, match=r"at most 2\^28 counters"):
        GRR(1.0, 1 << 32).empty()
