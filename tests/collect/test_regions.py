"""Files of regions and clusters are read whole, or refused with the rule that they break."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ldp_verified.deploy.collect.regions import read_clusters, read_taxonomy
from ldp_verified.deploy.collect.table import TableError
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import RegionClusters, Taxonomy

if TYPE_CHECKING:
    from pathlib import Path

REGIONS = {"world": ["Europe", "Japan"], "Europe": ["France", "Bonn"], "France": ["Paris", "Lyon"]}
REGIONS |= {"Japan": ["Tokyo", "Kyoto"]}
TREE = Taxonomy(REGIONS)


def test_a_taxonomy_and_clusters_are_read_from_json(tmp_path: Path) -> None:
    (tmp_path / "r").write_text(json.dumps(REGIONS))
    assert read_taxonomy(tmp_path / "r") == TREE
    (tmp_path / "c").write_text('{"world": ["world", "Japan"], "Europe": ["France"]}')
    pairs = (("world", ("world", "Japan")), ("Europe", ("France",)))
    assert read_clusters(tmp_path / "c", TREE) == RegionClusters(TREE, pairs)


@pytest.mark.parametrize(
    "text, rule",
    [
        ('{"w": ["a", "b"], "a": ["x", "y"], "b": ["x"]}', "must not overlap"),
        ('{"w": ["a", "b"], "a": []}', "must each have a list of parts that is not empty"),
        ('{"w": ["a", "b"], "v": ["x", "y"]}', "must be one tree"),
        ('{"w": ["a"],\n "v" ["b"]}', "lists of names: line 2 is no JSON"),
        ('{"w": ["a"], "w": ["b"]}', "lists of names, each name once"),
        ('["a"]', "lists of names"),
        ('{"w": "ab"}', "lists of names"),
        ('{"w": ["a", 2]}', "lists of names"),
    ],
)
def test_a_file_that_is_no_taxonomy_is_refused(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "r").write_text(text)
    with pytest.raises((ParameterError, TableError), match=rule) as caught:
        read_taxonomy(tmp_path / "r")
    assert str(tmp_path / "r") in str(caught.value)


@pytest.mark.parametrize(
    "text, rule",
    [
        ('{"world": ["world", "Europe"], "Europe": ["Europe"]}', "must not overlap"),
        ('{"Japan": ["France"]}', "must hold the regions of their members"),
        ('{"Japan": []}', "must not be empty"),
        ('{"Mars": ["France"]}', "must be a region of the taxonomy"),
        ("{}", "must be one or more"),
    ],
)
def test_clusters_that_overlap_or_do_not_fit_are_refused(
    tmp_path: Path, text: str, rule: str
) -> None:
    (tmp_path / "c").write_text(text)
    with pytest.raises(ParameterError, match=rule) as caught:
        read_clusters(tmp_path / "c", TREE)
    assert caught.value.argument == f"--clusters {tmp_path / 'c'}"


def test_files_that_are_not_there_or_not_utf8_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="No such file"):
        read_taxonomy(tmp_path / "r")
    (tmp_path / "r").write_bytes(b'{"w\xff": ["a"]}')
    with pytest.raises(TableError, match="in UTF-8"):
        read_taxonomy(tmp_path / "r")
