"""Files made to be decoded into far more than they hold: refused before any row is decoded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import Reports
from ldp_verified.run.aggregate import arrow as module
from ldp_verified.run.aggregate.arrow import read_reports, to_arrow
from tests.aggregate.oracles import oracle

ORACLE = oracle()
NARROW = Reports(np.zeros(1000, dtype=np.uint8), ORACLE.identity)
WIDE = Reports(np.zeros((1000, 4096), dtype=np.uint8), ORACLE.identity)


def written(path: Path, reports: Reports, rows: int, **how: Any) -> None:
    """One row group of many equal rows, signed as if `write_reports` had written it."""
    table = to_arrow(reports)
    times = rows // len(reports)
    data = np.concatenate([reports.data] * times)
    digest = module._digest(table.schema, 0, data)
    with pq.ParquetWriter(path, table.schema, write_statistics=False, **how) as writer:
        writer.write_table(pa.concat_tables([table] * times), row_group_size=rows)
        groups = [(rows, digest)]
        writer.add_key_value_metadata({module.GROUPS_KEY: module._signed(groups, table.schema)})


@pytest.mark.parametrize(
    ("reports", "rows", "how", "rule"),
    [
        (NARROW, 1_049_000, {"compression": "none"}, "other rows than it says"),
        (NARROW, 10_000, {"compression": "zstd"}, "neither packed nor encoded otherwise"),
        (NARROW, 10_000, {"compression": "snappy"}, "neither packed nor encoded otherwise"),
        (WIDE, 10_000, {"compression": "gzip", "use_dictionary": False}, "neither packed"),
        (WIDE, 10_000, {"compression": "none"}, "more rows than bytes"),
        (
            NARROW,
            10_000,
            {
                "compression": "none",
                "use_dictionary": False,
                "column_encoding": {"report": "BYTE_STREAM_SPLIT"},
            },
            "neither packed nor encoded otherwise",
        ),
    ],
)
def test_a_small_file_of_many_rows_is_refused(
    reports: Reports, rows: int, how: dict[str, Any], rule: str, tmp_path: Path
) -> None:
    written(tmp_path / "a", reports, rows, **how)
    before = pa.total_allocated_bytes()
    with pytest.raises(ReportError, match=rule):
        read_reports(tmp_path / "a")
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_the_same_file_as_it_should_be_is_read(tmp_path: Path) -> None:
    written(tmp_path / "a", NARROW, 10_000, compression="none")
    assert sum(map(len, read_reports(tmp_path / "a"))) == 10_000
    written(tmp_path / "b", WIDE, 1000, compression="none", use_dictionary=False)
    assert list(read_reports(tmp_path / "b")) == [WIDE]


def test_a_footer_that_says_too_much_is_refused(tmp_path: Path) -> None:
    """The last bytes are the footer's length: longer than the file, zero, or another one."""
    path = tmp_path / "a"
    written(path, NARROW, 1000, compression="none")
    whole = path.read_bytes()
    for length in (0, 1, len(whole), 2**32 - 1):
        path.write_bytes(whole[:-8] + length.to_bytes(4, "little") + b"PAR1")
        with pytest.raises(ReportError, match="damaged or no Parquet file"):
            read_reports(path)


def test_masked_arrays_and_foreign_batches_are_no_reports(tmp_path: Path) -> None:
    masked = np.ma.array(np.zeros(3, dtype=np.uint8), mask=[False, True, False])
    with pytest.raises(ReportError, match="masked"):
        Reports(masked, ORACLE.identity)
    for wrong in (None, 3, "abc", [None], masked):
        with pytest.raises(ReportError):
            module.write_reports(tmp_path / "a", wrong)  # type: ignore[arg-type]  # the point
    assert list(tmp_path.iterdir()) == []


def test_reports_are_an_array_for_numpy() -> None:
    reports = replace(NARROW, data=np.array([3, 1, 2], dtype=np.uint8))
    assert np.asarray(reports).tolist() == [3, 1, 2]
    assert np.array(reports, dtype=np.int64).tolist() == [3, 1, 2]
    assert len(reports) == 3
    assert np.sort(reports.data).tolist() == [1, 2, 3]
