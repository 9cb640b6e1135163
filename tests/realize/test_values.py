"""Private values become indices, or an error that does not show them."""

from __future__ import annotations

import enum
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.realize.values import (
    check_categories,
    encode,
    index_of,
    number_array,
    rule_of,
)

K = 1000
LABELS = ("ATL", "BOS", "ORD")
INDEX: dict[str | int, int] = {label: i for i, label in enumerate(LABELS)}
MASKED = np.ma.MaskedArray(np.array([1, 2]), mask=[False, True])

NO_VALUES: list[Any] = [
    -1, K, 2**70, -(2**70), 1.0, 0.5, float("nan"), float("inf"), True, False, "7", b"7", None,
    Fraction(7), 7 + 0j, [[1, 2]], [1, -1], [1, K], [1, 2**63], [1, 2**70], [1.0, 2.0], [1, 2.5],
    [1, float("nan")], [1, True], [np.True_, 1], [1, "7"], [1, None], [1, [2]], {1, 2}, {1: 2},
    iter([1, 2]), object(),
    np.array([1.0]), np.array([np.nan]), np.array([True]), np.array(["7"]), np.array([b"7"]),
    np.array([1, None]), np.array([[1]]), np.array([[1], [2]]), np.array([2**63], dtype=np.uint64),
    np.array([-1], dtype=np.int8), np.array(["2020-01-01"], dtype="datetime64[D]"),
    np.array([1], dtype="timedelta64[D]"), np.array([(1,)], dtype=[("a", int)]), np.float64(1),
    np.True_, np.datetime64("2020-01-01"), MASKED, pa.array([1, None]), pa.array([1.5]),
]  # fmt: skip


@pytest.mark.parametrize("values", NO_VALUES, ids=lambda v: f"{type(v).__name__}-{str(v)[:20]}")
def test_what_is_no_value(values: Any) -> None:
    with pytest.raises(DomainError, match="values"):
        encode(values, K, None)


@pytest.mark.parametrize("values", [[5, 123456789], np.array([5, 123456789]), 123456789])
def test_a_private_value_is_not_shown(values: Any) -> None:
    with pytest.raises(DomainError) as caught:
        encode(values, K, None)
    assert "123456789" not in str(caught.value)


def test_a_private_label_is_not_shown_and_its_position_is() -> None:
    with pytest.raises(DomainError, match=r"values\[1\]") as caught:
        encode(["BOS", "secret"], 3, INDEX)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        [3, 0, 999], (3, 0, 999), np.array([3, 0, 999]), np.array([3, 0, 999], dtype=np.uint64),
        np.array([3, 0, 999], dtype=np.int16), pa.array([3, 0, 999]),
        [np.int8(3), 0, np.uint64(999)], np.array([9, 3, 0, 999])[1:],
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_arrays_of_values(values: Any) -> None:
    result = encode(values, K, None)
    assert result.dtype.kind in "iu"
    assert result.tolist() == [3, 0, 999]


@pytest.mark.parametrize("value", [7, np.int8(7), np.array(7), np.uint64(7)], ids=repr)
def test_a_scalar_is_a_batch_of_one(value: Any) -> None:
    assert encode(value, K, None).tolist() == [7]


@pytest.mark.parametrize("values", [[], (), range(0), np.array([]), np.array([], dtype=np.int8)])
@pytest.mark.parametrize("index", [None, INDEX])
def test_an_empty_batch(values: Any, index: dict[str | int, int] | None) -> None:
    result = encode(values, 3, index)
    assert result.shape == (0,)
    assert result.dtype == np.int64


@pytest.mark.parametrize("k", [2, 200, 300, 1 << 32])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_narrow_dtypes_are_compared_without_wrapping(k: int, dtype: type[np.integer[Any]]) -> None:
    top = min(k - 1, int(np.iinfo(dtype).max))
    values = np.array([0, top], dtype=dtype)
    assert encode(values, k, None).tolist() == [0, top]
    if int(np.iinfo(dtype).max) >= k:
        with pytest.raises(DomainError):
            encode(np.array([0, k], dtype=dtype), k, None)


class City(str, enum.Enum):  # noqa: UP042  the older spelling is in use
    """A label that is a string."""

    BOSTON = "BOS"


@pytest.mark.parametrize(
    "values",
    [
        ["BOS", "ATL"], ("BOS", "ATL"), np.array(["BOS", "ATL"]),
        np.array(["BOS", "ATL"], dtype=object), [np.str_("BOS"), "ATL"], pa.array(["BOS", "ATL"]),
        [City.BOSTON, "ATL"],
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_arrays_of_labels(values: Any) -> None:
    assert encode(values, 3, INDEX).tolist() == [1, 0]


def test_one_label() -> None:
    assert encode("ORD", 3, INDEX).tolist() == [2]
    assert encode(np.str_("ORD"), 3, INDEX).tolist() == [2]


def test_integer_labels_are_not_indices() -> None:
    index: dict[str | int, int] = {-1: 0, 1: 1}
    assert encode([1, -1, np.int8(1)], 2, index).tolist() == [1, 0, 1]
    assert encode(np.array([1, -1]), 2, index).tolist() == [1, 0]
    assert encode(-1, 2, index).tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
@pytest.mark.parametrize(
    "index",
    [{0: 0, 1: 1, 2: 2}, {-1: 0, 0: 0, 1: 1}, {-1: 0, 1: 1}, {1: 0, 0: 1}, {0: 0, 2: 1}, {7: 0}],
)
def test_long_arrays_are_encoded_as_their_items_are(
    index: dict[str | int, int], dtype: Any
) -> None:
    """Whether the labels are the indices themselves, or have to be looked up."""
    k = 1 + max(index.values())
    held = np.iinfo(dtype)
    labels = [label for label in index if held.min <= int(label) <= held.max]
    items = [*labels, *labels, labels[0], labels[0]] if labels else []
    alone = [int(encode(item, k, index)[0]) for item in items]
    assert encode(np.array(items, dtype=dtype), k, index).tolist() == alone
    for wrong in {-2, 3, held.max} - set(index):
        if wrong >= held.min:
            long = np.array([*labels, *labels, wrong, wrong, wrong, wrong], dtype=dtype)
            with pytest.raises(DomainError, match=re.escape(f"values[{2 * len(labels)}]")):
                encode(long, k, index)


@pytest.mark.parametrize(
    "values",
    [
        "LAX", ["BOS", "LAX"], 0, [0], True, None, ["BOS", None], ["BOS", 1.0], [["BOS"]],
        np.array([["BOS"]]), b"BOS", np.array([b"BOS"]), {"BOS"}, float("nan"), pa.array([None]),
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_what_is_no_label(values: Any) -> None:
    with pytest.raises(DomainError, match="values"):
        encode(values, 3, INDEX)


@pytest.mark.parametrize("values", [True, [True], 1.0, [1.0], np.array([True]), np.array([1.0])])
def test_what_equals_an_integer_label_but_is_none(values: Any) -> None:
    with pytest.raises(DomainError, match="values"):
        encode(values, 2, {0: 0, 1: 1})


@given(st.lists(st.text(), min_size=2, max_size=9, unique=True), st.data())
def test_labels_by_sequence_and_by_mapping(labels: list[str], data: st.DataObject) -> None:
    k = len(labels)
    shuffled = data.draw(st.permutations([(label, i) for i, label in enumerate(labels)]))
    assert check_categories(labels, k) == tuple(labels)
    assert check_categories(dict(shuffled), k) == tuple(labels)


def test_labels_become_plain() -> None:
    labels = check_categories([np.str_("a"), np.int8(5)], 2)
    assert labels == ("a", 5)
    assert [type(label) for label in labels] == [str, int]


@pytest.mark.parametrize(
    "categories",
    [
        "abc", b"abc", 3, None, ["a", "b"], ["a", "b", "c", "d"], ["a", "b", "a"], ["a", "b", None],
        ["a", "b", 1.0], ["a", "b", True], [["a"], ["b"], ["c"]], {"a", "b", "c"},
        {"a": 0, "b": 1}, {"a": 0, "b": 1, "c": 1}, {"a": 0, "b": 1, "c": 3},
        {"a": False, "b": True, "c": 2}, {"a": "0", "b": 1, "c": 2}, np.array([["a", "b", "c"]]),
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_what_are_no_three_categories(categories: Any) -> None:
    with pytest.raises(ParameterError, match="categories"):
        check_categories(categories, 3)


def test_indices_are_taken_where_none_has_two_meanings() -> None:
    assert index_of(None, own=True) is None
    assert index_of((-1, 1), own=True) == {-1: 0, 0: 0, 1: 1}
    assert index_of(("no", "yes"), own=True) == {"no": 0, "yes": 1, 0: 0, 1: 1}
    assert index_of((1, 2, 3), own=True) == {1: 0, 2: 1, 3: 2}
    assert index_of((-1, 1), own=False) == {-1: 0, 1: 1}


def test_a_domain_of_its_own_is_named_as_far_as_it_is_short() -> None:
    assert rule_of(None) == "must be one of the categories"
    assert rule_of((-1, 1)) == "must be one of -1, 1"
    assert rule_of(range(1, 100)).endswith("7, 8, ...")


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_a_long_array_of_labels_is_looked_up_like_a_list(dtype: type) -> None:
    index: dict[str | int, int] = {7: 0, 3: 1, -5: 2, "x": 3, 2**70: 4}
    array: Any = np.array([3, 7, 3, 3, 7, 7, 7], dtype=dtype)
    assert encode(array, 5, index).tolist() == encode(array.tolist(), 5, index).tolist()
    array[5] = 123
    with pytest.raises(DomainError, match=r"values\[5\]") as caught:
        encode(array, 5, index)
    assert "123" not in str(caught.value)


def test_a_number_beyond_int64_is_no_label_of_another() -> None:
    index: dict[str | int, int] = {-1: 0}
    with pytest.raises(DomainError):
        encode(np.array([2**64 - 1, 2**64 - 1], dtype=np.uint64), 1, index)


class Number(float):
    """No plain float: looked at more closely than one."""


@pytest.mark.parametrize("value", [0.25, -0.0, 3.0])
def test_plain_numbers_become_the_arrays_that_others_become(value: float) -> None:
    others = [
        Number(value),
        np.float32(value),
        np.longdouble(value),
        int(value) if value != 0.25 else value,
    ]
    for other in [value, np.array(value), *others]:
        found = number_array(other, 0)
        assert found.shape == ()
        assert found.dtype == np.float64
        assert float(found) == value


@pytest.mark.parametrize("value", [10**400, True, "1", None, 1j, np.ma.array([1.0]), [True, 0.5]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(DomainError, match="values"):
        number_array(value, 1)


def test_what_no_double_holds_becomes_infinite_without_a_warning() -> None:
    huge = np.finfo(np.longdouble).max
    assert number_array(huge, 0) in (float("inf"), float(huge))


def test_labels_that_utf8_cannot_hold_are_refused() -> None:
    """Half of a character: what a command line in another locale makes of two bytes."""
    with pytest.raises(
        ParameterError, match=r"categories\[1\]: must be a text that UTF-8 can hold"
    ):
        check_categories(["n", "\udcc3\udca9"], 2)
