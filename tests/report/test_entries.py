"""The page shows what a mechanism's spec declares and what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.app.report import entries
from ldp_verified.app.report.entries import declared, entry, said_by, sections
from ldp_verified.app.report.sentences import Formula, Link, spelled
from ldp_verified.generate.module import no_class
from ldp_verified.language import Matrix, Mechanism, load, load_catalogue

MECHANISMS = {mechanism.name: mechanism for mechanism in load_catalogue()}


def formulas(sentence: Any) -> list[Any]:
    return [part.value for part in sentence if isinstance(part, Formula)]


def facts(name: str) -> dict[str, Any]:
    return dict(entry(MECHANISMS[name]).facts)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_table_of_every_form_is_declared_and_sums_to_one(name: str) -> None:
    """Whatever the form; where the page lists all reports, the declared probabilities add up."""
    mechanism = MECHANISMS[name]
    grid = declared(mechanism)
    assert all(len(row) == len(grid.heads) for row in grid.rows)
    if isinstance(mechanism.table, Matrix) and grid.heads[0] != ("cell",):
        totals = [sum(formulas(cell)[0] for cell in row[1:]) for row in grid.rows]
    elif grid.heads[0] == ("report y",):
        totals = [sum(formulas(row[1])[0] * formulas(row[2])[0] for row in grid.rows)]
    else:
        return
    assert [sympy.cancel(total) for total in totals] == [1] * len(totals)


def test_facts_of_a_frequency_oracle() -> None:
    found = facts("oue")
    u, n, f = sympy.symbols("u n f", positive=True)
    assert spelled(found["epsilon"]) == "eps: tight (Wang et al. 2017)"
    assert spelled(found["p* and q*"]) == "1/2 and 1/(u + 1)"
    (variance,) = formulas(found["variance of a count"])
    plain = variance.subs({s: sympy.Symbol(s.name, positive=True) for s in variance.free_symbols})
    assert sympy.cancel(plain - n * (4 * u / (u - 1) ** 2 + f)) == 0
    assert "`one` = 1/2; `zero` = 1/(u + 1)" in spelled(found["optimal"])
    assert "8 at epsilon = 1.0, k = 8" in spelled(found["bits per report"])
    assert "`proofs/generated/oue.v`" in spelled(found["files"])


def test_facts_of_a_density() -> None:
    found = facts("piecewise")
    assert spelled(found["mean of a report"]).startswith("x, so a report is an unbiased estimate")
    assert spelled(found["largest variance"]) == "4*s/(3*(s - 1)**2) at x = 1 (Wang et al. 2019)"
    assert "`proofs/generated/piecewise.v`" in spelled(found["files"])
    assert Link("spec", "spec/piecewise.py") in found["files"]


def test_a_mechanism_without_a_coq_file_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"grr": "it was forgotten"}
    monkeypatch.setattr("ldp_verified.app.report.entry_facts.read_without", lambda _: listed)
    assert "; no Coq file: it was forgotten" in spelled(facts("grr")["files"])
    assert "no Coq file" not in spelled(facts("gaussian")["files"])


def test_a_mechanism_without_a_class_says_why() -> None:
    for name in ("rappor_permanent", "hybrid_more"):
        found = spelled(facts(name)["class"])
        assert found == f"none: {no_class(MECHANISMS[name])}"
        assert len(found) > len("none: ")


def test_of_a_mechanism_that_claims_nothing_epsilon_is_derived() -> None:
    (grr,) = load("grr")
    mine = Mechanism("mine", parameters=[*grr.parameters], table=grr.table)
    found = dict(entry(mine).facts)
    assert spelled(found["epsilon"]) == "eps: derived, not claimed"
    assert "files" not in found


def test_a_form_that_is_not_known_is_shown_by_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unknown:
        pass

    for form in ("Matrix", "Design", "Bits", "Density"):
        monkeypatch.setattr(entries, form, Unknown)
    grid = declared(MECHANISMS["grr"])
    assert [row[0] for row in grid.rows] == [("inside",), ("outside",)]


def test_what_a_docstring_says(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text('"""First.\n\n    y   P\n    a   b\n\nMore of\nit.\n\nA. B (1999), C.\n"""\n')
    assert said_by(path) == ("First.", ("More of it.",), "A. B (1999), C.")
    path.write_text('"""First.\n\nNo source here.\n"""\n')
    assert said_by(path) == ("First.", ("No source here.",), "")


def test_mechanisms_of_one_file_share_a_section() -> None:
    found = {section.module: section for section in sections(load("olh"))}
    assert [each.name for each in found["olh"].entries] == ["olh", "blh"]
