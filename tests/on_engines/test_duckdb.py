"""DuckDB: batches give the bytes of one process; every row has a report of its own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import duckdb as engine
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.mechanisms import GRR, BinaryRR, Duchi
from tests.on_engines.sample import CITIES, CITY, DEPLOYMENTS, written

if TYPE_CHECKING:
    from pathlib import Path

duckdb: Any = import_module("duckdb")


@pytest.fixture
def connection() -> Any:
    return duckdb.connect()


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: type(d.mechanism).__name__)
def test_the_bytes_are_those_of_one_process(
    connection: Any, deployment: Deployment, tmp_path: Path, seed: int
) -> None:
    wanted = written(tmp_path, deployment, 5000, 7, seed)
    files = connection.read_parquet(str(tmp_path / "*.parquet"))
    found = engine.aggregate(files, "report", deployment, simulated=True)
    assert found.to_bytes() == wanted


def test_a_column_is_privatized(connection: Any) -> None:
    engine.register(connection, "city_report", CITY, null="none")
    connection.execute(
        "create table t as select * from (values ('Rome'), (null), ('Oslo')) v(city)"
    )
    connection.execute("create table reports as select city_report(city) as report from t")
    found = engine.aggregate(connection.table("reports"), "report", CITY)
    counts = found.estimate().support_counts.tolist()
    assert dict(zip(CITIES, counts, strict=True)) == dict.fromkeys(CITIES, 1)


def test_a_constant_is_drawn_for_every_row(connection: Any) -> None:
    """5000 reports of k-RR over 1000 values at epsilon 0.1 are one value with chance < 1e-9000."""
    engine.register(connection, "draw", GRR(0.1, 1000))
    drawn = connection.sql("select draw(7) as report from range(5000)").fetchall()
    assert len({report for (report,) in drawn}) > 100
    column = "select draw(v) as report from (select 7 as v from range(5000))"
    assert len(set(connection.sql(column).fetchall())) > 100


def test_every_type_of_values_has_its_type_of_sql(connection: Any) -> None:
    engine.register(connection, "number", Duchi(1.0))
    engine.register(connection, "yes", BinaryRR(1.0))
    sent = connection.sql("select number(0.5) as n, yes(-1) as y from range(10)")
    assert engine.aggregate(sent, "n", Deployment(Duchi(1.0))).n == 10
    assert engine.aggregate(sent, "y", Deployment(BinaryRR(1.0))).n == 10


def test_nulls_and_other_values_are_refused_without_being_shown(connection: Any) -> None:
    engine.register(connection, "city_report", CITY)
    for cell in ("null", "'secret-cell'"):
        with pytest.raises(duckdb.Error, match="column 'city_report'") as refused:
            connection.sql(f"select city_report({cell})").fetchall()
        assert "secret-cell" not in str(refused.value)


def test_what_is_no_report_is_refused(connection: Any, tmp_path: Path, seed: int) -> None:
    written(tmp_path, DEPLOYMENTS[0], 100, 1, seed)
    files = connection.read_parquet(str(tmp_path / "*.parquet"))
    with pytest.raises(ReportError, match="simulated"):
        engine.aggregate(files, "report", DEPLOYMENTS[0])
    with pytest.raises(ReportError, match="foreign"):
        engine.aggregate(files, "report", Deployment(GRR(1.0, 99)), simulated=True)
    empty = connection.sql("select null::blob as report")
    with pytest.raises(ReportError, match="no nulls"):
        engine.aggregate(empty, "report", DEPLOYMENTS[0])
    with pytest.raises(ParameterError, match="column"):
        engine.aggregate(files, "town", DEPLOYMENTS[0])
    with pytest.raises(ParameterError, match="name"):
        engine.register(connection, 3, CITY)  # type: ignore[arg-type]  # what is tested
