"""Numbers that stand for values, bins or days by their order are refused where they have none."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.protocols import LGRR, MemoPopulation, Rappor, RapporPopulation, over_days
from ldp_verified.run.aggregate.in_order import numbers_in_order, own_index
from ldp_verified.run.mechanisms import GRR, SquareWave

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "right",
    [
        [0.5, 2, Fraction(1, 4)],
        (0.5, 2, 0.25),
        (each for each in (0.5, 2, 0.25)),
        np.array([0.5, 2, 0.25], dtype=np.float32),
        np.ma.masked_array([0.5, 2, 0.25], mask=False),
        pd.Series([0.5, 2, 0.25]),
        pd.Series([0.5, 2, 0.25], index=[0, 1, 2]),
    ],
    ids=lambda right: type(right).__name__,
)
def test_numbers_in_order_are_read(right: Any) -> None:
    assert numbers_in_order("weights", right, 3).tolist() == [0.5, 2.0, 0.25]


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        1.0,
        np.array(1.0),
        "123",
        b"123",
        {1.0, 2.0, 3.0},
        {0: 1.0, 1: 2.0, 2: 3.0},
        [1.0, 2.0],
        [1.0, 2.0, 3.0, 4.0],
        [1.0, True, 3.0],
        [1.0, np.True_, 3.0],
        np.array([True, False, True]),
        [1.0, "2", 3.0],
        [1.0, float("nan"), 3.0],
        [1.0, 10**400, 3.0],
        np.ones((3, 1)),
        np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
        pd.Series([1.0, 2.0, 3.0], index=[1, 0, 2]),
        pd.Series([1.0, 2.0, 3.0], index=["a", "b", "c"]),
        pd.Series([1.0, 2.0, 3.0], index=[5, 6, 7]),
    ],
    ids=repr,
)
def test_other_numbers_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match=r"^weights: must be 3 finite numbers in order"):
        numbers_in_order("weights", wrong, 3)


def test_an_index_that_is_the_order_is_none() -> None:
    assert own_index([3, 1]) is None
    assert own_index((3, 1)) is None
    assert own_index(np.array([3, 1])) is None
    assert own_index(pd.Series([3, 1])) is None
    assert own_index(pd.Series({"b": 3, "a": 1})) == ["b", "a"]


def test_every_taker_of_numbers_in_order_refuses_an_index_and_truth_values(seed: int) -> None:
    """`value_counts` sorts by frequency: its counts and shares went to other values."""
    users = pd.Series(["b", "b", "b", "a", "a", "c"])
    counted = users.value_counts()
    days = LGRR(2.0, 1.0, 4)
    people = MemoPopulation(days, 10, seed)
    states = [days.empty(simulated=True).update(people.report([day] * 10)) for day in (0, 1, 2)]
    wave = SquareWave(2.0)
    numbers = np.linspace(0, 1, 100)
    bounded = wave.bounded(
        wave.counted(simulated=True).update(wave.privatize(numbers, rng=seed)), bins=3, level=0.9
    )
    rappor = RapporPopulation(Rappor(0.5, 0.25, 0.75, 32, 2, 4), ("a", "b", "c"))
    takers: dict[str, tuple[Callable[[Any], object], ...]] = {
        "weights": (over_days(days, states).figure, bounded.ends),
        "true_counts": (GRR(1.0, 3).simulate_counts, rappor.simulate_counts),
    }
    for name, calls in takers.items():
        for call in calls:
            for wrong in (counted, [3, True, 1]):
                with pytest.raises(LdpError, match=f"^{name}: must be"):
                    call(wrong)
            call(counted.sort_index().to_numpy())
