"""Beam: bundles, keys and worker processes give the bytes of one process."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import beam as engine
from ldp_verified.deploy.engines import in_tree
from ldp_verified.errors import ReportError
from ldp_verified.run.mechanisms import GRR, Duchi
from tests.on_engines.sample import CITIES, CITY, DEPLOYMENTS, simulated, written

if TYPE_CHECKING:
    from pathlib import Path

beam: Any = import_module("apache_beam")
options: Any = import_module("apache_beam.options.pipeline_options")


def pipeline(*more: str) -> Any:
    """The runner that comes with Beam's Python package; the one in Go is fetched from elsewhere."""
    given = ["--runner=FnApiRunner", *more]
    return beam.Pipeline(options=options.PipelineOptions(given))


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: type(d.mechanism).__name__)
def test_the_bytes_are_those_of_one_process(
    deployment: Deployment, tmp_path: Path, seed: int
) -> None:
    """Tables of files in two worker processes, and single reports in one."""
    wanted = written(tmp_path, deployment, 3000, 5, seed)
    reports = simulated(deployment, 3000, seed).to_pylist()
    out = tmp_path / "state"
    with pipeline("--direct_running_mode=multi_processing", "--direct_num_workers=2") as run:
        _ = (
            run
            | beam.Create(sorted(map(str, tmp_path.glob("*.parquet"))))
            | beam.Reshuffle()
            | beam.Map(lambda path: pq.read_table(path)["report"])
            | beam.CombineGlobally(engine.CountReports(deployment, simulated=True))
            | beam.Map(lambda state: out.write_bytes(state.to_bytes()))
        )
    assert out.read_bytes() == wanted
    out.unlink()
    with pipeline() as run:
        _ = (
            run
            | beam.Create(reports)
            | engine.Aggregate(deployment, simulated=True)
            | beam.Map(lambda state: out.write_bytes(state.to_bytes()))
        )
    assert out.read_bytes() == wanted


def test_reports_are_counted_by_key(tmp_path: Path) -> None:
    drawn = CITY.to_bytes(CITY.mechanism.privatize(["Rome", "Oslo", "Rome"]))
    out = tmp_path / "counts"
    with pipeline() as run:
        _ = (
            run
            | beam.Create(list(zip(["a", "b", "a"], drawn, strict=True)))
            | beam.CombinePerKey(engine.CountReports(CITY))
            | beam.Map(lambda pair: f"{pair[0]} {pair[1].estimate().support_counts.tolist()}")
            | beam.combiners.ToList()
            | beam.Map(lambda lines: out.write_text("\n".join(sorted(lines))))
        )
    assert out.read_text() == "a [0, 2, 0]\nb [1, 0, 0]"


def test_values_are_privatized(tmp_path: Path) -> None:
    out = tmp_path / "counts"
    with pipeline() as run:
        _ = (
            run
            | beam.Create(["Rome", None, "Oslo"])
            | engine.Privatize(CITY, "city", null="none")
            | engine.Aggregate(CITY)
            | beam.Map(lambda state: out.write_text(str(state.estimate().support_counts.tolist())))
        )
    assert out.read_text() == str([1] * len(CITIES))
    with pipeline() as run:
        numbers = run | beam.Create([0.5, -1.0]) | engine.Privatize(Duchi(1.0))
        _ = numbers | engine.Aggregate(Deployment(Duchi(1.0))) | beam.Map(check_two)


def check_two(state: Any) -> None:
    assert state.n == 2


@pytest.mark.parametrize("cell", [None, "secret-cell", 3, object])
def test_errors_name_the_column_and_no_value(cell: Any) -> None:
    with pytest.raises(Exception, match="column 'city'") as refused, pipeline() as run:
        _ = run | beam.Create(["Oslo", cell]) | engine.Privatize(CITY, "city")
    assert "secret-cell" not in str(refused.value)


def test_what_is_no_report_is_refused() -> None:
    combine = engine.CountReports(DEPLOYMENTS[0])
    drawn = simulated(DEPLOYMENTS[0], 10, 1)
    with pytest.raises(ReportError, match="simulated"):
        combine.add_input(combine.create_accumulator(), drawn)
    other = engine.CountReports(Deployment(GRR(1.0, 99)), simulated=True)
    with pytest.raises(ReportError, match="foreign"):
        other.add_input(other.create_accumulator(), drawn)
    assert combine.merge_accumulators([]).n == 0
    assert in_tree(combine.counting, []).n == 0
