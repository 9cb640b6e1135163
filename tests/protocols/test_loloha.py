"""LOLOHA: its table, its hash functions, its buckets."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import OLH
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.protocols import LOLOHA, MemoClient
from ldp_verified.prove.enumeration.expand import evaluate
from ldp_verified.run.kernels.family import digit_count
from tests.strategies import EPSILONS

SPEC = next(m for m in load("longitudinal") if m.name == "loloha")


@given(EPSILONS, st.floats(0.01, 0.5), st.integers(2, 100), st.integers(2, 300))
@settings(max_examples=30)
def test_it_costs_what_is_wanted(permanent: float, part: float, k: int, g: int) -> None:
    made = LOLOHA(permanent, permanent * part, k, g)
    assert made.realized_permanent <= permanent
    assert made.realized_report <= permanent * part
    if permanent < 30:
        assert made.realized_report == pytest.approx(permanent * part, rel=1e-9)
    assert made.memories == g
    assert made.epsilon_ever >= g * made.realized_permanent


def test_cells_are_those_of_the_spec() -> None:
    made = LOLOHA(2.0, 1.0, 9, 3)
    first, second = made.first.q * 3, Fraction(made.thresholds[-1], 1 << 64) * 3
    functions = 3 ** digit_count(9, 3)
    values = {"k": 9, "g": 3, "M": functions, "keep_1": 1 - first, "keep_2": 1 - second}
    at = {symbol: Fraction(values[symbol.name]) for symbol in SPEC.variables}
    table: Any = SPEC.algebraic_table
    inside, outside = evaluate(table.inside, at), evaluate(table.outside, at)
    assert (inside * functions, outside * functions) == made.cells


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_best_number_of_buckets_for_one_report_is_that_of_olh(epsilon: float) -> None:
    made = LOLOHA(4.0, epsilon, 50)
    assert made.g == OLH(epsilon, 50).g
    variances = {g: float(LOLOHA(4.0, epsilon, 50, g).oracle.variance_absent) for g in range(2, 14)}
    assert min(variances, key=lambda g: variances[g]) == made.g
    assert variances[made.g] == pytest.approx(OLH(epsilon, 50).variance(1), rel=1e-9)


def test_supports_over_all_functions_have_the_stated_chances() -> None:
    """Every function of 3 buckets on 9 values: a pair collides in exactly a third of them."""
    made = LOLOHA(2.0, 1.0, 9, 3)
    together = dict.fromkeys(product(range(9), repeat=2), 0)
    for choice in product(range(3), repeat=2):
        buckets = [made.memory(value, choice) for value in range(9)]
        for a, b in together:
            together[a, b] += buckets[a] == buckets[b]
    assert together == {(a, b): 9 if a == b else 3 for a, b in together}


def test_values_in_one_bucket_share_a_permanent_answer() -> None:
    """The one function in 128 that puts all values into one bucket is drawn again."""
    made = LOLOHA(2.0, 1.0, 100, 2)
    client = MemoClient(made, new_user=True)
    while len({made.memory(value, client.choice) for value in range(100)}) < 2:
        client = MemoClient(made, new_user=True)
    answers = {made.memory(v, client.choice): client.permanent(v).tolist() for v in range(100)}
    for value in range(100):
        assert client.permanent(value).tolist() == answers[made.memory(value, client.choice)]
        client.report(value)
    assert client.answers == 2
    assert client.epsilon_spent <= made.epsilon_ever


def test_estimates_are_unbiased(seed: int) -> None:
    """Null: p* for the held value, 1/g for others; 3,000 clients, 10 counts, 7 sd: 3e-11."""
    made, n = LOLOHA(3.0, 2.0, 10), 3000
    state = made.empty(simulated=True)
    for user in range(n):
        state.update(MemoClient(made, new_user=True, rng=seed + user).report(4).reports)
    counts = state.estimate().counts
    for value in range(10):
        held = value == 4
        variance = made.oracle.variance_held if held else made.oracle.variance_absent
        assert abs(float(counts[value]) - n * held) < 7 * math.sqrt(n * float(variance))


def test_bad_arguments_are_refused() -> None:
    for g in (1, 1 << 17, 2.5, 3.0, 0.0, False, None, -1):
        with pytest.raises(ParameterError, match=r"g: must be an integer in 2\.\.65536, got"):
            LOLOHA(2.0, 1.0, 10, g)  # type: ignore[arg-type]  # one of them is no integer
    made = LOLOHA(2.0, 1.0, 10, 2)
    for choice in ((), (0, 1, 2, 3), (0, 0, 0, 2), [0, 0, 0, 0]):
        with pytest.raises(ParameterError, match="choice"):
            MemoClient(made, new_user=True, choice=choice)  # type: ignore[arg-type]  # a list, too
