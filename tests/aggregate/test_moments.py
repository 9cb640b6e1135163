"""Exact sums, merged in any order, and what they say of a mean."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.means import Variances
from ldp_verified.run.aggregate.moments import Decoding, MeanState
from ldp_verified.run.aggregate.reports import Reports

IDENTITY = Identity("Test", (("epsilon", 1.0),), "0" * 64, (1,))
DECODING = Decoding(2**32 - 2, Fraction(-5), Fraction(1, 7), (Fraction(-9), Fraction(9)))


def empty(identity: Identity = IDENTITY) -> MeanState:
    return MeanState(identity, DECODING, -1.0, 1.0, (-1, 1), Fraction(3), Variances(np.zeros_like))


def batch(codes: list[int]) -> Reports:
    return Reports(np.array(codes, dtype=np.uint32), IDENTITY)


CODES = st.lists(
    st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([2**32 - 1, 2**32 - 2, 0])), max_size=50
)


@given(CODES, CODES)
def test_sums_are_exact_and_merge_in_any_order(first: list[int], second: list[int]) -> None:
    both = empty().update(batch(first + second))
    one, two = empty().update(batch(first)), empty().update(batch(second))
    assert one.merge(two) == two.merge(one) == both
    assert (one.n, two.n) == (len(first), len(second))
    assert one.update(batch(second)) is one
    assert one == both
    one = empty().update(batch(first))
    assert both.squares == sum(c**2 for c in first + second if c < DECODING.cells)
    assert empty().merge(one) == one


@given(CODES.filter(lambda codes: len(codes) > 1))
def test_the_mean_and_its_error_are_those_of_the_decoded_reports(codes: list[int]) -> None:
    values = [DECODING.value(code) for code in codes]
    mean = sum(values) / len(values)
    spread = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    found = empty().update(batch(codes)).estimate()
    assert found.mean == float(mean)
    assert found.std_error == pytest.approx(math.sqrt(spread / len(values)), rel=1e-12)
    assert found.worst_std_error == pytest.approx(math.sqrt(3 / len(values)), rel=1e-12)


def test_slope_and_offset_are_undone() -> None:
    state = MeanState(
        IDENTITY,
        Decoding(10, Fraction(0), Fraction(1), (), Fraction(1, 2), Fraction(3)),
        0.0,
        10.0,
        (0, 1),
        Fraction(1),
        Variances(np.zeros_like),
    )
    # The mean of y is 7/2 = x/2 + 3 at x = 1, which is the upper bound.
    assert state.update(batch([3, 4])).estimate().mean == 10.0


def test_reports_that_are_alike_have_the_error_of_their_noise() -> None:
    """At the bound nearest to the estimate, which is beyond it."""
    for n in (1, 4):
        state = replace(empty(), variances=Variances(lambda numbers: 2 + numbers))
        found = state.update(batch([5] * n)).estimate()
        assert found.mean < -1
        assert found.std_error == pytest.approx(1 / math.sqrt(n))
        low, high = found.interval(0.95)
        assert low == -1 < high <= 1


def test_other_reports_are_refused_and_nothing_changes() -> None:
    other = Identity("Test", (("epsilon", 2.0),), "0" * 64, (1,))
    wrong = Reports(np.array([1], dtype=np.uint32), other)
    with pytest.raises(ReportError, match="epsilon"):
        empty().update(wrong)
    beyond = Reports(np.array([2**32], dtype=np.uint64), IDENTITY)
    with pytest.raises(ReportError, match="must be in 0"):
        empty().update(beyond)
    with pytest.raises(ReportError):
        empty().merge(empty(other))
