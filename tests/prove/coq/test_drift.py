"""The hand-kept list of mechanisms without a Coq file: no file is lost silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import Density, Mechanism, Piece, load, real
from ldp_verified.prove.coq.drift import WITHOUT, coq_drift, read_without, write_coq

if TYPE_CHECKING:
    from pathlib import Path

(GRR,) = load("grr")
here = real("here", at_least=0, at_most=1)
BARE = Mechanism("bare", parameters=[], table=Density(here, [Piece(here, here + 1, 1)]), claims=[])
"""A density whose outputs depend on the input, so no text."""


def test_a_mechanism_that_cannot_be_printed_has_to_be_listed(tmp_path: Path) -> None:
    folder = tmp_path / "generated"
    with pytest.raises(SpecError, match="bare"):
        write_coq([GRR, BARE], folder)
    (tmp_path / WITHOUT).write_text("# a comment\nbare: nothing is known of it\n", encoding="utf-8")
    assert [path.name for path in write_coq([GRR, BARE], folder)] == ["grr.v"]
    assert coq_drift([GRR, BARE], folder) == []
    (tmp_path / WITHOUT).unlink()
    (problem,) = coq_drift([GRR, BARE], folder)
    assert "bare.v" in problem


def test_a_listed_mechanism_that_can_be_printed_needs_its_file(tmp_path: Path) -> None:
    (tmp_path / WITHOUT).write_text("grr: forgotten\n", encoding="utf-8")
    (problem,) = coq_drift([GRR], tmp_path / "generated")
    assert "grr can be printed" in problem


def test_a_name_that_is_no_mechanism_is_seen(tmp_path: Path) -> None:
    (tmp_path / WITHOUT).write_text("gone: it was removed\n", encoding="utf-8")
    problems = coq_drift([], tmp_path / "generated")
    assert problems == [f"{tmp_path / WITHOUT}: gone is no mechanism"]


@pytest.mark.parametrize("line", ["grr", "grr:", "grr: "])
def test_every_entry_has_a_reason(tmp_path: Path, line: str) -> None:
    path = tmp_path / WITHOUT
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(SpecError, match="name: reason"):
        read_without(path)


def test_no_list_exempts_nothing(tmp_path: Path) -> None:
    assert read_without(tmp_path / WITHOUT) == {}
