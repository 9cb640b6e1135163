"""What is shown of sets and places: all numbers, no truth unless asked for, no claim too many."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from ldp_verified.app.report.protocol_collection import Result, document, estimated, terminal
from ldp_verified.deploy.collect.domain import ColumnDomain
from ldp_verified.deploy.collect.places import collect_places
from ldp_verified.deploy.collect.sets import MinedFile, mine_file
from ldp_verified.protocols import Taxonomy

if TYPE_CHECKING:
    from pathlib import Path

DOMAIN = ColumnDomain(("tea", "a\x1b[1m" + "b" * 60, "eggs"), "list")
TREE = Taxonomy({"world": ["north", "south"], "north": ["a", "b"], "south": ["c", "d"]})


def shown(result: Result, top: int = 20) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=1000, color_system=None)
    for part in terminal(result, top):
        console.print(part)
    return stream.getvalue()


def of_sets(folder: Path, **options: Any) -> Result:
    path = folder / "sets"
    path.write_text("".join(f'["tea", "eggs"]\n[{json.dumps(DOMAIN.values[1])}]\n' * 200))
    return mine_file(path, DOMAIN, epsilon=4.0, **options)


def of_places(folder: Path, **options: Any) -> Result:
    path = folder / "places.csv"
    path.write_text("at,home\n" + "a,north\nc,south\nd,world\n" * 100)
    return collect_places(path, "at", TREE, region_column="home", epsilon=1.0, **options)


def test_sets_are_shown_with_their_protocol(tmp_path: Path) -> None:
    result = of_sets(tmp_path, mechanism="svsm", top=4)
    assert isinstance(result, MinedFile)
    text = shown(result)
    assert "sets of sets: 400 users, one a line" in text
    assert "protocol: SVSM at epsilon = 4.0" in text
    assert "randomness: secure" in text
    assert "by a factor of at most e^4.0 (about 54.6)" in text
    short = ("tea", r"a\x1b[1m" + "b" * 29 + "...", "eggs")
    assert all(" + ".join(short[item] for item in each) in text for each in result.itemsets)
    assert "\x1b" not in text
    assert "truth" not in text
    assert "leave out what cutting draws" in text


def test_it_is_said_where_nothing_stands_out(tmp_path: Path) -> None:
    """Null: nobody holds anything; that all of seven runs name something has a chance of 1e-18."""
    path = tmp_path / "none"
    path.write_text("[]\n" * 300)
    runs = [mine_file(path, DOMAIN, epsilon=2.0, empty=True, seed=seed) for seed in range(7)]
    assert any("Nothing stands out: perhaps nobody" in shown(each) for each in runs)
    path.write_text('["tea"]\n' * 3000)
    assert "Nothing stands out" not in shown(mine_file(path, DOMAIN, epsilon=6.0, seed=1))


def test_only_sets_that_were_not_cut_have_intervals_without_a_reservation(tmp_path: Path) -> None:
    whole = shown(of_sets(tmp_path, mechanism="padding", length=2, seed=1))
    assert "no set was cut" in whole
    assert "with probability 95 % (from the tails of support counts), each item" in whole
    assert "such reports protect nobody" in whole
    cut = shown(of_sets(tmp_path, mechanism="padding", length=1, cut=True, seed=1))
    assert "no set was cut" not in cut
    assert "estimated too low" in cut


def test_the_truth_is_shown_where_it_was_asked_for(tmp_path: Path) -> None:
    text = shown(of_sets(tmp_path, mechanism="padding", length=2, compare=True))
    assert "The true counts are read from the private file" in text
    assert " intervals hold the true count" in text


def test_places_are_shown_with_what_is_public(tmp_path: Path) -> None:
    text = shown(of_places(tmp_path), top=2)
    assert "protocol: PCEP" in text
    assert "with probability 95 % (normal approximation), each place" in text
    assert "world 100, north 100, south 100" in text
    assert "Region and epsilon are sent as they are" in text
    assert "fitted" not in text
    psda = shown(of_places(tmp_path, mechanism="psda", compare=True))
    assert "protocol: PSDA" in psda
    assert "clusters, and whose users are in them: " in psda
    assert "Fitted: the nearest counts" in psda
    assert "truth" in psda


@pytest.mark.parametrize("compare", [False, True])
def test_the_document_has_every_number(tmp_path: Path, compare: bool) -> None:
    for result in (
        of_sets(tmp_path, top=2, compare=compare),
        of_sets(tmp_path, mechanism="samplingrappor", length=3, compare=compare),
        of_places(tmp_path, compare=compare),
        of_places(tmp_path, mechanism="psda", compare=compare),
    ):
        found: Any = json.loads(json.dumps(document(result), allow_nan=False))
        rows = estimated(result).rows()
        assert [each["value"] for each in found["estimates"]] == [row.label for row in rows]
        assert [each["estimate"] for each in found["estimates"]] == [row.value for row in rows]
        assert all(("true_count" in each) is compare for each in found["estimates"])
        assert found["protocol"]["law_hash"] == result.protocol.law_sha256
        assert found["simulated"] is False


def test_the_document_has_the_parameters(tmp_path: Path) -> None:
    found = document(of_sets(tmp_path, mechanism="ldpminer", length=2, top=3))
    assert found["parameters"] == {"k": 3, "length": 2, "places": 3, "g": None, "top": 3}
    assert found["cut"] is False
    assert document(of_places(tmp_path))["taxonomy_sha256"] == TREE.digest


def test_a_group_without_users_has_no_finite_error(tmp_path: Path) -> None:
    """Of two users a group of SVIM stays empty, whose errors are infinite."""
    path = tmp_path / "two"
    path.write_text('["tea"]\n["eggs"]\n')
    for seed in range(100):
        result = mine_file(path, DOMAIN, epsilon=1.0, seed=seed)
        found: Any = document(result)
        if found["estimates"][0]["std_error"] is None:
            assert "inf" in shown(result)
            return
    pytest.fail("each of 100 seeds put a user into the last group: a chance of 0.75^100")
