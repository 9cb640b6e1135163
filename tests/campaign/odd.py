"""Values that callers hand over by mistake, or on purpose."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET_NUMBER = 918273645


class Raises:
    """An object whose conversions all raise."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("array 918273645")

    def __float__(self) -> float:
        raise RuntimeError("float 918273645")


def _deep() -> Any:
    nested: Any = 0
    for _ in range(200):
        nested = [nested]
    return nested


def _endless() -> Any:
    nested: list[Any] = [0]
    nested.append(nested)
    return nested


NEVER: list[Callable[[], Any]] = [
    lambda: None,
    lambda: True,
    lambda: np.True_,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: -float("inf"),
    lambda: 1j,
    lambda: "",
    lambda: "918273645",
    lambda: b"1",
    lambda: bytearray(b"1"),
    lambda: {1},
    lambda: frozenset({1}),
    lambda: {"a": 1},
    lambda: (i for i in (1, 1)),
    lambda: iter([1, 1]),
    object,
    lambda: object,
    lambda: ...,
    lambda: NotImplemented,
    Raises,
    lambda: [Raises()],
    _deep,
    _endless,
    lambda: [[0], [0, 1]],
    lambda: [None, 1],
    lambda: [True, 1],
    lambda: (np.True_, 1),
    lambda: [[True, 1]],
    lambda: [1, "918273645"],
    lambda: [float("nan"), 1],
    lambda: 10**400,
    lambda: -(10**400),
    lambda: [10**400],
    lambda: [1, 10**30],
    lambda: SECRET_NUMBER,
    lambda: [1, SECRET_NUMBER],
    lambda: np.array([1, SECRET_NUMBER]),
    lambda: np.ma.masked,
    lambda: [np.ma.masked, 1],
    lambda: [[np.ma.masked, 1]],
    lambda: np.ma.array([0, 1], mask=[True, False]),
    lambda: np.ma.array([0, 1]),
    lambda: np.ma.array([0.5, 0.5], mask=[False, True]),
    lambda: [np.ma.array([1], mask=[True])],
    lambda: np.array([None, 1], dtype=object),
    lambda: np.array([0, 1], dtype=object),
    lambda: np.array([True, False]),
    lambda: np.array([1, 1], dtype="datetime64[s]"),
    lambda: np.array([1, 1], dtype="timedelta64[s]"),
    lambda: np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    lambda: np.array(["918273645", "b"]),
    lambda: np.array([b"a"]),
    lambda: np.array([1 + 1j]),
    lambda: np.array([float("nan")]),
    lambda: np.array([[[1]]]),
    lambda: np.zeros((2, 2, 2), dtype=np.int64),
    lambda: np.datetime64("2020-01-01"),
    lambda: np.longdouble("inf"),
    lambda: np.timedelta64(1),
    lambda: np.timedelta64(1, "s"),
    lambda: [np.timedelta64(1, "s"), 1],
    lambda: [[np.timedelta64(1)], [1]],
    lambda: {1: np.timedelta64(1)},
    lambda: np.void(b"abc"),
    lambda: np.str_("918273645"),
    lambda: np.uint64(2**64 - 1),
    lambda: np.float64("nan"),
    lambda: pd.Series([1, None]),
    lambda: pd.Series([1, pd.NA], dtype="Int64"),
    lambda: pd.Series(["918273645", None]),
    lambda: pd.DataFrame({"a": [1]}),
    lambda: pd.NA,
    lambda: pd.NaT,
    lambda: pa.array([1, None]),
    lambda: pa.array(["918273645"]),
    lambda: pa.chunked_array([pa.array([1, None])]),
    lambda: pa.table({"a": [1]}),
    lambda: pa.scalar(1),
    lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, -2], pa.int8()), pa.array(["a", "b"]), safe=False
    ),
    lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 100], pa.int8()), pa.array(["a", "b"]), safe=False
    ),
    lambda: Decimal("0.5"),
    lambda: slice(1),
    lambda: np.dtype(int),
    lambda: np.random.default_rng(0),
    lambda: range(10**12),
    lambda: [[1, 2], 3],
]
"""What nobody's value, and no parameter, is. Each call makes a new one."""

SOMETIMES: list[Callable[[], Any]] = [
    lambda: np.array(0.5),
    lambda: 0,
    lambda: -0.0,
    lambda: -1,
    lambda: 1,
    lambda: 2,
    lambda: 3.5,
    lambda: 2**31,
    lambda: 2**32 + 1,
    lambda: 2**63,
    lambda: 2**64,
    lambda: 1e-320,
    lambda: 1e300,
    lambda: 1e-9,
    lambda: Fraction(1, 3),
    lambda: Fraction(10**400, 3),
    lambda: Fraction(1, 10**400),
    lambda: np.int64(4),
    lambda: np.uint8(3),
    lambda: np.float32(0.5),
    lambda: np.float64(1.5),
    lambda: np.longdouble(0.5),
    lambda: np.float16(1),
    lambda: np.array(3),
    lambda: np.array(0.5),
    lambda: np.array([]),
    list,
    lambda: (),
    dict,
    lambda: "a",
    lambda: "surrogate \ud800",
    lambda: ["a", "b"],
    lambda: [0, 1],
    lambda: (0, 1),
    lambda: (0.0, 1.0),
    lambda: (-1, 10**400),
    lambda: (0, 10**400),
    lambda: (float("nan"), 1),
    lambda: (0.5, 0.25),
    lambda: (None, 1),
    lambda: ("a", "b"),
    lambda: {"a": 0, "b": 1},
    lambda: {"a": 0, "b": 10**400},
    lambda: {"a": 0.0, "b": 1},
    lambda: range(2),
    lambda: range(8),
    lambda: np.array([[0, 1], [1, 0]]),
    lambda: np.array([0, 1], dtype=np.uint64),
    lambda: np.array([0.25]),
]
"""What is a value or a parameter here or there."""


def odd(rng: np.random.Generator) -> tuple[bool, Any]:
    """(Whether it is never one, a value)."""
    never = bool(rng.random() < 0.6)
    makers = NEVER if never else SOMETIMES
    return never, makers[int(rng.integers(len(makers)))]()


def each_odd() -> Iterator[tuple[bool, Any]]:
    """All of them, each made anew: (whether it is never one, a value)."""
    yield from ((True, make()) for make in NEVER)
    yield from ((False, make()) for make in SOMETIMES)
