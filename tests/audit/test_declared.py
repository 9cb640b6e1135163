"""A protocol file is audited: transcripts of the generated class, against the declared epsilon."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.check.audit.targets.called import resolve
from ldp_verified.check.audit.targets.declared import claimed, reference, transcripts
from ldp_verified.errors import ParameterError
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS


def _file(folder: Path, text: str) -> str:
    path = folder / "declared.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_transcript_holds_the_group_and_all_reports(tmp_path: Path) -> None:
    found = transcripts(_file(tmp_path, TWO_ROUNDS), {"step": 1}, published=9)(3)
    assert len(found) == 3
    assert found[0] == 0
    assert found[1] in (0, 1)
    assert found[2] in range(4)
    of_bits = transcripts(_file(tmp_path, HIERARCHY.replace("PRICE", "eps")), {"levels": 2})(3)
    assert of_bits[0] in (0, 1)


def test_the_claim_is_the_declared_epsilon(tmp_path: Path) -> None:
    spec = _file(tmp_path, HIERARCHY.replace("PRICE", "eps"))
    assert claimed(spec, {"eps": 0.5, "levels": 2}) == (0.5, (0, 1, 2, 3))
    assert claimed(spec, {"levels": 5})[1] == (0, 1, 2, 3, 28, 29, 30, 31)
    only = _file(tmp_path, TWO_ROUNDS.replace("values=4", "values=1"))
    with pytest.raises(ParameterError, match="values: must be two or more"):
        claimed(only, {})


def test_the_target_can_be_named(tmp_path: Path) -> None:
    named = reference(_file(tmp_path, TWO_ROUNDS), {"step": 2})
    assert len(resolve(named)(1)) == 3
