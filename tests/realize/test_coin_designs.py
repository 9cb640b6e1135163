"""Mechanisms of one coin over their whole range: the claim is kept, the corners are meaningful."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import HRR, PGR, HadamardResponse, HashCohorts, SubsetSelection
from ldp_verified.run.realize.designs.coin_designs import CoinRandomizer
from ldp_verified.run.realize.tables.claimed_table import MAX_GAP
from tests.realize import exact
from tests.strategies import EPSILONS

if TYPE_CHECKING:
    from ldp_verified.run.realize import RoundedTable

SIZES = st.sampled_from([2, 3, 4, 7, 8, 63, 64, 65, 1000, 4096])
MECHANISMS = st.one_of(
    st.builds(SubsetSelection, EPSILONS, SIZES),
    st.integers(2, 300).flatmap(
        lambda k: st.builds(SubsetSelection, EPSILONS, st.just(k), st.sampled_from([1, k - 1]))
    ),
    st.builds(HadamardResponse, EPSILONS, SIZES | st.just(2**31 - 1)),
    st.builds(HRR, EPSILONS, SIZES | st.just(2**30)),
    st.builds(PGR, EPSILONS, SIZES, st.sampled_from([None, 2, 3, 5])),
    st.builds(HashCohorts, EPSILONS, SIZES, st.sampled_from([None, 2, 3, 5])),
)


@given(MECHANISMS)
def test_the_claim_is_kept(mechanism: RoundedTable) -> None:
    loss = exact.ln(mechanism.worst_ratio(mechanism.p, mechanism.q))
    assert loss <= Fraction(mechanism.realized_epsilon) <= Fraction(mechanism.epsilon)
    share = 1 - Fraction(mechanism.realized_epsilon) / Fraction(mechanism.epsilon)
    assert mechanism.saturated == (share > MAX_GAP)


@given(MECHANISMS)
def test_a_report_holds_the_value_or_not(mechanism: RoundedTable) -> None:
    """p is the probability that it does, except in cohorts, and p* > q* > 0."""
    if isinstance(mechanism, CoinRandomizer):
        (deny,) = mechanism.thresholds
        assert 1 - mechanism.p == Fraction(deny, 2**64) == mechanism.q * mechanism.odds
    assert 0 < mechanism.q_star < mechanism.p_star == mechanism.p < 1


@given(MECHANISMS, st.integers(0, 2**32))
def test_any_value_can_be_reported_and_counted(mechanism: RoundedTable, seed: int) -> None:
    reports = mechanism.privatize([0, mechanism.k - 1], seed)
    assert mechanism.layout.check(reports.data) is not None
    assert mechanism.pmf(reports.data[0], 0) > 0
    if mechanism.k <= 64:
        estimate = mechanism.aggregate(reports, simulated=True).estimate()
        assert len(estimate.counts) == mechanism.k
