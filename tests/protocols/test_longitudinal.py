"""Two-step tables: realized cells against exact products, epsilons never above the wanted ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import GRR
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.protocols import LGRR, LOSUE, LOUE, LSOUE, LSUE, MemoClient
from ldp_verified.protocols.second_step import twice
from ldp_verified.prove.enumeration.expand import evaluate
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.kernels.permanent_bits import permanent_sampler
from ldp_verified.run.kernels.randomness import ReplayWords
from tests.registry import SAMPLER, covers
from tests.strategies import EPSILONS

SPECS = {m.name: m for m in load("longitudinal")}
ALL: list[Any] = [LGRR, LSUE, LOSUE, LOUE, LSOUE]
ONE = 1 << 64


@given(EPSILONS, st.floats(0.01, 0.5), st.integers(2, 300))
@settings(max_examples=40)
def test_k_ary_response_twice_costs_what_is_wanted(permanent: float, part: float, k: int) -> None:
    report = permanent * part
    made = LGRR(permanent, report, k)
    assert made.realized_permanent <= permanent
    assert made.realized_report <= report
    if permanent < 40:
        # A threshold of less noise would cost too much, so it is within one 64-bit step of it.
        assert made.realized_report == pytest.approx(report, rel=1e-9)
    p, q = made.cells
    assert p + (k - 1) * q == 1
    assert p > q > 0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_cells_are_those_of_the_k_ary_spec(k: int) -> None:
    made = LGRR(2.0, 0.75, k)
    spec = SPECS["l_grr"]
    first, second = made.first.q * k, Fraction(made.thresholds[-1], ONE) * k
    values = {"k": Fraction(k), "keep_1": 1 - first, "keep_2": 1 - second}
    at = {symbol: values[symbol.name] for symbol in spec.variables}
    table: Any = spec.algebraic_table
    assert made.cells == (evaluate(table.inside, at), evaluate(table.outside, at))


@covers(SAMPLER, "LGRR", "LOLOHA")  # of LOLOHA over the buckets
@pytest.mark.parametrize("k,lies", [(2, (3, 5)), (3, (2, 1)), (4, (1, 3))])
def test_both_k_ary_samplers_in_turn_are_the_table(k: int, lies: tuple[int, int]) -> None:
    """Every word of 4 bits of each of the two steps."""
    first, second = (grr_sampler(k, lie, 4) for lie in lies)
    laws = [exact_distribution(second, y, 1).probabilities for y in range(k)]
    p1, q1 = 1 - (k - 1) * Fraction(lies[0], 16), Fraction(lies[0], 16)
    own, other = twice((p1, q1), Fraction(lies[1], 16), k)
    for x in range(k):
        masses: dict[Any, Fraction] = {}
        for middle, chance in exact_distribution(first, x, 1).probabilities.items():
            for y, then_ in laws[int(middle[0])].items():
                masses[y] = masses.get(y, Fraction(0)) + chance * then_
        assert masses == {(y,): own if y == x else other for y in range(k)}


def test_the_first_step_draws_what_the_permanent_mechanism_draws() -> None:
    for mechanism in ALL:
        made = mechanism(1.0, 0.5, 5)
        answer = made.permanent(3, (), np_source(7))
        if mechanism is LGRR:
            expected = made.first.privatize([3], np_source(7)).data
        else:  # the same thresholds; words are read as they were when answers were first kept
            sampler = permanent_sampler(5, *made.first.thresholds)
            expected = sampler.draw(np.array([3]), np_source(7))
        assert answer.tolist() == expected.tolist()


def np_source(seed: int) -> Any:
    from ldp_verified.run.kernels.seeds import word_source

    return word_source(seed, "test")


def test_the_second_step_compares_with_its_thresholds() -> None:
    """Words at both sides of a threshold."""
    made = LGRR(2.0, 0.5, 3)
    lie = made.thresholds[-1]
    answer = np.array([2], dtype=np.uint8)
    words = [0, lie - 1, lie, 2 * lie - 1, 2 * lie, 3 * lie, ONE - 1]
    drawn = [int(made.instantaneous(answer, (), ReplayWords([w]))[0]) for w in words]
    assert drawn == [0, 0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("mechanism", ALL)
def test_estimates_of_many_clients_are_unbiased(mechanism: Any, seed: int) -> None:
    """Null: the realized p* and q*. 400 clients of 5 reports; level 2e-9 a value by 6 sd.

    Reports of one client share a permanent answer, so the variance of their sum is at most 5 times
    that of as many independent ones. Shown: a deviation of 1 sd per report (p* for q*) by far.
    """
    made, k, users, times = mechanism(3.0, 1.5, 3), 3, 400, 5
    state = made.empty(simulated=True)
    for user in range(users):
        client = MemoClient(made, new_user=True, rng=seed + user)
        for _ in range(times):
            state.update(client.report(1).reports)
    assert state.simulated
    estimate = state.estimate()
    n = users * times
    for value in range(k):
        f = 1 if value == 1 else 0
        variance = estimate.oracle.variance_absent if f == 0 else estimate.oracle.variance_held
        deviation = abs(float(estimate.counts[value]) - f * n)
        assert deviation < 6 * math.sqrt(n * times * float(variance))


def test_one_l_grr_report_is_worth_a_k_ary_report_of_its_epsilon() -> None:
    made, direct = LGRR(4.0, 1.0, 10), GRR(1.0, 10)
    assert float(made.cells[0]) == pytest.approx(float(direct.p), rel=1e-12)


@pytest.mark.parametrize("k", [3, 10, 1000])
def test_the_published_first_report_epsilon_is_an_upper_bound(k: int) -> None:
    """With the second step that the paper's formula gives, one report costs less than it says."""
    u, w = math.exp(2.0), math.exp(1.0)
    p1, q1 = u / (u + k - 1), 1 / (u + k - 1)
    p2 = (q1 - w * p1) / (-p1 * w + k * q1 * w - q1 * w - p1 * (k - 1) + q1)
    q2 = (1 - p2) / (k - 1)
    assert math.log((p1 * p2 + q1 * q2) / (p1 * q2 + q1 * p2)) == pytest.approx(1.0)
    own, other = p1 * p2 + (k - 1) * q1 * q2, p1 * q2 + q1 * p2 + (k - 2) * q1 * q2
    assert math.log(own / other) < 1.0
    if k == 1000:
        assert math.log(own / other) < 0.05


@pytest.mark.parametrize("mechanism", ALL)
def test_bad_parameters_are_refused(mechanism: Any) -> None:
    for epsilons in ((1.0, 1.0), (1.0, 2.0)):
        with pytest.raises(ParameterError, match="below epsilon_permanent"):
            mechanism(*epsilons, 3)
    with pytest.raises(ParameterError, match="epsilon_report"):
        mechanism(1.0, 0, 3)
    with pytest.raises(ParameterError, match="k"):
        mechanism(1.0, 0.5, 1)
    with pytest.raises(ParameterError, match="too small"):
        mechanism(1.0, 1e-30, 3)


def test_identities_tell_deployments_apart() -> None:
    names = [m(2.0, 1.0, 4).identity for m in ALL] + [LGRR(2.0, 1.0, 5).identity]
    assert len(set(names)) == len(names)
