"""`collect` is privatize and aggregate, row by row in the order of the file, whatever the format.

That what privatize and aggregate give is right in distribution is the business of conformance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_verified.deploy.collect import run, table
from ldp_verified.deploy.collect.choose import makers
from ldp_verified.deploy.collect.domain import ColumnDomain
from ldp_verified.deploy.collect.run import chunk_rows, chunks, collect
from ldp_verified.deploy.collect.table import InputColumn, TableError, open_column
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.seeds import word_source
from tests.collect.files import FORMATS, csv_file, parquet_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

VALUES = ("yes", "no", "unsure", "sí")
DOMAIN = ColumnDomain(VALUES, "list")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(makers())),
    codes=st.lists(st.integers(0, 3), min_size=1, max_size=50),
    seed=st.integers(0, 2**32),
    epsilon=st.floats(0.1, 5),
)
def test_collect_is_privatize_and_aggregate(
    tmp_path: Path, name: str, codes: list[int], seed: int, epsilon: float
) -> None:
    column = open_column(csv_file(tmp_path, [VALUES[code] for code in codes]), "answer")
    result = collect(column, DOMAIN, epsilon=epsilon, mechanism=name, seed=seed)
    mechanism = makers()[name](epsilon, 4)
    source = word_source(seed, "collect", "answer", *mechanism.identity.named)
    expected = mechanism.aggregate(mechanism.privatize(codes, source), simulated=True).estimate()
    np.testing.assert_array_equal(result.estimate.support_counts, expected.support_counts)
    np.testing.assert_array_equal(result.estimate.counts, expected.counts)
    for got, ends in zip(result.interval, expected.interval(0.95), strict=True):
        np.testing.assert_array_equal(got, ends)
    assert result.estimate.simulated
    assert result.truth is None


@pytest.mark.parametrize("write", FORMATS)
def test_the_format_and_the_blocks_of_the_file_do_not_matter(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    write: Callable[[Path, Sequence[str]], Path],
) -> None:
    codes = np.random.default_rng(seed).integers(0, 4, 997)
    cells = [VALUES[code] for code in codes]
    monkeypatch.setattr(run, "MOST_ROWS", 100)
    monkeypatch.setattr(table, "BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(table, "BATCH_ROWS", 37)
    column = open_column(write(tmp_path, cells), "answer")
    result = collect(column, DOMAIN, epsilon=1.0, mechanism="oue", seed=seed, compare=True)
    mechanism = makers()["oue"](1.0, 4)
    parts = [codes[start : start + 100] for start in range(0, 997, 100)]
    source = word_source(seed, "collect", "answer", *mechanism.identity.named)
    expected = mechanism.aggregate(
        mechanism.privatize_stream(parts, source), simulated=True
    ).estimate()
    np.testing.assert_array_equal(result.estimate.counts, expected.counts)
    assert result.truth is not None
    np.testing.assert_array_equal(result.truth.counts, np.bincount(codes, minlength=4))


def test_columns_of_one_file_are_independent_with_one_seed(tmp_path: Path) -> None:
    """Two columns that hold the same: equal noise would give equal estimates.

    Null: independent noise of 20,000 rows, four support counts with standard deviations above 50
    each; all four are equal by chance with probability < 1e-8.
    """
    rows = "".join("yes,yes\n" for _ in range(20_000))
    path = tmp_path / "two.csv"
    path.write_text("a,b\n" + rows, encoding="utf-8")
    one, other, again = (
        collect(open_column(path, name), DOMAIN, epsilon=1.0, mechanism="grr", seed=7).estimate
        for name in ("a", "b", "a")
    )
    np.testing.assert_array_equal(one.counts, again.counts)
    assert (one.counts != other.counts).any()


def test_rows_outside_the_domain_are_reported_as_other(tmp_path: Path) -> None:
    cells = ["yes", "", "maybe", "no"]
    column = open_column(csv_file(tmp_path, cells), "answer")
    result = collect(column, DOMAIN.with_other(), epsilon=1.0, mechanism="grr", seed=1)
    mechanism = makers()["grr"](1.0, 5)
    source = word_source(1, "collect", "answer", *mechanism.identity.named)
    expected = mechanism.aggregate(
        mechanism.privatize([0, 4, 4, 1], source), simulated=True
    ).estimate()
    np.testing.assert_array_equal(result.estimate.counts, expected.counts)


def test_without_a_seed_the_reports_are_not_simulated(tmp_path: Path) -> None:
    column = open_column(parquet_file(tmp_path, ["yes", "no"]), "answer")
    result = collect(column, DOMAIN, epsilon=1.0)
    assert not result.estimate.simulated
    assert result.seed is None


def test_order_and_what_is_shown(tmp_path: Path) -> None:
    column = open_column(csv_file(tmp_path, ["yes"] * 900 + ["no"] * 90), "answer")
    result = collect(column, DOMAIN.with_other(), epsilon=30.0, mechanism="grr", seed=1)
    assert result.order.tolist()[:2] == [0, 1]
    assert result.shown(2).tolist() == [0, 1, 4]
    assert result.shown(9).tolist() == result.order.tolist()
    plain = collect(column, DOMAIN, epsilon=30.0, mechanism="grr", seed=1)
    assert plain.shown(2).tolist() == [0, 1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epsilon": 0.0}, "epsilon: must be a number > 0"),
        ({"epsilon": float("nan")}, "epsilon: must be a number > 0"),
        ({"epsilon": 1.0, "level": 1.0}, "--level: must be a number between 0 and 1"),
        ({"epsilon": 1.0, "level": float("nan")}, "--level: must be a number between 0 and 1"),
        ({"epsilon": 1.0, "seed": -1}, "--seed: must be an integer >= 0"),
        ({"epsilon": 1.0, "mechanism": "rappor"}, "--mechanism: must be auto or one of blh, grr"),
        ({"epsilon": -1.0, "mechanism": "grr"}, "epsilon: must be a number > 0"),
    ],
)
def test_bad_parameters_are_refused_before_the_column_is_read(
    tmp_path: Path, arguments: dict[str, float], message: str
) -> None:
    def unread() -> None:
        raise AssertionError("the column was read")

    column = InputColumn(tmp_path / "private.csv", "answer", unread)  # type: ignore[arg-type]  # it yields nothing: it must not be called
    with pytest.raises(ParameterError, match=message):
        collect(column, DOMAIN, **arguments)  # type: ignore[arg-type]  # of several types


def test_a_stranger_stops_the_run_before_anything_is_randomized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("the second pass began")

    monkeypatch.setattr(run, "chunks", never)
    column = open_column(csv_file(tmp_path, ["yes"] * 50 + ["maybe"]), "answer")
    with pytest.raises(DomainError, match="Nothing was randomized"):
        collect(column, DOMAIN, epsilon=1.0)


@pytest.mark.parametrize("later", [["yes"], ["yes"] * 3, ["yes", "maybe"]])
def test_a_file_that_changes_between_the_passes_is_refused(
    tmp_path: Path, later: list[str]
) -> None:
    column = open_column(csv_file(tmp_path, later), "answer")
    with pytest.raises(TableError, match="changed while it was read"):
        list(chunks(column, DOMAIN, 2, 10))


def test_chunks_bound_the_memory_of_reports() -> None:
    assert chunk_rows(1) == 1 << 16
    assert chunk_rows(1 << 30) == 1
    for bits in (64, 1459, 1 << 20):
        assert chunk_rows(bits) * bits <= 1 << 27
