"""Several specs at once: each mechanism that they declare is verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.cli.outcome import Outcome
from tests.cli.running import document, run

if TYPE_CHECKING:
    from pathlib import Path

TWO_ROADS = """
from pathlib import Path
from ldp_verified.language import LDP, Matrix, Mechanism, Rational, log
keep = Rational(*map(int, (Path(__file__).parent / "keep.txt").read_text().split("/")))
rows = [[keep, 1 - keep], [1 - keep, keep]]
mine = Mechanism("mine", parameters=[], table=Matrix(rows), claims=[LDP(log(3))])
"""


@pytest.mark.parametrize("backwards", [False, True])
def test_files_of_one_text_are_both_verified(tmp_path: Path, backwards: bool) -> None:
    files = []
    for name, keep in (("true", "3/4"), ("false", "9/10")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "keep.txt").write_text(keep)
        (folder / "mine.py").write_text(TWO_ROADS)
        files.append(folder / "mine.py")
    ordered = files[::-1] if backwards else files
    found = run("verify", "--no-coq", "--json", *ordered)
    assert found.exit_code == Outcome.VIOLATED
    assert len(document(found)["mechanisms"]) == 2
    again = run("verify", "--no-coq", "--json", files[0], files[0].parent / "../true/mine.py")
    assert len(document(again)["mechanisms"]) == 1


def test_a_false_instance_beside_a_true_mechanism_is_refuted(tmp_path: Path) -> None:
    text = """
from ldp_verified.language import LDP, load
(grr,) = load("grr")
mine = grr.instance("mine", {}, claims=[LDP(grr.parameters[0] / 10)])
"""
    path = tmp_path / "mine.py"
    path.write_text(text)
    found = run("verify", "--no-coq", "--accept", "one-group", path)
    assert found.exit_code == Outcome.VIOLATED
