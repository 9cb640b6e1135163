"""What protocols of hashed values have in common, over their parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import (
    BitGroups,
    BitReduction,
    Bitstogram,
    Hashtogram,
    PrefixCohorts,
    PrefixExtending,
    PrefixRounds,
    PrivateExpanderSketch,
    SequenceFragments,
    SignMatrix,
    SuccinctHistogram,
    TreeHist,
)
from ldp_verified.protocols.hashed_values import HashedValues, SampledOracle, several
from ldp_verified.run.realize.tables import balls
from tests.protocols.refusals import made_or_refused
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

G = st.sampled_from([None, 2, 4, 16, 256])
CELLS = st.sampled_from([2, 64, 1 << 19])
SEEDS = st.integers(0, 9)
ARGUMENTS: dict[Any, dict[str, st.SearchStrategy[Any]]] = {
    PrefixExtending: {"bits": st.integers(2, 128), "step": st.integers(1, 20), "g": G},
    PrefixCohorts: {
        "bits": st.integers(2, 128),
        "first": st.integers(1, 24),
        "step": st.integers(1, 20),
        "cohorts": st.sampled_from([1, 9, 1 << 16]),
        "seed": SEEDS,
        "g": G,
    },
    PrefixRounds: {
        "bits": st.integers(2, 128),
        "top": st.sampled_from([1, 7, 2048]),
        "first": st.integers(1, 24),
        "step": st.integers(1, 20),
        "cohorts": st.sampled_from([1, 9, 1 << 16]),
        "seed": SEEDS,
    },
    TreeHist: {
        "bits": st.integers(2, 128),
        "rows": st.sampled_from([1, 16]),
        "columns": st.sampled_from([2, 1 << 16]),
        "seed": SEEDS,
    },
    Hashtogram: {
        "bits": st.integers(2, 128),
        "rows": st.sampled_from([1, 16]),
        "columns": st.sampled_from([2, 1 << 16]),
        "seed": SEEDS,
    },
    BitGroups: {"bits": st.integers(2, 128), "cells": CELLS, "seed": SEEDS, "g": G},
    BitReduction: {"bits": st.integers(2, 16), "cells": CELLS, "seed": SEEDS, "g": G},
    Bitstogram: {
        "bits": st.integers(2, 128),
        "cells": CELLS,
        "corrects": st.sampled_from([None, 0, 3]),
        "rows": st.sampled_from([1, 16]),
        "columns": st.sampled_from([2, 1 << 16]),
        "seed": SEEDS,
    },
    PrivateExpanderSketch: {
        "bits": st.integers(2, 128),
        "parts": st.sampled_from([1, 16]),
        "cells": st.sampled_from([2, 16]),
        "corrects": st.sampled_from([None, 0, 3]),
        "rows": st.sampled_from([1, 16]),
        "columns": st.sampled_from([2, 1 << 16]),
        "seed": SEEDS,
    },
    SuccinctHistogram: {
        "bits": st.integers(2, 128),
        "cells": CELLS,
        "corrects": st.sampled_from([None, 0, 3]),
        "seed": SEEDS,
    },
    SequenceFragments: {
        "bits": st.integers(2, 128),
        "piece": st.sampled_from([1, 4, 16]),
        "marks": st.sampled_from([2, 256]),
        "seed": SEEDS,
        "g": G,
    },
    SignMatrix: {"bits": st.integers(2, 128), "seed": SEEDS},
}


@covers(RANGE, *(made.__name__ for made in ARGUMENTS))
@pytest.mark.parametrize("make", ARGUMENTS)
@settings(deadline=None, max_examples=30)
@given(epsilon=EPSILONS, data=st.data())
def test_a_transcript_costs_what_is_claimed_and_values_come_back(
    make: Any, epsilon: float, data: st.DataObject
) -> None:
    arguments = {name: data.draw(values, name) for name, values in ARGUMENTS[make].items()}
    made: HashedValues | None = made_or_refused(make, {"epsilon": epsilon, **arguments})
    if made is None:
        assert epsilon < 1e-3 or epsilon > 40
        return
    # The exact price of all reports, in balls.
    p, times, claimed = made._randomizer.p, made.reports_per_user, made.realized_epsilon
    ratio = Fraction(p * (made.buckets - 1) / (1 - p))
    assert balls.decide(lambda: balls.at_most(times * balls.ball(ratio).log(), claimed))
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


@pytest.mark.parametrize(
    "counts, message",
    [
        ([5e4, 5e4], "counts: must be integers, got 'float64'"),
        ([1], r"counts: must have the shape \(2,\), got \(1,\)"),
        (np.array(3), r"counts: must have the shape \(2,\), got \(\)"),
        ([-7, 1], "counts: must not be negative$"),
    ],
)
def test_counts_that_do_not_fit_are_refused_by_what_is_wrong(counts: Any, message: str) -> None:
    """Floats were said to be "one integer for each value, got (2,)", as is right."""
    with pytest.raises(ParameterError, match=message):
        PrefixExtending(4.0).simulate(["a", "b"], counts, rng=1)


@pytest.mark.parametrize("wrong", ["word", b"word", 3, [], None])
def test_candidates_are_several(wrong: object) -> None:
    with pytest.raises(DomainError, match="values: must be"):
        several(wrong)
