"""Places of a file are counted as places in Python are; what fits no region stops the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ldp_verified.deploy.collect import places as reading
from ldp_verified.deploy.collect.places import (
    PlaceCollection,
    collect_places,
    read_places,
)
from ldp_verified.deploy.collect.table import TableError
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import RegionClusters, SafeRegions, SafeRegionState, Taxonomy
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REGIONS = {
    "world": ["Europe", "Japan", "Alone"],
    "Europe": ["France", "Bonn"],
    "France": ["Paris", "Lyon", "Nice"],
    "Japan": ["Tokyo", "Kyoto"],
    "Alone": ["Apia"],
}
TREE = Taxonomy(REGIONS)
ROWS = [
    ("Paris", "France", "1"),
    ("Lyon", "Europe", "0.5"),
    ("Tokyo", "Japan", "1"),
    ("Apia", "world", "2"),
] * 50


def file_of(folder: Path, rows: Sequence[tuple[str, ...]]) -> Path:
    path = folder / "people.csv"
    path.write_text("city,home,price\n" + "".join(",".join(row) + "\n" for row in rows))
    return path


def run(path: Path, **options: Any) -> PlaceCollection:
    given: dict[str, Any] = {"region_column": "home", "epsilon": 1.0} | options
    return collect_places(path, "city", TREE, **given)


def test_rows_report_as_users_in_python_do(tmp_path: Path, seed: int) -> None:
    result = run(file_of(tmp_path, ROWS), epsilon=None, epsilon_column="price", seed=seed)
    protocol = SafeRegions(REGIONS, (0.5, 1.0, 2.0))
    assert result.protocol == protocol
    source = word_source(seed, "collect", "city", *protocol.identity.named)
    places, homes, prices = zip(*ROWS, strict=True)
    reports = protocol.privatize(places, source, region=homes, epsilon=list(map(float, prices)))
    state = SafeRegionState(protocol, simulated=True).update(reports)
    assert list(result.estimate) == list(state.estimate())
    np.testing.assert_array_equal(result.bounds, state.largest_errors(1 - 0.95))
    assert result.named == {"world": 50, "Europe": 50, "France": 50, "Japan": 50}
    assert (result.clusters, result.fitted, result.truth) == (None, None, None)


def test_psda_counts_by_clusters_and_fits_what_is_public(tmp_path: Path) -> None:
    path = file_of(tmp_path, ROWS)
    chosen = run(path, mechanism="PSDA", seed=1)
    assert chosen.clusters is not None
    assert chosen.fitted is not None
    assert chosen.fitted.sum() == pytest.approx(len(ROWS))
    assert chosen.fitted.min() >= 0
    one = RegionClusters(TREE, (("world", ("world", "Europe", "France", "Japan")),))
    given = run(path, mechanism="psda", clusters=one, seed=1)
    assert given.clusters == one
    assert given.estimate["Tokyo"].std_error > run(path, seed=1).estimate["Tokyo"].std_error


def test_without_a_column_of_regions_all_name_the_whole(tmp_path: Path) -> None:
    result = run(file_of(tmp_path, ROWS), region_column=None, compare=True, seed=1)
    assert result.named == {"world": len(ROWS)}
    assert result.truth is not None
    true = dict(zip(TREE.places, result.truth.tolist(), strict=True))
    assert true == dict.fromkeys(TREE.places, 0) | {
        "Paris": 50,
        "Lyon": 50,
        "Tokyo": 50,
        "Apia": 50,
    }


def test_parquet_is_read_too_and_its_rows_are_named(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    table: dict[str, Any] = {
        "city": ["Paris", "Tokyo"],
        "home": ["France", "France"],
        "price": [1.0, 2.0],
    }
    pq.write_table(pa.table(table), path)
    found = read_places(path, "city", TREE, epsilon_column="price")
    assert (found.places, found.regions) == (["Paris", "Tokyo"], ["world", "world"])
    assert (found.epsilons, found.levels) == ([1.0, 2.0], (1.0, 2.0))
    with pytest.raises(DomainError, match=r"people.parquet, row 2: must be a place in the user's"):
        run(path)


@pytest.mark.parametrize(
    "text, line, rule",
    [
        ("Paris,France,1\nTokyo,France,1\n", 3, "must be a place in the user's own region, 'Fra"),
        ("Paris,France,1\n\nTokyo,France,1\n", 4, "must be a place in the user's own region"),
        ("Paris,France,1\nSECRET,France,1\n", 3, "must be a place of the taxonomy"),
        ("Paris,France,1\n,France,1\n", 3, "must be a place of the taxonomy"),
        ('Paris,France,1\n"SEC\nRET",France,1\nTokyo,Japan,1\n', 3, "must be a place of the tax"),
        ("Paris,France,1\nTokyo,Mars,1\n", 3, "must name a region of the taxonomy"),
        ("Paris,France,1\nTokyo,,1\n", 3, "must name a region of the taxonomy"),
        ("Paris,France,1\nApia,Alone,1\n", 3, "must name two places or more"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int, rule: str
) -> None:
    monkeypatch.setattr(reading, "word_source", None)  # drawing would fail
    path = tmp_path / "people.csv"
    path.write_text("city,home,price\n" + text)
    with pytest.raises((DomainError, ParameterError)) as caught:
        run(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: {rule}")
    assert message.endswith("Nothing was randomized")
    for private in ("SEC", "Tokyo", "Apia"):
        assert private not in message


def test_a_blank_line_of_one_column_is_a_user_without_a_place(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("\ncity\n\nParis\nMars\n")
    with pytest.raises(DomainError, match=r"people.csv, line 3: must be a place of the taxonomy"):
        run(path, region_column=None)
    path.write_text("\ncity\nParis\n\nMars\n")
    with pytest.raises(DomainError, match=r"people.csv, line 4: must be a place of the taxonomy"):
        run(path, region_column=None)


def test_a_row_whose_line_cannot_be_told_has_its_number(tmp_path: Path) -> None:
    """Arrow reads such ends of lines, and the reader of lines does not."""
    path = tmp_path / "people.csv"
    path.write_bytes(b"city,home\rParis,France\rMars,France\r")
    with pytest.raises(DomainError, match=r"people.csv, row 2: must be a place of the taxonomy"):
        run(path, region_column=None)


def test_a_quote_that_is_not_closed_hides_no_user(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('city,home,note\nParis,France,"ok\n' + "Mars,France,ok\n" * 400)
    with pytest.raises(TableError, match=r"people.csv, line 2: must be CSV: a quote is not closed"):
        run(path)


@pytest.mark.parametrize("price", ["0", "-1", "nan", "inf", "", "much"])
def test_an_epsilon_that_is_none_is_named_by_its_line(tmp_path: Path, price: str) -> None:
    path = file_of(tmp_path, [("Paris", "France", "1"), ("Lyon", "France", price)])
    with pytest.raises(ParameterError, match=r"line 3: must have an epsilon above 0 and finite"):
        run(path, epsilon=None, epsilon_column="price")


@pytest.mark.parametrize(
    "options, argument",
    [
        ({"mechanism": "svim"}, "--mechanism"),
        ({"clusters": RegionClusters(TREE, (("world", ("world",)),))}, "--clusters"),
        ({"epsilon": None}, "--epsilon"),
        ({"epsilon_column": "price"}, "--epsilon"),
        ({"epsilon": 0.0}, "epsilons"),
        ({"level": 0.0}, "--level"),
        ({"seed": -1}, "--seed"),
        (
            {
                "mechanism": "psda",
                "clusters": RegionClusters(TREE, (("Europe", ("France", "Europe")),)),
            },
            "clusters",
        ),
    ],
)
def test_bad_options_are_named_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], argument: str
) -> None:
    monkeypatch.setattr(reading, "word_source", None)
    with pytest.raises(ParameterError) as caught:
        run(file_of(tmp_path, ROWS), **options)
    assert caught.value.argument == argument


def test_a_file_without_a_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="only the header"):
        run(file_of(tmp_path, []))
