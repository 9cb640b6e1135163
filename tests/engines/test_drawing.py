"""Columns of every type become reports; what is refused is named, and its value is not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import Counting
from ldp_verified.deploy.engines.drawing import drawing
from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.protocols import LGRR, PaddedResponse, PrefixExtending, SignMatrix, Split
from ldp_verified.run.mechanisms import GRR, OLH, OUE, BinaryRR, Duchi

SURE = 40.0
"""An epsilon at which a report is the value but with probability < 1e-16."""

CITIES = ("Oslo", "Rome", "none")
TEXT = GRR(SURE, 3, categories=CITIES)
NUMBERS = GRR(SURE, 3)
YEARS = GRR(SURE, 3, categories=(1999, 2000, -1))
SECRET = "secret-cell"


def counts(made: Any, values: object, **more: Any) -> list[int]:
    """Count reports that are the values, but with probability < 1e-14."""
    drawn = drawing(made, "city", **more)
    counting = Counting(drawn.deployment)
    found = counting.add(counting.create(), drawn.reports(values))
    support: list[int] = found.estimate().support_counts.tolist()
    return support


CELLS = ["Rome", "Oslo", "Rome", "none"]
COLUMNS: dict[str, Any] = {
    "arrow": pa.array(CELLS),
    "large": pa.array(CELLS, pa.large_string()),
    "view": pa.array(CELLS, pa.string_view()),
    "chunks": pa.chunked_array([CELLS[:1], CELLS[1:]]),
    "dictionary": pa.array(CELLS).dictionary_encode(),
    "pandas": pd.Series(CELLS),
    "pandas objects": pd.Series(CELLS, dtype=object),
    "pandas categories": pd.Series(CELLS, dtype="category"),
    "polars": pl.Series(CELLS),
    "polars categories": pl.Series(CELLS, dtype=pl.Categorical),
    "polars enum": pl.Series(CELLS, dtype=pl.Enum(CITIES)),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_text_of_every_type_is_read(column: str) -> None:
    assert counts(TEXT, COLUMNS[column]) == [1, 2, 1]


MISSING = ["Rome", None, "Rome", None]
WITH_NULLS: dict[str, Any] = {
    "arrow": pa.array(MISSING),
    "view": pa.array(MISSING, pa.string_view()),
    "dictionary": pa.array(MISSING).dictionary_encode(),
    "pandas": pd.Series(MISSING),
    "pandas nan": pd.Series(["Rome", np.nan, "Rome", np.nan], dtype=object),
    "pandas categories": pd.Series(MISSING, dtype="category"),
    "polars": pl.Series(MISSING),
    "polars categories": pl.Series(MISSING, dtype=pl.Categorical),
}


@pytest.mark.parametrize("column", WITH_NULLS)
def test_a_null_is_a_declared_category_or_refused(column: str) -> None:
    assert counts(TEXT, WITH_NULLS[column], null="none") == [0, 2, 2]
    with pytest.raises(DomainError, match="column 'city': has nulls") as refused:
        counts(TEXT, WITH_NULLS[column])
    assert "Rome" not in str(refused.value)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([2, 0, 2], pa.int8()),
        pa.array([2, 0, 2], pa.uint64()),
        pd.Series([2, 0, 2]),
        pd.Series([2, 0, 2], dtype="Int64"),
        pl.Series([2, 0, 2]),
    ],
    ids=str,
)
def test_integers_of_every_type_are_read(values: object) -> None:
    assert counts(NUMBERS, values) == [1, 0, 2]


def test_nulls_of_integers_have_a_category() -> None:
    for column in (
        pa.array([2, None, 2], pa.uint8()),
        pd.Series([2, None, 2], dtype="Int64"),
        pl.Series([2, None, 2]),
    ):
        assert counts(NUMBERS, column, null=1) == [0, 1, 2]
    # A label that the column's own type could not hold.
    assert counts(YEARS, pa.array([2000, None], pa.uint16()), null=-1) == [0, 1, 1]
    assert counts(NUMBERS, pa.nulls(3), null=1) == [0, 3, 0]


@pytest.mark.parametrize("made", [NUMBERS, YEARS, OUE(1.0, 5), Duchi(1.0), BinaryRR(1.0)])
def test_an_empty_column_has_no_reports(made: Any) -> None:
    empty: list[Any] = [pa.nulls(0), pa.array([], pa.int64()), pl.Series([], dtype=pl.Int32)]
    assert [len(drawing(made).reports(column)) for column in empty] == [0, 0, 0]
    texts: list[Any] = [pa.nulls(0), pa.array([], pa.string()), pl.Series([], dtype=pl.String)]
    assert [len(drawing(TEXT).reports(column)) for column in texts] == [0, 0, 0]


def test_other_mechanisms_take_columns() -> None:
    counting = Counting(Deployment(Duchi(1.0)))
    found = counting.create()
    for column in (pa.array([0.5, -1.0]), pl.Series([0.5, 1.0]), pd.Series([1, 0])):
        counting.add(found, drawing(Duchi(1.0)).reports(column))
    assert found.n == 6
    words = drawing(PrefixExtending(4.0)).reports(pl.Series(["a", "b"]))
    assert len(words) == 2
    assert sum(counts(BinaryRR(1.0), pa.array([-1, 1, 1]))) == 3


BAD: list[tuple[Any, Any]] = [
    (TEXT, pa.array([1, 2])),
    (TEXT, pa.array([True])),
    (TEXT, pa.array(["Oslo", SECRET])),
    (TEXT, pa.array([SECRET.encode()])),
    (TEXT, pd.Series(["Oslo", 3], dtype=object)),
    (TEXT, pd.Series(["Oslo", object()], dtype=object)),
    (TEXT, pd.Series(["Oslo", SECRET], dtype="category")),
    (TEXT, pl.Series([SECRET], dtype=pl.Categorical)),
    (TEXT, [SECRET]),
    (TEXT, np.array([SECRET])),
    (NUMBERS, pa.array([0.5])),
    (NUMBERS, pd.Series([1.0, 2.0])),
    (NUMBERS, pd.Series([1, None])),
    (NUMBERS, pa.array([271828])),
    (NUMBERS, pa.array([-1])),
    (NUMBERS, pl.Series([SECRET])),
    (YEARS, pa.array([1, 2])),
    (OLH(1.0, 4), pa.array([271828])),
    (Duchi(1.0), pa.array([SECRET])),
    (Duchi(1.0), pa.array([271828.0])),
    (Duchi(1.0), pa.array([float("nan")])),
    (Duchi(1.0), pd.Series([float("nan")])),
    (PrefixExtending(4.0), pa.array([271828])),
    (PrefixExtending(4.0), pa.array([SECRET + "-that-is-too-long"])),
]


@pytest.mark.parametrize(("made", "values"), BAD, ids=lambda each: type(each).__name__)
def test_errors_name_the_column_and_no_value(made: Any, values: object) -> None:
    with pytest.raises(DomainError, match=r"^column 'city'") as refused:
        drawing(made, "city").reports(values)
    error: BaseException | None = refused.value
    while error is not None:
        assert SECRET not in str(error)
        assert "271828" not in str(error)
        error = error.__cause__ or error.__context__


def test_the_row_and_the_type_are_named() -> None:
    with pytest.raises(DomainError, match=r"column 'city', row 1: must be one of the categories"):
        counts(TEXT, pa.array(["Oslo", SECRET]))
    with pytest.raises(DomainError, match=r"must hold integers in 0..2; its type is double"):
        counts(NUMBERS, pd.Series([1.0]))
    with pytest.raises(DomainError, match=r"must have a label for nulls of its own type, int64"):
        counts(YEARS2, pa.array([1, None]), null="none")


MIXED: Any = (1, "a", "none")
YEARS2 = GRR(SURE, 3, categories=MIXED)


@pytest.mark.parametrize(
    ("made", "more", "rule"),
    [
        (TEXT, {"null": "Paris"}, "as a category"),
        (NUMBERS, {"null": 3}, "as a category"),
        (NUMBERS, {"null": True}, "as a category"),
        (Duchi(1.0), {"null": 0}, "no category for nulls"),
        (LGRR(4.0, 1.0, 9), {}, "devices that remember"),
        (Split(2.0, (3, 4)), {}, "for one value"),
        (PaddedResponse(1.0, 9, 3), {}, "for one value"),
        (SignMatrix(1.0), {}, "no public numbers"),
        (3, {}, "mechanism"),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_once(
    made: Any, more: dict[str, Any], rule: str
) -> None:
    with pytest.raises((ParameterError, LdpError), match=rule):
        drawing(made, "city", **more)


def test_it_travels_as_the_descriptor() -> None:
    before = drawing(TEXT, "city", "none")
    again = pickle.loads(pickle.dumps(before))
    assert again == before
    assert len(again.reports(pa.array(["Oslo", None]))) == 2


def test_columns_have_words_of_their_own() -> None:
    """GRR at a small epsilon: two columns of one mechanism and seed differ somewhere."""
    made, values = GRR(0.1, 50), pa.array([7] * 50)
    first = drawing(made, "a").reports(values, 3)
    assert first == drawing(made, "a").reports(values, 3)
    assert first != drawing(made, "b").reports(values, 3)
    assert first != drawing(made, "a").reports(values, 4)
    one = np.random.default_rng(1)
    assert drawing(made, "a").reports(values, one) != drawing(made, "a").reports(values, one)


def test_simulated_reports_say_so() -> None:
    column = drawing(TEXT).reports(pa.array(CELLS), 3)
    counting = Counting(Deployment(TEXT), simulated=True)
    assert counting.add(counting.create(), column).n == 4
    with pytest.raises(LdpError, match="simulated"):
        Counting(Deployment(TEXT)).add(Deployment(TEXT).collector(), column)
