"""Some mechanisms have a numeric side, and the others say why they have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified import GRR, OLH, OUE, SUE, BinaryRR, Warner
from ldp_verified.errors import SpecError
from ldp_verified.generate import numeric_side
from ldp_verified.language import load, load_file
from tests.generate.specs import ACCEPTED, HEAD, REFUSED

if TYPE_CHECKING:
    from pathlib import Path


OF_THE_VOCABULARY = ("keyword", "two names that become one")
"""Refused when they are declared."""


@pytest.mark.parametrize("case", [case for case in REFUSED if case not in OF_THE_VOCABULARY])
def test_what_has_no_numeric_side_is_told_why(case: str, tmp_path: Path) -> None:
    text, reason = REFUSED[case]
    path = tmp_path / "refused.py"
    path.write_text(HEAD + text)
    (mechanism,) = load_file(path)
    with pytest.raises(SpecError, match="refused: has no numeric side") as caught:
        numeric_side(mechanism)
    assert reason in str(caught.value)


def test_the_catalogue_has_the_roots_of_its_tables() -> None:
    assert (GRR.root, SUE.root, OUE.root, OLH.root, BinaryRR.root) == (1, 2, 1, 1, 1)
    assert [parameter.name for parameter in Warner.parameters] == ["gamma"]


@pytest.mark.parametrize(
    ("name", "root"), [("two_coins", None), ("one_time", None), ("histogram", 2)]
)
def test_the_root_makes_epsilon_the_tight_one(name: str, root: int | None, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(HEAD + ACCEPTED[name])
    (mechanism,) = load_file(path)
    given = numeric_side(mechanism).arguments
    assert (given.root if given.exponent == "epsilon" else None) == root


def test_the_number_of_hash_functions_has_to_cancel(tmp_path: Path) -> None:
    (spec,) = [m for m in load("olh") if m.name == "olh"]
    assert spec.origin is not None
    text = (tmp_path.parent / spec.origin.path).read_text()
    path = tmp_path / "refused.py"
    # Cells that are no bucket's probability shared out over M functions do not sum to one either.
    path.write_text(text.replace("inside=u / (u + g - 1) / M", "inside=u / (u + g - 1) / M**2"))
    with pytest.raises(SpecError, match="must be a distribution"):
        numeric_side(load_file(path)[0])
