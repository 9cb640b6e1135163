"""Reports on file: formats, unequal numbers of rows, and which rows are used for what."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.files import FEWEST, SHORT, Recorded
from ldp_verified.errors import ParameterError
from tests.broken.audit.randomizers import grr

LEVEL = 1e-9


def rows(rng: np.random.Generator, sizes: list[int], epsilon: float) -> list[tuple[int, int]]:
    """Not in random order: all rows of one input, then of the next."""
    k = len(sizes)
    return [(x, grr(x, k, epsilon, rng)) for x, size in enumerate(sizes) for _ in range(size)]


def write(path: Path, found: list[tuple[int, int]]) -> Path:
    inputs, outputs = zip(*found, strict=True)
    table = pa.table({"input": pa.array(inputs), "output": pa.array(outputs)})
    if ".csv" in path.name:
        text = io.StringIO()
        csv.writer(text).writerows([("input", "output"), *found])
        body = text.getvalue().encode()
        path.write_bytes(gzip.compress(body) if path.suffix == ".gz" else body)
    elif path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=500)
    else:
        with ipc.new_file(str(path), table.schema) as file:
            file.write_table(table, max_chunksize=500)
    return path


@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.parquet", "r.arrow"])
def test_a_violation_is_found_in_every_format(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    """eps = 2 under a claim of 0.5; level 1e-9."""
    path = write(tmp_path / name, rows(rng, [3000, 2500, 2000], 2.0))
    found = audit(Recorded(path, "input", "output"), Claim(0.5, level=LEVEL), seed=1)
    assert found.verdict is AuditVerdict.VIOLATED
    assert len(found.inputs) == 3


def test_a_true_claim_is_not_violated(tmp_path: Path, rng: np.random.Generator) -> None:
    path = write(tmp_path / "r.csv", rows(rng, [3000, 900, 2000], 1.0))
    found = audit(Recorded(path, "input", "output"), Claim(1.0, level=LEVEL), seed=1)
    assert found.verdict is not AuditVerdict.VIOLATED


def test_a_named_mechanism_uses_rows_of_both_parts(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = write(tmp_path / "r.parquet", rows(rng, [2000, 2000], 1.0))
    claim = Claim(0.2, level=LEVEL)
    found = audit(Recorded(path, "input", "output"), claim, mechanism="grr", seed=1)
    assert found.samples[0] == 0
    assert 3000 < found.samples[1] <= 4000
    assert found.verdict is AuditVerdict.VIOLATED


def test_learning_and_testing_never_share_a_row(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("input,output\n" + "".join(f"{i % 2},{i}\n" for i in range(2000)))
    source = Recorded(path, "input", "output")
    first, second, risk = source.sizes(10**6, 0.5)
    assert risk == 2 * SHORT
    parts = []
    for part, size in enumerate((first, second)):
        batches = [*source.batches(size, np.random.default_rng(part), part)]
        parts.append({y for batch in batches for y in batch.outputs})
        assert sum(len(batch) for batch in batches) == size
    assert not parts[0] & parts[1]
    # Two draws in three or more are covered: the rest is kept back for an uneven draw.
    assert min(first, second) > 700


def test_how_many_draws_the_rows_cover(tmp_path: Path) -> None:
    """N uniform draws ask for more rows than there are with probability at most SHORT."""
    from scipy.stats import binom

    path = tmp_path / "r.csv"
    path.write_text("input,output\n" + "0,1\n" * 400 + "1,1\n" * 300)
    _, n, _ = Recorded(path, "input", "output").sizes(10**6, 0.5)
    assert binom.sf(200, n, 0.5) + binom.sf(150, n, 0.5) <= SHORT
    assert binom.sf(200, n + 2, 0.5) + binom.sf(150, n + 2, 0.5) > SHORT


@pytest.mark.parametrize(
    "name,chosen,known",
    [
        ("r.csv", (0, 1), True),
        ("r.csv.gz", ("0", "1"), True),
        ("r.csv", (0.0, 1.0), False),
        ("r.parquet", (0, 1), True),
        ("r.parquet", ("0", "1"), False),
    ],
)
def test_inputs_are_found_where_a_file_writes_numbers_as_text(
    name: str, chosen: tuple[Any, ...], known: bool, tmp_path: Path, rng: np.random.Generator
) -> None:
    """Never the other way round, nor in another spelling."""
    path = write(tmp_path / name, rows(rng, [500, 400, 300], 1.0))
    source = Recorded(path, "input", "output", chosen=chosen)
    if known:
        assert [*source.counts.values()] == [500, 400]
    else:
        with pytest.raises(ParameterError, match="must occur in column input"):
            _ = source.counts


@pytest.mark.parametrize(
    "text,options,said",
    [
        ("a,b\n1,2\n", {}, "column"),
        ("input,output\n0,1\nsecret\n", {}, "must have 2 cells in line 3, got '1 cells'"),
        ("input,output\n0,1\n\n1,1\n", {}, "blank line"),
        ("input,output\n" + '0,1\n0,"1\n' + "0,1\n" * 50, {}, "must be readable"),
        ("input,output\n" + '0,1\n0,"1\n0,1"\n' + "0,1\n" * 50, {}, "line break"),
        ("input,output,output\n" + "0,1,2\n1,1,1\n" * 50, {}, "must name one column"),
        ("input,output\n" + "0,1\n" * FEWEST + "1,1\n", {}, "at least"),
        ("input,output\n" + "0,1\n" * FEWEST, {}, "two"),
        ("input,output\n" + "0,1\n" * 50, {"chosen": ["0", "7"]}, "occur"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, options: dict[str, Any], said: str
) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(ParameterError, match=said):
        audit(Recorded(path, "input", "output", **options), Claim(1.0))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_a_row_in_place_of_a_header_is_not_shown(tmp_path: Path, suffix: str) -> None:
    """The first line of a file without a header is somebody's."""
    path = tmp_path / f"r.{suffix}"
    table = pa.table({"17": ["18"], "hiv_positive": ["hiv_negative"]})
    if suffix == "csv":
        path.write_text("17,hiv_positive\n18,hiv_negative\n")
    elif suffix == "parquet":
        parquet.write_table(table, path)
    else:
        with ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    for column, output in (("input", "output"), ("17", "hiv")):
        with pytest.raises(ParameterError, match=r"no column .* among its 2") as caught:
            audit(Recorded(path, column, output), Claim(1.0))
        assert "hiv_" not in str(caught.value)
        assert ("header line" in str(caught.value)) == (suffix == "csv")


def test_a_mark_at_the_start_and_blank_lines_at_the_end_are_read_over(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(b"\xef\xbb\xbfinput,output\n" + b"0,1\n1,1\n" * 50 + b"\n\n")
    assert Recorded(path, "input", "output").counts == {"0": 50, "1": 50}


BODY = b"input,output\n" + b"0,1\n1,1\n" * 500


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("r.csv.gz", gzip.compress(BODY)[:30]),
        ("r.csv.gz", BODY),
        ("r.csv.gz", gzip.compress(BODY)[:-12] + b"\xff" * 12),
        ("r.csv", BODY + b"0,\xe9\n"),
    ],
    ids=["cut off", "not packed", "wrong checksum", "no UTF-8"],  # packed bytes hold the time
)
def test_a_damaged_file_is_refused_without_its_contents(
    name: str, body: bytes, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(body)
    with pytest.raises(ParameterError, match="must be readable") as caught:
        _ = Recorded(path, "input", "output").counts
    assert "0,1" not in str(caught.value)


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(BODY + b"0," + b"a" * 200_000 + b"\n")
    assert sum(Recorded(path, "input", "output").counts.values()) == 1001


def test_flipped_bits_of_parquet_lose_no_row(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    parquet.write_table(pa.table({"input": [1, 2] * 50, "output": [1, 2] * 50}), path)
    whole = path.read_bytes()
    refused = 0
    for place in range(8 * 30, 8 * 60):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            found = sum(len(inputs) for inputs, _ in Recorded(path, "input", "output").chunks())
        except ParameterError:
            refused += 1
        else:
            assert found == 100, place
    assert refused > 10


@pytest.mark.parametrize("name", ["r.parquet", "r.arrow"])
def test_a_damaged_page_is_refused(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, [(i % 2, i) for i in range(20_000)])
    body = bytearray(path.read_bytes())
    middle = range(200, len(body) // 2)
    for at in middle:
        body[at] ^= 0xA5
    path.write_bytes(body)
    with pytest.raises(ParameterError):
        audit(Recorded(path, "input", "output"), Claim(1.0))


@pytest.mark.parametrize("cell", [[1], {"a": 1}])
def test_inputs_that_hold_others_are_refused(cell: Any, tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    parquet.write_table(pa.table({"input": [cell] * 50, "output": [1] * 50}), path)
    with pytest.raises(ParameterError, match="--input"):
        _ = Recorded(path, "input", "output").counts


def test_the_order_of_a_file_is_no_time(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("input,output\n" + "0,1\n1,1\n" * 500)
    with pytest.raises(ParameterError, match="fixed"):
        audit(Recorded(path, "input", "output"), Claim(1.0, mode="anytime"))


@pytest.mark.parametrize("name", ["r.txt", "r.parquet", "r.arrow", "none.csv"])
def test_what_is_no_table_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name != "none.csv":
        path.write_text("no table")
    with pytest.raises(ParameterError):
        audit(Recorded(path, "input", "output"), Claim(1.0))
