"""The list of mechanisms names every one of the catalogue, with its parameters and claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.app.report.catalogue import document, entries, terminal
from ldp_verified.app.report.output import show
from ldp_verified.language import load, load_catalogue

if TYPE_CHECKING:
    import pytest


def test_one_line_for_each_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    mechanisms = load_catalogue()
    show(terminal(entries(mechanisms)))
    lines = capsys.readouterr().out.splitlines()
    listed = [line.split()[0] for line in lines[2 : 2 + len(mechanisms)]]
    assert sorted(listed) == sorted(m.name for m in mechanisms)
    assert listed[:3] == ["grr", "oue", "olh"]  # the common ones first
    assert max(map(len, lines)) <= 120


def test_the_document() -> None:
    (grr,) = load("grr")
    assert grr.origin is not None
    assert document(entries([grr])) == {
        "mechanisms": [
            {
                "name": "grr",
                "title": "k-ary randomized response",
                "parameters": {"eps": "eps > 0", "k": "integer k >= 2"},
                "table": "Design",
                "claims": ["LDP", "Unbiased", *["Variance"] * 2, *["BetterThan"] * 2],
                "spec": grr.origin.path,
                "spec_hash": grr.origin.sha256,
            }
        ]
    }
