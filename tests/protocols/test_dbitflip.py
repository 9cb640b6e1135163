"""dBitFlip: epsilon against the written-out table, counting, and changes that are seen."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import DBitFlip, MemoClient
from tests.strategies import EPSILONS


def law(made: DBitFlip, choice: tuple[int, ...], bucket: int) -> dict[tuple[int, ...], Fraction]:
    """Bits -> probability, for a value of the bucket: two lines that use no code of ours."""
    p, q = made.first.p, made.first.q
    chances = [p if bucket == own else q for own in choice]
    return {
        bits: math.prod(
            (c if bit else 1 - c for c, bit in zip(chances, bits, strict=True)),
            start=Fraction(1),
        )
        for bits in product((0, 1), repeat=made.d)
    }


@pytest.mark.parametrize("b,d", [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (5, 3)])
def test_epsilon_is_the_worst_ratio_of_the_table(b: int, d: int) -> None:
    made = DBitFlip(1.5, 20, b, d)
    ratios = [
        law(made, choice, x)[bits] / law(made, choice, x2)[bits]
        for choice in combinations(range(b), d)
        for x, x2 in product(range(b), repeat=2)
        for bits in product((0, 1), repeat=d)
    ]
    assert made.realized_permanent == pytest.approx(math.log(max(ratios)), rel=1e-12)
    assert made.realized_permanent <= 1.5
    assert made.realized_permanent == pytest.approx(1.5)


@given(EPSILONS, st.integers(2, 40), st.data())
@settings(max_examples=30)
def test_it_costs_what_is_wanted(epsilon: float, b: int, data: st.DataObject) -> None:
    d = data.draw(st.integers(1, b))
    made = DBitFlip(epsilon, 100, b, d)
    assert made.realized_report == made.realized_permanent <= epsilon
    assert made.memories == min(d + 1, b)


def test_the_paper_pays_twice_for_one_bit() -> None:
    """With d = 1 its bits, e^(eps/2) apart, cost eps/2."""
    made = DBitFlip(2.0, 10, 5, 1)
    assert float(made.first.p) == pytest.approx(math.exp(2) / (1 + math.exp(2)))


def test_buckets_are_contiguous_and_as_equal_as_can_be() -> None:
    made = DBitFlip(1.0, 11, 4, 2)
    buckets = [made.bucket(x) for x in range(11)]
    assert buckets == sorted(buckets)
    assert set(np.bincount(buckets).tolist()) == {2, 3}
    assert [made.memory(x, (1, 3)) for x in (0, 4, 7, 10)] == [2, 0, 2, 1]


def test_a_change_into_a_chosen_bucket_is_seen(seed: int) -> None:
    """The report is the permanent answer, so a value that stays never looks different.

    For x, x, ... every two reports are equal; for x, x' they differ with a chance above 0. No
    epsilon bounds that ratio: `epsilon_ever` is for values whose changes are known.
    """
    made = DBitFlip(1.0, 4, 4, 4)
    changed = 0
    for user in range(50):
        client = MemoClient(made, new_user=True, rng=seed + user)
        first, again, other = (client.report(x).reports.data.tolist() for x in (0, 0, 1))
        assert first == again
        changed += first != other
    assert changed > 0  # P(no change of 4 bits in 50 users) < (3/4)^50 < 1e-6


def test_estimates_are_unbiased(seed: int) -> None:
    """Null: the stated variances; 4,000 clients, 5 buckets, 7 sd each: level 2e-11."""
    made, n = DBitFlip(3.0, 50, 5, 2), 4000
    state = made.empty(simulated=True)
    for user in range(n):
        value = 25 if user % 4 else 49
        client = MemoClient(made, new_user=True, rng=seed + user)
        state.update(client.report(value).reports)
    estimate = state.estimate()
    held, absent = (float(v) for v in made.oracle.variances)
    for bucket, true in enumerate([0, 0, 3000, 0, 1000]):
        variance = true * held + (n - true) * absent
        assert abs(float(estimate.counts[bucket]) - true) < 7 * math.sqrt(variance)
    low, high = estimate.interval()
    assert np.all(low <= high)
    assert estimate.std_error[0] == pytest.approx(math.sqrt(n * absent), rel=0.5)


def test_the_estimator_over_every_choice_and_every_bit_is_exact() -> None:
    """Mean and variance of what one user adds to each bucket, from the whole table."""
    made = DBitFlip(1.0, 4, 4, 2)
    choices = list(combinations(range(4), 2))
    for bucket, true in product(range(4), repeat=2):
        mean = second = Fraction(0)
        for choice in choices:
            for bits, chance in law(made, choice, true).items():
                weight = Fraction(0)
                if bucket in choice:
                    bit = bits[choice.index(bucket)]
                    weight = (bit - made.first.q) / (made.first.p - made.first.q) * 2
                mean += weight * chance / len(choices)
                second += weight**2 * chance / len(choices)
        assert mean == (bucket == true)
        held, absent = made.oracle.variances
        assert second - mean**2 == (held if bucket == true else absent)


def test_counting_is_that_of_the_reports() -> None:
    made = DBitFlip(1.0, 8, 4, 2)
    data = np.array([[1, 6], [0, 7], [3, 5]], dtype=np.uint8)
    layout = made.oracle.layout
    assert layout.count(layout.check(data)).tolist() == [1, 1, 0, 1, 0, 1, 1, 1]
    for wrong in (
        data[:, :1],
        np.array([[0, 8]]),
        np.array([[0, 1]]),
        np.array([[6, 1]]),
        np.array([[-1, 3]]),
        np.array([[0.0, 2.0]]),
        [[0, 2]],
    ):
        with pytest.raises(ReportError):
            layout.check(wrong)


def test_bad_arguments_are_refused() -> None:
    for k, b, d in ((1, 2, 1), (4, 5, 1), (4, 1, 1), (4, 2, 0), (4, 2, 3)):
        with pytest.raises(ParameterError, match="must be an integer"):
            DBitFlip(1.0, k, b, d)
    made = DBitFlip(1.0, 8, 4, 2)
    for choice in ((), (1, 0), (1, 1), (0, 4), [0, 1]):
        with pytest.raises(ParameterError, match="choice"):
            MemoClient(made, new_user=True, choice=choice)  # type: ignore[arg-type]  # a list, too
