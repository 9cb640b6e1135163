"""Reports in Arrow tables and Parquet files: what went in, or an error."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import Reports, State
from ldp_verified.run.aggregate import arrow as module
from ldp_verified.run.aggregate.arrow import read_reports, write_reports
from tests.aggregate.oracles import oracle

if TYPE_CHECKING:
    from collections.abc import Callable

ORACLE = oracle()
SHAPES = st.sampled_from(
    [((), "u1"), ((), "u2"), ((), "u4"), ((11,), "u1"), ((3,), "u2"), ((2,), "u8")]
)


@st.composite
def batches(draw: st.DrawFn) -> Reports:
    shape, dtype = draw(SHAPES)
    count = draw(st.integers(0, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = (count, *shape)
    data = rng.integers(0, np.iinfo(dtype).max, size, dtype=np.dtype(dtype), endpoint=True)
    return Reports(data, ORACLE.identity, draw(st.booleans()))


def reports(values: Any, simulated: bool = False) -> Reports:
    return Reports(np.array(values, dtype=np.uint8), ORACLE.identity, simulated)


@given(batches())
def test_a_table_gives_the_reports_back(batch: Reports) -> None:
    table = batch.to_arrow()
    assert len(table) == len(batch)
    again = Reports.from_arrow(table)
    assert again == batch
    assert again.data.shape == batch.data.shape
    for piece in table.to_batches():
        assert Reports.from_arrow(piece) == batch


@given(batches(), st.integers(0, 50), st.integers(0, 50))
def test_slices_and_chunks(batch: Reports, start: int, count: int) -> None:
    table = batch.to_arrow()
    part = Reports.from_arrow(table.slice(start, count))
    np.testing.assert_array_equal(part.data, batch.data[start : start + count])
    both = pa.concat_tables([table.slice(start), table.slice(0, start)])
    np.testing.assert_array_equal(
        Reports.from_arrow(both).data, np.concatenate([batch.data[start:], batch.data[:start]])
    )


@given(batches())
def test_a_table_survives_the_interchange_format(batch: Reports) -> None:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batch.to_arrow().schema) as writer:
        writer.write_table(batch.to_arrow())
    with pa.ipc.open_stream(sink.getvalue()) as reader:
        assert Reports.from_arrow(reader.read_all()) == batch


def test_memory_is_shared() -> None:
    for data in (np.arange(1000, dtype=np.uint32), np.ones((1000, 5), dtype=np.uint8)):
        table = Reports(data, ORACLE.identity).to_arrow()
        assert np.shares_memory(Reports.from_arrow(table).data, data)


def test_the_schema_says_what_the_reports_are() -> None:
    schema = reports([0, 1], simulated=True).to_arrow().schema
    record = json.loads((schema.metadata or {})[b"ldp_verified"])
    assert record == {
        "columns": 0,
        "dtype": "|u1",
        "mechanism": "Drawn",
        "parameters": {"k": 3},
        "simulated": True,
        "law_hash": "",
        "thresholds": [750, 125],
        "version": 2,
    }
    assert schema.names == ["report"]
    assert schema.field(0).type == pa.uint8()


@pytest.mark.parametrize(
    "data", [np.zeros(3), np.zeros(3, dtype=np.int8), np.zeros((2, 2, 2), dtype=np.uint8)]
)
def test_reports_of_no_layout_are_refused(data: Any) -> None:
    with pytest.raises(ReportError, match="data: must be unsigned integers"):
        Reports(data, ORACLE.identity).to_arrow()


def with_metadata(change: dict[str, Any]) -> pa.Table:
    table = reports([0, 1]).to_arrow()
    record = json.loads((table.schema.metadata or {})[b"ldp_verified"]) | change
    return table.replace_schema_metadata({b"ldp_verified": json.dumps(record).encode()})


def test_reports_of_version_0_1_0_are_refused_by_name() -> None:
    table = with_metadata({"version": 1, "spec_hash": ""})
    with pytest.raises(ReportError, match=r"format version 1, which software version 0\.1\.0"):
        Reports.from_arrow(table)


TABLE = reports([0, 1]).to_arrow()
METADATA = TABLE.schema.metadata


@pytest.mark.parametrize(
    "table",
    [
        TABLE.replace_schema_metadata(None),
        TABLE.replace_schema_metadata({b"ldp_verified": b"{"}),
        TABLE.replace_schema_metadata({b"ldp_verified": b"\xff"}),
        TABLE.replace_schema_metadata({b"ldp_verified": b"[]"}),
        with_metadata({"version": 3}),
        with_metadata({"dtype": "<i8"}),
        with_metadata({"dtype": "<u2"}),
        with_metadata({"columns": 1}),
        with_metadata({"columns": -1}),
        with_metadata({"columns": True}),
        with_metadata({"simulated": 1}),
        with_metadata({"mechanism": 1}),
        with_metadata({"parameters": None}),
        with_metadata({"thresholds": [1.5]}),
        TABLE.rename_columns(["answers"]),
        TABLE.append_column("more", pa.array([1, 2])),
        pa.table({"report": [1, 2]}, metadata=METADATA),
        pa.table({"report": pa.array([1, None], pa.uint8())}, metadata=METADATA),
        "no table",
        None,
    ],
)
def test_other_tables_are_refused(table: Any) -> None:
    with pytest.raises(ReportError):
        Reports.from_arrow(table)


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 4)


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("lengths", [[0], [3], [4, 4], [9, 0, 1]])
@pytest.mark.parametrize("columns", [(), (5,)])
def test_a_file_gives_the_reports_back(
    lengths: list[int], columns: tuple[int, ...], tmp_path: Path, rng: np.random.Generator
) -> None:
    parts = [
        Reports(rng.integers(0, 200, (n, *columns), np.uint8), ORACLE.identity) for n in lengths
    ]
    path = tmp_path / "answers.parquet"
    taken = []

    def stream() -> Any:
        for part in parts:
            taken.append(len(part))
            yield part

    assert write_reports(path, stream()) == sum(lengths)
    assert taken == lengths
    read = list(read_reports(path))
    assert all(len(part) <= 4 and part.identity == ORACLE.identity for part in read)
    found = np.concatenate([parts[0].data[:0], *(part.data for part in read)])
    np.testing.assert_array_equal(found, np.concatenate([part.data for part in parts]))
    assert list(tmp_path.iterdir()) == [path]


def test_a_batch_alone_is_a_file(tmp_path: Path) -> None:
    batch = reports([0, 1, 2, 2], simulated=True)
    write_reports(tmp_path / "a", batch)
    assert list(read_reports(str(tmp_path / "a"))) == [batch]


FOREIGN = replace(ORACLE.identity, law_hash="0" * 64)


@pytest.mark.parametrize(
    "second",
    [
        Reports(np.zeros(2, dtype=np.uint8), FOREIGN),
        Reports(np.zeros(2, dtype=np.uint16), ORACLE.identity),
        Reports(np.zeros((2, 1), dtype=np.uint8), ORACLE.identity),
        reports([0], simulated=True),
    ],
)
def test_batches_that_differ_leave_the_old_file(second: Reports, tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_reports(path, reports([1]))
    with pytest.raises(ReportError, match="batches: must agree"):
        write_reports(path, [reports([2]), second])
    assert list(read_reports(path)) == [reports([1])]
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="batches: must be at least one"):
        write_reports(tmp_path / "a", [])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        read_reports(tmp_path / "a")


def test_reports_of_others_are_refused_when_they_are_counted(tmp_path: Path) -> None:
    write_reports(tmp_path / "a", Reports(np.zeros(9, dtype=np.uint8), FOREIGN))
    state = State(ORACLE).update(reports([1, 2]))
    with pytest.raises(ReportError, match="are foreign: law"):
        state.update(next(read_reports(tmp_path / "a")))
    assert state == State(ORACLE).update(reports([1, 2]))


def whole_file(path: Path) -> bytes:
    write_reports(path, [reports([i % 3, 2, 1, 0, 0, 1, 2]) for i in range(2)])
    return path.read_bytes()


EXPECTED = np.concatenate([[i % 3, 2, 1, 0, 0, 1, 2] for i in range(2)])


def read_or_refused(path: Path) -> None:
    """Reports that were given out before the error are right, and without an error all are."""
    found: list[int] = []
    try:
        for batch in read_reports(path):
            assert batch.identity == ORACLE.identity
            assert not batch.simulated
            found += batch.data.tolist()
    except ReportError:
        assert found == EXPECTED[: len(found)].tolist()
    else:
        assert found == EXPECTED.tolist()


@pytest.mark.usefixtures("small_groups")
def test_no_changed_byte_changes_what_is_read(tmp_path: Path) -> None:
    """Every byte of a file in turn: refused, or of no meaning (a version string, a statistic)."""
    path = tmp_path / "a"
    whole = whole_file(path)
    for place in range(len(whole)):  # about 2000
        changed = bytearray(whole)
        changed[place] ^= 1 << (place % 8)
        path.write_bytes(changed)
        read_or_refused(path)


@pytest.mark.usefixtures("small_groups")
def test_no_changed_report_is_read(tmp_path: Path) -> None:
    """The last byte of each row group is one of the last report's."""
    path = tmp_path / "a"
    write_reports(path, Reports(np.ones((10, 5), dtype=np.uint8), ORACLE.identity))
    whole = path.read_bytes()
    for group in range(3):
        chunk = pq.read_metadata(path).row_group(group).column(0)
        changed = bytearray(whole)
        changed[chunk.data_page_offset + chunk.total_compressed_size - 1] ^= 1
        path.write_bytes(changed)
        found = read_reports(path)
        for _ in range(group):
            assert (next(found).data == 1).all()
        with pytest.raises(ReportError, match=f"file: is damaged.* got {group}"):
            next(found)
        path.write_bytes(whole)


@given(cut=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_short_is_refused(cut: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("cut") / "a"
    whole = whole_file(path)
    path.write_bytes(whole[: int(cut * len(whole))])
    with pytest.raises(ReportError, match="damaged or no Parquet file"):
        read_reports(path)


def rewritten(path: Path, change: Callable[[list[pa.Table]], list[pa.Table]]) -> None:
    """The file as another program might write it: its own metadata, but other row groups."""
    file = pq.ParquetFile(path)
    groups = [file.read_row_group(i) for i in range(file.num_row_groups)]
    metadata = file.metadata.metadata or {}
    schema = file.schema_arrow
    with pq.ParquetWriter(path, schema, compression="none") as writer:
        for table in change(groups):
            writer.write_table(table)
        key = module.GROUPS_KEY
        writer.add_key_value_metadata({key: metadata[key.encode()].decode()})


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize(
    "change",
    [
        lambda groups: groups[::-1],
        lambda groups: groups[:-1],
        lambda groups: [*groups, groups[0]],
        lambda groups: [groups[0], groups[0], *groups[1:]][:-1],
        lambda groups: [groups[0].slice(1), *groups[1:]],
    ],
)
def test_row_groups_cannot_be_moved(
    change: Callable[[list[pa.Table]], list[pa.Table]], tmp_path: Path
) -> None:
    path = tmp_path / "a"
    whole_file(path)
    rewritten(path, lambda groups: groups)
    read_or_refused(path)
    assert np.concatenate([part.data for part in read_reports(path)]).tolist() == EXPECTED.tolist()
    whole_file(path)
    rewritten(path, change)
    with pytest.raises(ReportError, match="is damaged"):
        list(read_reports(path))


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("report\n1\n")
    pq.write_table(pa.table({"report": [1, 2]}), tmp_path / "plain")
    pq.write_table(reports([1, 2]).to_arrow(), tmp_path / "unsigned")
    for path in list(tmp_path.iterdir()):
        with pytest.raises(ReportError, match="file: is damaged"):
            read_reports(path)
