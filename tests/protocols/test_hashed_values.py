"""What protocols of hashed values have in common, over their parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError
from ldp_verified.protocols import BitGroups, BitReduction, PrefixExtending, SignMatrix
from ldp_verified.protocols.hashed_values import HashedValues, SampledOracle, several

EPSILONS = st.floats(0.01, 20.0)
BUCKETS = st.sampled_from([2, 4, 16, 256])
MADE: st.SearchStrategy[Any] = st.one_of(
    st.builds(PrefixExtending, EPSILONS, st.integers(2, 128), st.integers(1, 20), BUCKETS),
    st.builds(
        BitGroups, EPSILONS, st.integers(2, 128), st.sampled_from([2, 64]), st.integers(0, 9),
        BUCKETS,
    ),
    st.builds(
        BitReduction, EPSILONS, st.integers(2, 16), st.sampled_from([2, 64]), st.integers(0, 9),
        BUCKETS,
    ),
    st.builds(SignMatrix, EPSILONS, st.integers(2, 128), st.integers(0, 9)),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(MADE, st.data())
def test_a_transcript_costs_what_is_claimed_and_values_come_back(
    made: HashedValues, data: st.DataObject
) -> None:
    p, g = made._randomizer.p, made.buckets
    ratio = p / ((1 - p) / (g - 1))
    # The exact price of all reports, in doubles that err by far less than the slack.
    assert made.reports_per_user * math.log(ratio) <= made.realized_epsilon * (1 + 1e-12)
    assert 0 < made.realized_epsilon <= made.epsilon
    assert made.gain > 0
    assert made.variance_absent > 0
    assert made.variance_held > 0
    value = data.draw(st.integers(0, (1 << made.width) - 1))
    (encoded,) = made.encode([value])
    assert made.decode(encoded) == value
    with pytest.raises(DomainError, match="values: must be integers"):
        made.encode([1 << made.width])


def test_the_variance_of_a_sampled_group_is_below_its_line() -> None:
    oracle = SampledOracle(SignMatrix(1.0, bits=8), 1000, 150, 11)
    shares = np.linspace(0, 1, 11)
    a, b = oracle.variance_line(1000)
    assert (oracle.plug_in(shares, 1000) <= a + b * shares + 1e-9).all()
    assert oracle.plug_in(shares, 1000)[0] == pytest.approx(float(a))


@pytest.mark.parametrize("wrong", ["word", b"word", 3, [], None])
def test_candidates_are_several(wrong: object) -> None:
    with pytest.raises(DomainError, match="values: must be"):
        several(wrong)
