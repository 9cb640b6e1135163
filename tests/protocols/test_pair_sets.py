"""Pairs of users as arrays: what is taken, and what is refused without being shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError
from ldp_verified.protocols import ItemSets, PairSets


def test_mappings_and_arrays_are_the_same() -> None:
    listed = PairSets.of([{3: 0.5, 1: -1}, {}, {0: np.float32(1)}])
    keys = ItemSets(np.array([3, 1, 0]), np.array([2, 0, 1]))
    given = PairSets(keys, np.array([0.5, -1, 1]))
    assert PairSets.of(given) is given
    for pairs in (listed, given):
        assert (len(pairs), repr(pairs)) == (3, "<PairSets of 3 users>")
        placed = pairs.placed(4, (-1.0, 1.0))
        assert placed.keys.sizes.tolist() == [2, 0, 1]
        assert placed.keys.items.tolist() == [3, 1, 0]
        assert placed.positions.tolist() == [3 << 50, 0, 1 << 52]
        assert placed.scaled.tolist() == [0.5, -1, 1]
    assert len(PairSets.of([])) == 0
    assert listed.placed(4, (-1.0, 3.0)).scaled.tolist() == [-0.25, -1, 0]


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, 3, np.array(3), "ab", {0: 1.0}, [None], [[1]], ["a"], [{"a": 1}]),
        *([{0.5: 1}], [{0: "1"}]),
        *([{0: True}], [{0: None}], [{0: 1j}], [{True: 1.0}], [{0: 10**400}]),
    ],
)
def test_what_are_no_pairs_is_refused(wrong: Any) -> None:
    with pytest.raises(DomainError, match="must"):
        PairSets.of(wrong).placed(4, (-1.0, 1.0))


@pytest.mark.parametrize(
    "wrong", [[{4: 0.5}], [{-1: 0.5}], [{0: 1.5}], [{0: float("nan")}], [{0: float("inf")}]]
)
def test_keys_and_numbers_outside_are_refused_and_not_shown(wrong: Any) -> None:
    with pytest.raises(DomainError, match="must") as refused:
        PairSets.of(wrong).placed(4, (-1.0, 1.0))
    assert "1.5" not in str(refused.value)


def test_arrays_that_do_not_fit_are_refused() -> None:
    keys = ItemSets(np.array([3, 1]), np.array([2]))
    for numbers in ([1.0], [[1.0, 2.0]], ["a", "b"]):
        odd: Any = numbers
        with pytest.raises(DomainError):
            PairSets(keys, odd)
    none: Any = [[1]]
    with pytest.raises(DomainError, match="keys: must be ItemSets"):
        PairSets(none, np.array([1.0]))
