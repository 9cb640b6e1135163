"""Columns of other libraries: the same indices as from a list, no copy where none is needed."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ldp_verified
from ldp_verified.errors import DomainError
from ldp_verified.run.realize.values import encode

NUMBERS = [0, 3, 1, 2, 3]
LABELS = ["BOS", "AUS", "JFK", "AUS"]
INDEX: dict[str | int, int] = {"AUS": 0, "BOS": 1, "JFK": 2}
CODES = [1, 0, 2, 0]


class OnlyTheInterface:
    """A column of a library that nobody here knows."""

    def __init__(self, column: pa.ChunkedArray[Any]) -> None:
        self.column = column

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.column.__arrow_c_stream__(requested_schema)


NUMBER_COLUMNS: list[Any] = [
    pd.Series(NUMBERS),
    pd.Series(NUMBERS, dtype="uint8"),
    pd.Series(NUMBERS, dtype="Int16"),
    pd.Series(NUMBERS, dtype="int64[pyarrow]"),
    pd.Series(NUMBERS, index=list("abcde"))[::1],
    pl.Series(NUMBERS),
    pl.Series(NUMBERS, dtype=pl.UInt32),
    pl.concat([pl.Series(NUMBERS[:2]), pl.Series(NUMBERS[2:])], rechunk=False),
    pl.DataFrame({"a": NUMBERS})["a"],
    pa.array(NUMBERS),
    pa.array([7, *NUMBERS], pa.uint16())[1:],
    pa.chunked_array([NUMBERS[:1], [], NUMBERS[1:]], pa.int8()),
    pa.table({"a": NUMBERS}).column("a"),
    OnlyTheInterface(pa.chunked_array([NUMBERS])),
]


@pytest.mark.parametrize("column", NUMBER_COLUMNS, ids=lambda each: type(each).__name__)
def test_integers(column: Any) -> None:
    found = encode(column, 4, None)
    assert found.dtype.kind in "iu"
    assert found.tolist() == NUMBERS


@pytest.mark.parametrize(
    "column", [pa.array(NUMBERS, pa.int32()), pl.Series(NUMBERS, dtype=pl.Int32)]
)
def test_a_column_in_one_piece_is_not_copied(column: Any) -> None:
    assert np.shares_memory(encode(column, 4, None), np.asarray(column))


def test_an_array_is_not_copied() -> None:
    for dtype in (np.int8, np.uint16, np.int64):
        array = np.array(NUMBERS, dtype=dtype)
        assert encode(array, 4, None) is array


LABEL_COLUMNS: list[Any] = [
    pd.Series(LABELS),
    pd.Series(LABELS, dtype=object),
    pd.Series(LABELS, dtype="category"),
    pd.Series([*LABELS, "SFO"], dtype="category")[:-1],  # a category that no row has
    pl.Series(LABELS),
    pl.Series(LABELS, dtype=pl.Categorical),
    pa.array(LABELS),
    pa.array(LABELS, pa.large_string()),
    pa.array(LABELS, pa.string_view()),
    pa.array(LABELS).dictionary_encode(),
    pa.array(["SFO", *LABELS]).dictionary_encode()[1:],
    pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 2, 0], pa.int8()), pa.array(["AUS", "BOS", "JFK", None])
    ),
    pa.chunked_array([LABELS[:1], LABELS[1:]]),
]


@pytest.mark.parametrize("column", LABEL_COLUMNS, ids=lambda each: type(each).__name__)
def test_labels(column: Any) -> None:
    assert encode(column, 3, INDEX).tolist() == CODES


def test_integers_as_labels() -> None:
    index: dict[str | int, int] = {70: 0, -5: 1}
    for column in (pa.array([-5, 70]), pl.Series([-5, 70]), pd.Series([-5, 70])):
        assert encode(column, 2, index).tolist() == [1, 0]


@pytest.mark.parametrize(
    "column", [pa.array([], pa.int64()), pl.Series([], dtype=pl.Int8), pa.chunked_array([], "u1")]
)
def test_empty_columns(column: Any) -> None:
    assert encode(column, 4, None).tolist() == []
    assert encode(column, 4, INDEX).tolist() == []


SECRET = 4711
WRONG_NUMBERS: list[tuple[Any, str]] = [
    (pl.Series([0, SECRET]), "values[1]: must be an integer in 0..3"),
    (pa.array([0, -SECRET]), "values[1]: must be an integer in 0..3"),
    (pa.array([0, 2**64 - 1], pa.uint64()), "values[1]: must be an integer in 0..3"),
    (pa.array([0, None]), "values[1]: must not be null"),
    (pl.Series([None, 1, 2]), "values[0]: must not be null"),
    (pd.Series([1, None], dtype="Int64"), "values[1]: must not be null"),
    (pl.Series([1.0, 4711.0]), "values: must be an integer in 0..3, got 'double'"),
    (pd.Series([1.0, None]), "values: must be an integer in 0..3, got 'double'"),
    (pl.Series([True]), "values: must be an integer in 0..3, got 'bool'"),
    (pl.Series(["4711"]), "values: must be an integer in 0..3, got"),
    (pd.Series([1, "4711"], dtype=object), "values: must be an integer in 0..3, got"),
    (pl.DataFrame({"a": [1]}), "values: must be an integer in 0..3, got 'struct"),
    (pa.table({"a": [1], "b": [1]}), "values: must be an integer in 0..3, got 'struct"),
]


@pytest.mark.parametrize(("column", "message"), WRONG_NUMBERS)
def test_other_columns_are_refused_and_not_shown(column: Any, message: str) -> None:
    with pytest.raises(DomainError, match="^" + re.escape(message)) as caught:
        encode(column, 4, None)
    assert str(SECRET) not in str(caught.value)


WRONG_LABELS: list[tuple[Any, str]] = [
    (pa.chunked_array([["AUS"], ["BOS", "4711"]]), "values[2]: must be one of the categories"),
    (pd.Series(["AUS", "4711"], dtype="category"), "values[1]: must be one of the categories"),
    (pl.Series(["AUS", None]), "values[1]: must not be null"),
    (
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["AUS", None])),
        "values: must not be null",
    ),
    (pa.array([1.5]), "values: must be one of the categories, got 'double'"),
    (pa.array([1.5]).dictionary_encode(), "values: must be one of the categories, got 'double'"),
    (pl.Series([True, False]), "values: must be one of the categories, got 'bool'"),
    (pd.Series(["AUS", 4711], dtype=object), "values: must be one of the categories, got"),
]


@pytest.mark.parametrize(("column", "message"), WRONG_LABELS)
def test_other_labels_are_refused_and_not_shown(column: Any, message: str) -> None:
    with pytest.raises(DomainError, match="^" + re.escape(message)) as caught:
        encode(column, 3, INDEX)
    assert str(SECRET) not in str(caught.value)


def test_mechanisms_take_columns(seed: int) -> None:
    mechanism = ldp_verified.GRR(1.0, 3, categories=["AUS", "BOS", "JFK"])
    expected = mechanism.privatize(LABELS * 100, rng=seed)
    for column in (pl.Series(LABELS * 100), pd.Series(LABELS * 100), pa.array(LABELS * 100)):
        assert mechanism.privatize(column, rng=seed) == expected
        assert (
            mechanism.aggregate(mechanism.privatize_stream([column], seed), simulated=True).n == 400
        )


def test_columns_are_not_what_a_client_of_one_value_pays_for() -> None:
    program = "import sys, ldp_verified as l\nl.GRR(1.0, 3).privatize(1)\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert not {"pyarrow", "pandas", "polars"} & set(run.stdout.split())
