"""The first pass counts rightly, and what it tells is one bit unless somebody asked to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.deploy.collect.domain import ColumnDomain
from ldp_verified.deploy.collect.survey import refuse_strangers, survey
from ldp_verified.deploy.collect.table import TableError, open_column
from ldp_verified.errors import DomainError
from tests.collect.files import csv_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DOMAIN = ColumnDomain(("yes", "no"), "list")


def message(folder: Path, cells: Sequence[str], look: bool) -> str:
    column = open_column(csv_file(folder, cells), "answer")
    with pytest.raises(DomainError) as caught:
        refuse_strangers(column, DOMAIN, survey(column, DOMAIN), look)
    return str(caught.value)


def test_counts(tmp_path: Path) -> None:
    cells = ["yes", "NO", "no", "", "no", "maybe", "NO"]
    column = open_column(csv_file(tmp_path, cells), "answer")
    told: list[tuple[str, int, int | None]] = []
    found = survey(column, DOMAIN, lambda *what: told.append(what))
    assert (found.rows, found.outside, found.empty) == (7, 4, 1)
    assert found.examples == ("NO", "maybe")
    assert found.counts.tolist() == [1, 2]
    assert told == [("checking", 7, None)]
    other = survey(column, DOMAIN.with_other())
    assert other.counts.tolist() == [1, 2, 4]
    assert (other.outside, other.empty, other.examples) == (4, 1, ("NO", "maybe"))


def test_no_more_than_five_examples(tmp_path: Path) -> None:
    column = open_column(csv_file(tmp_path, [f"v{i % 9}" for i in range(40)]), "answer")
    assert survey(column, DOMAIN).examples == ("v0", "v1", "v2", "v3", "v4")


def test_the_refusal_is_the_same_whatever_does_not_fit(tmp_path: Path) -> None:
    columns = (["maybe"], ["yes", "", "perhaps"], ["yes"] * 90 + ["x"] * 10)
    messages = {message(tmp_path, cells, look=False) for cells in columns}
    assert len(messages) == 1
    (text,) = messages
    assert "column answer: holds values that are not among the 2 of the domain (list)" in text
    assert "--unknown other" in text
    assert "--compare" in text


def test_looking_tells_how_many_and_which(tmp_path: Path) -> None:
    text = message(tmp_path, ["yes", "", "perhaps", "no", "perhaps"], look=True)
    assert "in 3 of 5 rows (1 of them empty): 'perhaps'" in text


def test_no_refusal_where_everything_fits_or_other_takes_it(tmp_path: Path) -> None:
    fits = open_column(csv_file(tmp_path, ["yes", "no"]), "answer")
    refuse_strangers(fits, DOMAIN, survey(fits, DOMAIN), look=False)
    column = open_column(csv_file(tmp_path, ["yes", "maybe"]), "answer")
    other = DOMAIN.with_other()
    refuse_strangers(column, other, survey(column, other), look=False)


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    column = open_column(csv_file(tmp_path, []), "answer")
    with pytest.raises(TableError, match="must hold at least one row"):
        survey(column, DOMAIN)
