"""Polars: lazy frames of reports, and the bytes of one process from any number of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import polars as engine
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.mechanisms import GRR, Duchi
from tests.on_engines.sample import CITIES, CITY, DEPLOYMENTS, written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: type(d.mechanism).__name__)
def test_the_bytes_are_those_of_one_process(
    deployment: Deployment, tmp_path: Path, seed: int
) -> None:
    wanted = written(tmp_path, deployment, 3000, 5, seed)
    scan = pl.scan_parquet(tmp_path / "*.parquet")
    for frame in (scan, scan.collect()):
        found = engine.aggregate(frame, "report", deployment, simulated=True)
        assert found.to_bytes() == wanted


def test_columns_of_a_lazy_frame_are_privatized() -> None:
    frame = pl.LazyFrame({"city": ["Rome", None, "Oslo"], "level": [0.5, 1, -1], "day": [1, 1, 2]})
    columns = {"city": CITY, "level": Duchi(1.0)}
    found = engine.privatize(frame, columns, nulls={"city": "none"}, keep=["day"]).collect()
    assert found.schema == {"day": pl.Int64, "city": pl.Binary, "level": pl.Binary}
    assert found["day"].to_list() == [1, 1, 2]
    counts = engine.aggregate(found, "city", CITY).estimate().support_counts.tolist()
    assert dict(zip(CITIES, counts, strict=True)) == dict.fromkeys(CITIES, 1)
    assert engine.aggregate(found, "level", Deployment(Duchi(1.0))).n == 3


def test_a_constant_is_drawn_for_every_row() -> None:
    """5000 reports of k-RR over 1000 values at epsilon 0.1 are one value with chance < 1e-9000."""
    frame = pl.LazyFrame({"x": range(5000)}).with_columns(v=pl.lit(7))
    found = engine.privatize(frame, {"v": GRR(0.1, 1000)}).collect()
    assert found["v"].n_unique() > 100
    assert engine.privatize(frame, {"v": GRR(0.1, 1000)}).head(5).collect()["v"].len() == 5


def test_errors_name_the_column_and_no_value() -> None:
    frame = pl.LazyFrame({"city": ["secret-cell", None], "x": [1, 2]})
    for nulls in ({"city": "none"}, None):
        lazy = engine.privatize(frame, {"city": CITY}, nulls=nulls)
        with pytest.raises(pl.exceptions.ComputeError, match="column 'city'") as refused:
            lazy.collect()
        assert "secret-cell" not in str(refused.value)
    with pytest.raises(ParameterError, match="'town'"):
        engine.privatize(frame, {"town": CITY})
    eager: Any = frame.collect()
    with pytest.raises(ParameterError, match=r"engines\.frames\.privatize"):
        engine.privatize(eager, {"city": CITY})


def test_what_is_no_report_is_refused(tmp_path: Path, seed: int) -> None:
    written(tmp_path, DEPLOYMENTS[0], 100, 1, seed)
    frame = pl.scan_parquet(tmp_path / "*.parquet")
    with pytest.raises(ReportError, match="simulated"):
        engine.aggregate(frame, "report", DEPLOYMENTS[0])
    with pytest.raises(ReportError, match="foreign"):
        engine.aggregate(frame, "report", Deployment(GRR(1.0, 99)), simulated=True)
    with pytest.raises(ParameterError, match="column"):
        engine.aggregate(frame, "town", DEPLOYMENTS[0])
    wrong: Any = {"report": []}
    with pytest.raises(ParameterError, match="frame of Polars"):
        engine.aggregate(wrong, "report", DEPLOYMENTS[0])
