"""Data frames keep what is public, and of private columns their reports only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import Counting
from ldp_verified.deploy.engines.frames import privatize
from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.run.mechanisms import GRR, Duchi

SURE = 40.0
CITY = Deployment(GRR(SURE, 3, categories=("Oslo", "Rome", "none")))
DATA = {
    "name": ["a", "b", "c"],
    "city": ["Rome", None, "Oslo"],
    "level": [0.5, 1.0, -1.0],
    "day": [1, 1, 2],
}
FRAMES: dict[str, Any] = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_of_reports(library: str) -> None:
    frame = FRAMES[library](DATA)
    columns = {"city": CITY, "level": Duchi(1.0)}
    found = privatize(frame, columns, nulls={"city": "none"}, keep=["day"])
    assert type(found) is type(frame)
    assert list(found.columns) == ["day", "city", "level"]
    assert list(found["day"]) == [1, 1, 2]
    counting = Counting(CITY)
    # Row i is about row i: each report alone says its city.
    for place, city in enumerate([1, 2, 0]):
        one = counting.add(counting.create(), [found["city"][place]])
        assert one.estimate().support_counts.argmax() == city
    levels = Counting(Deployment(Duchi(1.0)))
    assert levels.add(levels.create(), list(found["level"])).n == 3
    assert list(frame.columns) == list(DATA)


def test_the_index_of_pandas_is_left_out() -> None:
    frame = pd.DataFrame(DATA, index=["x", "y", "z"]).drop(columns=["name"])
    found = privatize(frame, {"city": CITY}, nulls={"city": "none"}, keep=["day"])
    assert list(found.index) == [0, 1, 2]
    assert list(found["day"]) == [1, 1, 2]


def test_a_column_of_reports_counts_as_it_is() -> None:
    frame = pl.DataFrame(DATA)
    found = privatize(frame, {"city": CITY}, nulls={"city": "none"})
    counting = Counting(CITY)
    assert counting.add(counting.create(), found["city"].to_arrow()).n == 3
    pandas = privatize(frame.to_pandas(), {"city": CITY}, nulls={"city": "none"})
    column: Any = pandas["city"].array
    assert counting.add(counting.create(), column.__arrow_array__()).n == 3


def test_two_columns_of_one_seed_have_words_of_their_own() -> None:
    frame = pl.DataFrame({"a": [7] * 50, "b": [7] * 50})
    made = GRR(0.1, 50)
    found = privatize(frame, {"a": made, "b": made}, rng=3)
    assert found["a"].to_list() != found["b"].to_list()
    again = privatize(frame, {"b": made, "a": made}, rng=3)
    assert again["a"].to_list() == found["a"].to_list()


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"columns": {}}, "at least one"),
        ({"columns": ["city"]}, "columns"),
        ({"columns": {"town": CITY}}, "which has no column 'town' among its 4$"),
        ({"columns": {"City": CITY}}, "which has no column 'City' .*; names like it: 'city'$"),
        ({"keep": ["city"]}, "keep: must name public columns"),
        ({"keep": ["town"]}, "keep"),
        ({"keep": "day"}, "keep: must be a sequence"),
        ({"nulls": {"day": 1}}, "nulls: must name columns that are privatized, got 'day'"),
        ({"nulls": {"city": "Paris"}}, "as a category, got 'Paris'"),
        ({"nulls": 3}, "nulls"),
    ],
)
def test_wrong_arguments_are_refused(library: str, more: dict[str, Any], rule: str) -> None:
    with pytest.raises(LdpError, match=rule):
        privatize(FRAMES[library](DATA), **{"columns": {"city": CITY}, **more})


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([["Rome", "Oslo"]], columns=["city", "city"])
    with pytest.raises(ParameterError, match=r"columns: .* has more than one column 'city'"):
        privatize(frame, {"city": CITY})


@pytest.mark.parametrize("library", FRAMES)
def test_errors_name_the_column(library: str) -> None:
    frame = FRAMES[library](DATA)
    with pytest.raises(DomainError, match="column 'city': has nulls"):
        privatize(frame, {"city": CITY})
    with pytest.raises(DomainError, match="column 'level': must hold text; its type is double"):
        privatize(frame, {"level": CITY})
    with pytest.raises(DomainError, match="column 'name', row 0: must be one of") as refused:
        privatize(frame, {"level": Duchi(1.0), "name": CITY})
    assert "'a'" not in str(refused.value)


def test_other_tables_are_refused() -> None:
    others: list[Any] = [DATA, pl.DataFrame(DATA).lazy(), np.zeros(3), pd.Series([1])]
    for other in others:
        with pytest.raises(ParameterError, match="data frame of pandas or Polars"):
            privatize(other, {"city": CITY})
