"""Features: one code for what an observer cannot tell apart, the same names in every batch."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.events import features, inside
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch, coded_column, joined
from ldp_verified.check.audit.targets.keys import Raised
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.errors import ParameterError
from tests.broken.audit import leaves


def batch(outputs: Any) -> Batch:
    return Batch(np.zeros(len(outputs), dtype=np.int64), outputs)


def labels(name: str, outputs: Any) -> list[str]:
    found = features.values(name, batch(outputs))
    return [found.labels[code] for code in found.codes.tolist()]


@pytest.mark.parametrize(
    "name,outputs,expected",
    [
        ("type", [1, "a", Raised("E", "")], ["int", "str", "raised E"]),
        ("length", [[1, 2], "abc", 5], ["2", "3", "-1"]),
        ("item:0", [[1, 2], [3]], ["int 1", "int 3"]),
        ("item:1", [[1, 2], [3]], ["int 2", "none"]),
        ("item:-1", ["ab", 7], ["str 'b'", "none"]),
        ("items:0,1", [[1, 2], [1, 3]], ["int 1 & int 2", "int 1 & int 3"]),
        ("ones", [[0, 1, 1], [0, 0, 0]], ["int 2", "int 0"]),
        ("ones", ["011", "0"], ["int 2", "int 0"]),
        ("order", [[3, 1, 2], [1], ["b", 1]], ["[1, 2, 0]", "none", "none"]),
        ("has:int 1", [{1, 2}, [3], 1], ["True", "False", "False"]),
        (
            "below:0x0p+0,0x1p+0",
            [-1.0, 0.5, 3, float("nan")],
            ["interval 0", "interval 1", "interval 2", "nan"],
        ),
        ("zeros", [1.0, 1.5, 3], ["52 at 1023", "51 at 1023", "none"]),
        ("item-zeros:1", [[0, 1.0], [0, 1.5], [0]], ["52 at 1023", "51 at 1023", "none"]),
        ("low", [1.0, 1 + 2**-52], ["0", "1"]),
        ("byte:0", [1 + 2**-52, 1, 1.0], ["1", "none", "0"]),
        ("item-byte:1;6", [[0, 1.0], [1, 1.5], [1]], ["240", "248", "none"]),
        ("digit:1", [2**40 + 33, np.int64(16), -1, "a"], ["2", "1", "15", "none"]),
        ("item-digit:1;0", [[0, 2**70 + 3], [1, 2], [1]], ["3", "2", "none"]),
        (
            "item:1",
            [1 + 2j, np.complex64(3j)],
            ["float 0x1.0000000000000p+1", "float32 float 0x1.8000000000000p+1"],
        ),
        (
            "item-below:0;0x0p+0",
            [["a"], [np.timedelta64(1)], [True], [-1], [10**400]],
            ["nan", "nan", "nan", "interval 0", "interval 1"],
        ),
        ("item:0", [[np.complex64(3j)]], ["float32 float 0x0.0p+0"]),
        ("fraction", [0.25, 1e-30, 5], ["2", "e-30"[-4:], "none"]),
    ],
)
def test_values(name: str, outputs: list[Any], expected: list[str]) -> None:
    assert labels(name, outputs) == expected


@pytest.mark.parametrize("name", [*leaves.LEAVES])
def test_a_bit_in_a_leaf_is_found(name: str) -> None:
    """eps = 4 breaks a claim of 1, and is missed below 1e-9; its fair twin at level 1e-9."""
    found = [
        audit(
            from_callable(leaves.client(name, epsilon), (0, 1), name), Claim(1.0, n=n, level=1e-9)
        )
        for epsilon, n in ((4.0, 4000), (0.9, 12_000))
    ]
    assert found[0].verdict is AuditVerdict.VIOLATED
    assert found[1].verdict is not AuditVerdict.VIOLATED
    assert found[1].bound > 0.1  # it was read, too


@pytest.mark.parametrize("name", ["item:0", "item:-1", "items:0,1", "ones", "value"])
def test_a_row_is_read_the_same_alone_and_in_a_matrix(name: str) -> None:
    """Learning samples may all have one length, testing samples not: labels must agree."""
    rows = [[0, 1], [1, 1], [1, 0]]
    assert batch(rows).matrix is not None
    odd = [*rows, [1]]
    assert batch(odd).matrix is None
    assert labels(name, odd)[:3] == labels(name, rows)


def test_numbers_with_different_bits_have_different_codes() -> None:
    column = np.array([0.0, -0.0, float("nan"), 1.0, 1.0])
    found = coded_column(column, float)
    assert len(found.labels) == 4
    assert len({*found.labels}) == 4


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(ParameterError, match="feature"):
        features.values("colour", batch([1]))


def test_joined_batches_keep_order_and_arrays() -> None:
    first = Batch(np.array([0, 1]), np.array([[1, 2], [3, 4]]))
    second = Batch(np.array([1]), np.array([[5, 6]]))
    found = joined([first, second])
    assert isinstance(found.outputs, np.ndarray)
    assert found.outputs.tolist() == [[1, 2], [3, 4], [5, 6]]
    mixed = joined([first, Batch(np.array([0]), ["x"])])
    assert [*map(str, mixed.outputs)] == ["[1 2]", "[3 4]", "x"]
    assert len(joined([])) == 0


def test_candidates_fit_the_outputs() -> None:
    rng = np.random.default_rng(1)
    floats = features.candidates(batch(rng.normal(size=500).tolist()))
    assert {"zeros", "low", "fraction"} <= {*floats}
    assert any(name.startswith("below:") for name in floats)
    rows = features.candidates(batch(rng.integers(0, 2, (500, 4)).tolist()))
    assert {"item:0", "item:3", "items:0,1", "items:0,3", "ones"} <= {*rows}
    sets = features.candidates(batch([{1, 2}, {2}] * 50))
    assert "has:int 2" in sets


def _whole(value: int) -> list[int]:
    """A fair bit, and 14 of noise above the value."""
    return [random.getrandbits(1), random.getrandbits(14) * 2 + value]


def _wide_and_whole(value: int) -> int:
    return random.getrandbits(14) * 2 + value


def _middle(value: int) -> list[Any]:
    """A fair bit, and a float whose bit 20 is the value."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", random.random()))
    held = struct.pack(">Q", bits & ~(1 << 20) | value << 20)
    return [random.getrandbits(1), struct.unpack(">d", held)[0]]


def _single(value: int) -> np.float32:
    """A float of 32 bits, whose bit 8 is the value."""
    bits = np.float32(random.random()).view(np.uint32) & np.uint32(0xFFFFFEFF)
    return np.uint32(bits | value << 8).view(np.float32)


@pytest.mark.parametrize("make", [_whole, _wide_and_whole, _middle, _single])
def test_a_bit_inside_a_number_is_found(make: Callable[[int], Any]) -> None:
    """The value in clear: of 5,000 samples all speak for their input, whatever is drawn."""
    found = audit(from_callable(make, (0, 1), "bit"), Claim(1.0, n=10_000), seed=1)
    assert found.verdict is AuditVerdict.VIOLATED


def test_few_numbers_are_not_read_inside() -> None:
    few, many = range(inside.FEW), range(inside.FEW + 1)
    assert not [*inside.digits_of(few), *inside.bytes_of(map(float, few))]
    assert [*inside.digits_of(many)] == [0, 1]
    assert len(inside.bytes_of(map(float, many))) == inside.MOST_BYTES
