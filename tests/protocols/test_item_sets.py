"""Sets of items: what is one, and that a refusal shows no item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import ItemSets

SECRET = 987_654
"""An item that no message may show."""


def listed(sets: ItemSets) -> list[list[int]]:
    """The sets, as lists."""
    ends = np.cumsum(sets.sizes)
    return [sets.items[start:end].tolist() for start, end in zip(sets.starts, ends, strict=True)]


@pytest.mark.parametrize(
    "given",
    [
        [[3, 1], [], [2]],
        ((3, 1), (), (2,)),
        [np.array([3, 1], dtype=np.uint8), np.array([], dtype=np.int64), [2]],
        [{3: "", 1: ""}.keys(), frozenset(), {2}],
    ],
)
def test_sets_are_taken_in_any_form(given: Any) -> None:
    found = ItemSets.of(given)
    assert listed(found) == [[3, 1], [], [2]]
    assert ItemSets.of(found) is found
    assert found.items.dtype == found.sizes.dtype == np.int64
    assert repr(found) == "<ItemSets of 3 users>"
    assert found.owners.tolist() == [0, 0, 2]


def test_no_user_and_users_without_items() -> None:
    assert len(ItemSets.of([])) == 0
    assert listed(ItemSets.of([[], []])) == [[], []]


@pytest.mark.parametrize(
    "given, rule",
    [
        ([[SECRET, 1, SECRET]], "sets: must not have an item twice"),
        ([[1], [2, 2]], "sets: must not have an item twice"),
        ([[-SECRET]], "items: must not be negative"),
        ([[2**64 + SECRET]], "sets: must be one list"),
        ([[2**63 + SECRET]], "items: must not be negative, or above"),
        ([[1.5]], "sets: must be one list"),
        ([[1, True]], "sets: must be values, none of them masked, a truth value"),
        ([[True]], "sets: must be one list"),
        ([["1"]], "sets: must be one list"),
        (["12"], "sets: must be one list"),
        ([SECRET], "sets: must be one list"),
        ([None], "sets: must be one list"),
        ([[[1]]], "sets: must be one list"),
        ([np.ones((1, 1), dtype=int)], "sets: must be one list"),
        ("12", "sets: must be one list"),
        ({1, 2}, "sets: must be one list"),
        (7, "sets: must be one list"),
        (np.array(7), "sets: must be one list"),
    ],
)
def test_what_is_no_set_is_refused_without_an_item(given: Any, rule: str) -> None:
    with pytest.raises(DomainError) as refused:
        ItemSets.of(given)
    assert str(refused.value).startswith(rule)
    assert str(SECRET) not in str(refused.value)


def test_arrays_that_do_not_fit_are_refused() -> None:
    items = np.array([1, 2, 3])
    for sizes in ([1, 1], [2, 2], [4, -1]):
        with pytest.raises(DomainError, match="sizes: must"):
            ItemSets(items, np.array(sizes))
    with pytest.raises(DomainError, match="items: must be an array of integers"):
        ItemSets(np.ones((1, 1), dtype=np.int64), np.array([1]))
    with pytest.raises(DomainError, match="masked"):
        ItemSets(np.ma.masked_array(items), np.array([3]))


def test_items_outside_the_domain_are_refused_without_being_shown() -> None:
    sets = ItemSets.of([[1], [SECRET]])
    sets.check(SECRET + 1)
    with pytest.raises(DomainError, match=r"^sets: must have items in 0\.\.9$"):
        sets.check(10)


def test_populations_repeat_their_sets() -> None:
    sets = ItemSets.of([[3, 1], [], [2]])
    assert listed(sets.repeated([2, 1, 0])) == [[3, 1], [3, 1], []]
    assert listed(sets.taken(np.array([2, 0]))) == [[2], [3, 1]]
    for counts, rule in (
        ([1, 2], r"counts: must have the shape \(3,\), got \(2,\)"),
        ([1.0, 1.0, 1.0], "counts: must be integers, got 'float64'"),
        ([1, -1, 1], "must not be negative"),
    ):
        with pytest.raises(ParameterError, match=rule):
            sets.repeated(counts)
