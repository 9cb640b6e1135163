"""Taxonomies of regions and clusters of users from files, which are public."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ldp_verified.deploy.collect.table import TableError
from ldp_verified.errors import ParameterError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.protocols import RegionClusters, Taxonomy

if TYPE_CHECKING:
    from pathlib import Path


def read_taxonomy(path: Path, option: str = "--regions") -> Taxonomy:
    """The regions of a file: a JSON object from each region to the list of its parts.

    Raises:
        TableError: no such file, or no such object. ParameterError: no tree of regions.
    """
    found = _object(path)
    try:
        return Taxonomy(found)
    except ParameterError as error:
        raise ParameterError(f"{option} {path}", error.rule, error.got) from None


def read_clusters(path: Path, taxonomy: Taxonomy) -> RegionClusters:
    """The clusters of a file: a JSON object from the region of each to the regions of its users.

    Raises:
        TableError: no such file, or no such object. ParameterError: as `RegionClusters`.
    """
    pairs = tuple((region, tuple(members)) for region, members in _object(path).items())
    try:
        return RegionClusters(taxonomy, pairs)
    except ParameterError as error:
        raise ParameterError(f"--clusters {path}", error.rule, error.got) from None


def _object(path: Path) -> dict[str, list[str]]:
    """A public JSON object of lists of texts."""
    rule = "must be a JSON object of lists of names"
    try:
        text = path.read_bytes()
    except OSError as error:
        raise TableError(str(path), f"cannot be read: {error.strerror}") from None
    try:
        found = read_json(text)
    except NotJsonError:
        raise TableError(str(path), f"{rule}{_where(text)}") from None
    plain = isinstance(found, dict) and all(
        isinstance(parts, list) and all(isinstance(part, str) for part in parts)
        for parts in found.values()
    )
    if not plain:
        raise TableError(str(path), rule)
    return dict(found)


def _where(text: bytes) -> str:
    """Name the line where a text is no JSON, or say what else is wrong with it."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f": line {error.lineno} is no JSON"
    except ValueError:
        return ", in UTF-8"
    return ", each name once"
