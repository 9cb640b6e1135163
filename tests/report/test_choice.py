"""The ranking as a table: every mechanism in its row, what is left out with its reason."""

from __future__ import annotations

from ldp_verified.app.report import choice
from ldp_verified.deploy.collect.choose import MechanismCandidate, candidates


def test_document_and_reasons() -> None:
    ranked = [c for c in candidates(1.0, 16, 1000) if c.name in ("grr", "oue")]
    left_out = [MechanismCandidate("none", None, refused="k: must be smaller")]
    found = choice.document(ranked, left_out, 1000)
    assert [row["mechanism"] for row in found["ranking"]] == [c.name for c in ranked]  # type: ignore[union-attr, index, call-overload]  # documents are JSON
    assert found["left_out"] == [{"mechanism": "none", "why": "k: must be smaller"}]
    parts = list(choice.terminal(ranked, left_out, 1000))
    assert str(parts[-1]) == "none left out: k: must be smaller"


def test_what_one_percent_of_fakes_add() -> None:
    """The figures at epsilon 0.5 and 100 values: GRR 1.54, OUE 0.05."""
    found = {c.name: c for c in candidates(0.5, 100, 1000)}
    assert round(found["grr"].fakes, 2) == 1.54
    assert round(found["oue"].fakes, 2) == 0.05
    row = choice.document([found["grr"]], [], 1000)["ranking"][0]  # type: ignore[index]  # documents are JSON
    assert row["share_by_one_percent_fakes"] == found["grr"].fakes  # type: ignore[index, call-overload]  # documents are JSON
