"""collect --sets and --regions: options, outputs, errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.running import document, process, run

if TYPE_CHECKING:
    from pathlib import Path

REGIONS = {"world": ["north", "south"], "north": ["a", "b"], "south": ["c", "d"]}


@pytest.fixture
def sets(tmp_path: Path) -> list[object]:
    path = tmp_path / "sets.jsonl"
    path.write_text('["tea", "milk"]\n["tea"]\n' * 2000)
    return ["collect", path, "--sets", "--epsilon", 4, "--domain", "tea,milk,eggs"]


@pytest.fixture
def places(tmp_path: Path) -> list[object]:
    path, regions = tmp_path / "people.csv", tmp_path / "regions.json"
    path.write_text("at,home,price\n" + "a,north,1\nc,world,2\n" * 100)
    regions.write_text(json.dumps(REGIONS))
    given = ["--column", "at", "--regions", regions, "--region-column", "home"]
    return ["collect", path, *given, "--epsilon", 1]


def test_sets_are_mined_as_a_user_starts_it(sets: list[object]) -> None:
    result = process(*sets, "--mechanism", "svsm", "--top", 3)
    assert (result.returncode, result.stderr) == (0, "")
    assert "protocol: SVSM at epsilon = 4.0" in result.stdout


def test_places_are_counted_as_a_user_starts_it(places: list[object]) -> None:
    result = process(*places, "--mechanism", "psda")
    assert (result.returncode, result.stderr) == (0, "")
    assert "protocol: PSDA" in result.stdout


def test_documents_name_what_was_found(sets: list[object], places: list[object]) -> None:
    found = document(run(*sets, "--top", 2, "--seed", 1, "--json", "--compare"))
    true = {tuple(each["items"]): each["true_count"] for each in found["estimates"]}
    assert true == {("tea",): 4000, ("milk",): 2000}  # no count is nearer than ten errors
    assert (found["users"], found["simulated"], found["plot"]) == (4000, True, None)
    prices = [*places[:-2], "--epsilon-column", "price", "--json"]
    found = document(run(*prices))
    assert found["epsilons"] == [1.0, 2.0]
    assert found["regions_named"] == {"world": 100, "north": 100}


def test_a_plot_is_written(sets: list[object], places: list[object], tmp_path: Path) -> None:
    for command in (sets, places):
        path = tmp_path / "p.svg"
        result = run(*command, "--plot", path, "--json")
        assert document(result)["plot"] == str(path)
        assert path.read_text().startswith("<?xml")
        path.unlink()


@pytest.mark.parametrize(
    "more, message",
    [
        (["--column", "at"], "--column: does not go with --sets"),
        (["--regions", "r"], "--regions: does not go with --sets"),
        (["--region-column", "home"], "--region-column: does not go with --sets"),
        (["--epsilon", "0"], "--epsilon: must be a number > 0"),
        (["--mechanism", "padding"], "--length: must be given"),
        (["--mechanism", "olh"], "--mechanism: must be one of svim"),
        (["--domain", "tea,eggs"], "sets.jsonl, line 1: must hold items of the domain alone"),
        (["--length", "1"], "sets.jsonl, line 1: must hold at most 1 items"),
        (["--cut"], "--cut: does not go with SVIM"),
        (["--top", "70000", "--mechanism", "svsm"], "--top: must be an integer in"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_bad_options_of_sets(sets: list[object], more: list[str], message: str) -> None:
    result = run(*sets, *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "milk" not in result.stderr


@pytest.mark.parametrize(
    "more, message",
    [
        (["--domain", "a,b"], "--domain: does not go with --regions"),
        (["--unknown", "other"], "--unknown: does not go with --regions"),
        (["--length", "3"], "--length: goes with --sets alone"),
        (["--empty"], "--empty: goes with --sets alone"),
        (["--epsilon", "0"], "--epsilon: "),
        (["--epsilon-column", "price"], "--epsilon: give exactly one of"),
        (["--mechanism", "svim"], "--mechanism: must be pcep or psda"),
        (["--region-column", "price"], "people.csv, line 2: must name a region of the taxonomy"),
        (["--regions", "nothing"], "nothing: cannot be read"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_bad_options_of_places(places: list[object], more: list[str], message: str) -> None:
    result = run(*places, *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_clusters_that_leave_out_a_region_are_refused(places: list[object], tmp_path: Path) -> None:
    path = tmp_path / "clusters.json"
    path.write_text('{"north": ["north"]}')
    result = run(*places, "--mechanism", "psda", "--clusters", path)
    assert result.exit_code == 2
    assert "--clusters: must hold every region that users named, got ['world']" in result.stderr
