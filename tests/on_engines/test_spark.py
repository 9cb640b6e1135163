"""Spark: partitions, lost tasks and trees of states give the bytes of one process."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import spark
from ldp_verified.errors import LdpError, ParameterError, ReplayError
from ldp_verified.run.mechanisms import GRR, Duchi
from tests.on_engines.sample import CITIES, CITY, DEPLOYMENTS, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

sql: Any = import_module("pyspark.sql")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Two cores, and four attempts at a task."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2,4]")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
    }.items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    yield made
    made.stop()


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: type(d.mechanism).__name__)
def test_the_bytes_are_those_of_one_process(
    session: Any, deployment: Deployment, tmp_path: Path, seed: int
) -> None:
    wanted = written(tmp_path, deployment, 2000, 3, seed)
    frame = session.read.parquet(str(tmp_path)).repartition(20)
    found = spark.aggregate(frame, "report", deployment, simulated=True)
    assert found.to_bytes() == wanted


def test_a_lost_task_counts_once(
    session: Any, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each partition's first attempt is killed after its first batch, in its worker process."""
    deployment, marks = DEPLOYMENTS[0], tmp_path / "attempts"
    marks.mkdir()
    data = tmp_path / "data"
    data.mkdir()
    wanted = written(data, deployment, 2000, 3, seed)
    whole = spark._counted

    def fragile(*given: Any) -> Any:
        return lose_first(whole(*given), str(marks))

    monkeypatch.setattr(spark, "_counted", fragile)
    frame = session.read.parquet(str(data)).repartition(3)
    found = spark.aggregate(frame, "report", deployment, simulated=True, job="day 1")
    assert len(list(marks.iterdir())) == 3
    assert found.n == 2000
    assert len(found.marks) == 3
    monkeypatch.undo()
    again = spark.aggregate(frame, "report", deployment, simulated=True)
    assert again.to_bytes() == wanted
    other = spark.aggregate(frame, "report", deployment, simulated=True, job="day 1")
    with pytest.raises(ReplayError):
        found.merge(other)


def lose_first(counted: Any, marks: str) -> Any:
    """What kills its own process at the second batch of a partition's first attempt."""

    def counting(batches: Any) -> Any:
        place = import_module("pyspark").TaskContext.get().partitionId()
        mark = os.path.join(marks, str(place))  # noqa: PTH118  (runs in a worker, with os alone)

        def watched() -> Any:
            for number, batch in enumerate(batches):
                if number == 1 and not os.path.exists(mark):  # noqa: PTH110  (as above)
                    os.close(os.open(mark, os.O_CREAT))
                    os.kill(os.getpid(), signal.SIGKILL)
                yield batch

        yield from counted(watched())

    return counting


def test_columns_of_a_frame_are_privatized(session: Any) -> None:
    rows = [("Rome", 0.5, 1), (None, 1.0, 1), ("Oslo", -1.0, 2)]
    frame = session.createDataFrame(rows, "city string, level double, day int")
    columns = {"city": CITY, "level": Duchi(1.0)}
    found = spark.privatize(frame, columns, nulls={"city": "none"}, keep=["day"])
    assert found.columns == ["day", "city", "level"]
    kept = session.createDataFrame(found.collect(), found.schema)
    assert sorted(row.day for row in kept.select("day").collect()) == [1, 1, 2]
    counts = spark.aggregate(kept, "city", CITY).estimate().support_counts
    assert dict(zip(CITIES, counts.tolist(), strict=True)) == dict.fromkeys(CITIES, 1)
    assert spark.aggregate(kept, "level", Deployment(Duchi(1.0))).n == 3


def test_errors_name_the_column_and_no_value(session: Any) -> None:
    frame = session.createDataFrame([("secret-cell",), (None,)], "city string")
    errors = import_module("pyspark.errors")
    for nulls in ({"city": "none"}, None):
        with pytest.raises(errors.PythonException, match="column 'city'") as refused:
            spark.privatize(frame, {"city": CITY}, nulls=nulls).collect()
        assert "secret-cell" not in str(refused.value)
    with pytest.raises(LdpError, match="'town'"):
        spark.privatize(frame, {"town": CITY})
    with pytest.raises(ParameterError, match="there once"):
        spark.aggregate(frame, "town", CITY)


def test_what_is_no_report_is_refused(session: Any, tmp_path: Path, seed: int) -> None:
    written(tmp_path, DEPLOYMENTS[0], 100, 1, seed)
    frame = session.read.parquet(str(tmp_path))
    errors = import_module("pyspark.errors")
    other = Deployment(GRR(1.0, 99))
    for deployment, flag, rule in (
        (DEPLOYMENTS[0], False, "are simulated"),
        (other, True, "foreign"),
    ):
        with pytest.raises(errors.PythonException, match=rule):
            spark.aggregate(frame, "report", deployment, simulated=flag)
