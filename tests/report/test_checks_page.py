"""The page of checkers says what their rules say, and what has no rule is open and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.report import checks_page
from ldp_verified.kinds import PAIRS, Kind, TableForm
from ldp_verified.language import load
from ldp_verified.language.forms import form_of
from ldp_verified.prove import registry, verify
from ldp_verified.prove.registry import CHECKERS, RULES, Rules

PAGE = Path(__file__).resolve().parents[2] / "docs" / "checks.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == checks_page.markdown()


def test_every_checker_has_cells() -> None:
    assert set(RULES) == {each.name for each in CHECKERS} - {"smt"}


@pytest.mark.parametrize("name", ["grr", "warner", "oue", "duchi", "geometric"])
def test_who_decides_has_a_rule(name: str) -> None:
    (mechanism, *_) = load(name)
    form = form_of(mechanism.table)
    by_name = {each.name: each for each in CHECKERS}
    for verdict in verify(mechanism, 4, coq=False, draw_points=False).verdicts:
        if Kind(verdict.obligation) in checks_page.JOINED:
            continue
        for said in verdict.checkers:
            assert registry.cell(by_name[said], Kind(verdict.obligation), form) is None


def test_a_cell_without_a_rule_is_named() -> None:
    assert registry.undecided(Kind.RATIO, TableForm.DESIGN) == ""
    said = registry.undecided(Kind.MEAN, TableForm.DESIGN)
    assert "certificate has no rule for mean of Design" in said


def test_a_rule_that_is_taken_away_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no route decides variances of designs any longer; the claim stays, and is open."""
    (mechanism, *_) = load("grr")
    before = verify(mechanism, 4, smt=False, coq=False, draw_points=False)
    assert any(v.obligation == Kind.VARIANCE and v.status.for_all for v in before.verdicts)
    for route in RULES.values():
        kept = {key: rule for key, rule in route._rules.items() if key[0] != Kind.VARIANCE}
        monkeypatch.setattr(route, "_rules", kept)
    after = verify(mechanism, 4, smt=False, coq=False, draw_points=False)
    lost = [v for v in after.verdicts if v.obligation == Kind.VARIANCE]
    assert lost
    assert all(v.status.value == "open" for v in lost)
    assert "no checker has a rule for variance of Design" in lost[0].detail
    assert "variance of Design | " not in checks_page.markdown()


def test_two_rules_for_one_cell_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RULES, "coq")
    rules: Rules[str] = Rules("coq")
    rules.rule((Kind.RATIO,), PAIRS)("one")
    with pytest.raises(ValueError, match="two rules for ratio of Design"):
        rules.rule((Kind.RATIO,), (TableForm.DESIGN,))("other")
    monkeypatch.setitem(RULES, "coq", rules)
    with pytest.raises(ValueError, match="not a checker, or its cells are kept elsewhere"):
        Rules("coq")
