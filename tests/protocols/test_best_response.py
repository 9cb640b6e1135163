"""The mechanism of least spread, against all candidates; and what the spread stands for."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.best_response import BestResponse, spread
from ldp_verified.run.aggregate.combined import variance_of
from ldp_verified.run.mechanisms import GRR, HRR, OUE, SUE, SubsetSelection

MAKERS = (GRR, HRR, OUE, SUE, SubsetSelection)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 5.0, 9.0])
@pytest.mark.parametrize("k", [2, 3, 8, 30, 100])
def test_no_candidate_differs_less(epsilon: float, k: int) -> None:
    found = BestResponse()(epsilon, k)
    assert isinstance(found, MAKERS)
    for make in MAKERS:
        assert spread(found) <= spread(make(epsilon, k))


@pytest.mark.parametrize("make", MAKERS)
def test_the_spread_is_half_the_variance_of_a_difference(make: type[GRR]) -> None:
    """Of two counts, where all values are alike."""
    made = make(1.5, 6)
    weights = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    found = variance_of(made.oracle, np.full(6, 1 / 6), weights)
    assert found is not None
    assert 2 * spread(made) == pytest.approx(found)


def test_few_nodes_and_much_budget_take_k_ary_response() -> None:
    assert isinstance(BestResponse()(4.0, 16), GRR)
    assert isinstance(BestResponse()(1.0, 4), GRR)
    assert isinstance(BestResponse()(1.0, 64), SubsetSelection)


def test_reports_are_short_enough_where_any_is() -> None:
    assert BestResponse(64)(1.0, 64).bits_per_report == 64
    assert isinstance(BestResponse(63)(1.0, 64), HRR)
    assert isinstance(BestResponse(6)(1.0, 64), GRR)
    assert isinstance(BestResponse(1)(1.0, 64), GRR)


def test_bad_arguments_are_named() -> None:
    for bits in (0, -1, 1.5, True, None, "9", (1 << 14) + 1):
        with pytest.raises(ParameterError, match="longest: must"):
            BestResponse(bits)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ParameterError, match="k: must"):
        BestResponse()(1.0, 1)
    with pytest.raises(ParameterError, match="epsilon"):
        BestResponse()(float("nan"), 4)
