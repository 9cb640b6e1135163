"""Outputs that an observer can tell apart have different keys; equal ones have the same."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.targets.keys import Consumed, Raised, items, key, kind, length, settle


@dataclass
class Report:
    seed: int
    value: int


class Plain:
    def __init__(self, value: int) -> None:
        self.value = value


NAN = struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0]
DIFFERENT: list[Any] = [
    *(None, 0, False, 0.0, -0.0, float("nan"), NAN, 1, True, 1.0, "1", b"1", "", 0j),
    *([], (), set(), {}, [0], (0,), {0}, {0: 0}, [0, 1], [1, 0], [[0], 1], [0, [1]]),
    *(np.int64(0), np.int32(0), np.float32(0), np.array([0]), np.array([0], np.int32)),
    *(np.array([[0]]), np.array([0.0]), np.array([-0.0]), np.array(0), bytearray(b"1")),
    *(Raised("KeyError", "a"), Raised("KeyError", "b"), Consumed("generator", (0,))),
    *(Report(0, 1), Report(1, 0), Plain(0), Plain(1), "None", "int 0", object),
]


def test_all_these_are_different() -> None:
    for first, second in combinations(DIFFERENT, 2):
        assert key(first) != key(second), (first, second)


def test_equal_outputs_have_one_key() -> None:
    assert key({3, 1, 2}) == key({2, 3, 1})
    assert key([1, "a", 0.5]) == key([1, "a", 0.5])
    assert key(object()) == key(object())  # an address is no part of an output
    assert key(np.array([1, 2])[::-1]) == key(np.array([2, 1]))


def test_an_iterator_is_read_once() -> None:
    found = settle(i * i for i in range(3))
    assert found == Consumed("generator", (0, 1, 4))
    assert settle([1, 2]) == [1, 2]
    assert kind(found) == "generator[int]"


@pytest.mark.parametrize(
    "value,parts,size",
    [
        ([1, 2], [1, 2], 2),
        ("ab", ["a", "b"], 2),
        (b"a", [97], 1),
        (np.array([[1, 2]]), [1, 2], 2),
        ({"a": 1}, [1], 1),
        (Report(3, 4), [3, 4], 2),
        (Plain(5), [5], 1),
        ({1, 2, 3}, None, 3),
        (7, None, -1),
        (None, None, -1),
        (Raised("E", ""), None, -1),
    ],
)
def test_items_and_length(value: Any, parts: list[Any] | None, size: int) -> None:
    assert items(value) == parts
    assert length(value) == size


def test_the_kind_has_no_contents() -> None:
    assert kind([1, 2]) == kind([5]) == "list[int]"
    assert kind([1, 2.0]) == "list[float, int]"
    assert kind(np.array([1.0])) != kind(np.array([1]))
    assert kind(Raised("KeyError", "x")) == "raised KeyError"
