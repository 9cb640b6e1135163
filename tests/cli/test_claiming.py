"""`claims` decides the register when it runs, as a table, as JSON, and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.report.claims import NOT_COMPARED
from ldp_verified.check.claims import loader
from ldp_verified.prove.coq.coqc import coqc_available
from tests.cli.running import document, run

QUICK = ("A3", "A4", "A8")


def test_the_table_shows_verdicts_witnesses_and_reasons() -> None:
    found = run("claims", *QUICK)
    assert found.exit_code == 0, found.output
    text = found.stdout
    assert "3 claims, 6 parts:" in text
    # Hoeffding's inequality, which proves the correction of A8, is asked of Coq's kernel.
    assert f"{2 if coqc_available() else 1} corrected" in text
    assert "multiplies eps by log2 |X|, or splits the users over the bits" in text
    assert "found 0.00138324" in text
    assert "[added: " not in text


def test_the_document_has_every_reading_with_its_checkers() -> None:
    found = document(run("claims", *QUICK, "--json"))
    assert [claim["id"] for claim in found["claims"]] == list(QUICK)
    oracle = found["claims"][0]["parts"][1]
    assert oracle["outcome"] == "corrected"
    (reading,) = oracle["readings"]
    assert reading["verdict"] == "refuted"
    assert reading["witness"]["values"]["error of the best list"] == "1"
    (correction,) = oracle["corrections"]
    assert correction["verdict"] == "proved"
    assert set(correction["checkers"]) >= {"certificate", "enumeration"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Z1",), "ID: must be an id of the register"),
        (("A3", "--write", "page.md"), "--write: goes with the whole register only"),
        (("--check", "no_such_page.md"), "--check: must be a page"),
        (("--write", "page.pdf"), "--write: must end in .md or .html, got 'page.pdf'"),
        (("--write", "no_such_folder/page.md"), "--write: must lie in an existing folder"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], message: str) -> None:
    found = run("claims", *arguments)
    assert found.exit_code == 2
    assert message in found.stderr


def test_the_page_in_the_repository_is_about_every_claim() -> None:
    from ldp_verified.check.claims import chosen, load_documents

    root = Path(__file__).resolve().parents[2]
    page = (root / "CLAIMS.md").read_text(encoding="utf-8")
    browser = (root / "docs" / "claims.html").read_text(encoding="utf-8")
    for _, _, entry in chosen(load_documents(), []):
        assert f"**{entry.id}** " in page
        assert f'<article id="{entry.id}">' in browser


REGISTER = '''"""A register of one claim."""
from sympy import Rational, exp
from ldp_verified.check.claims import Document, Entry, Ladder, Table, part
from ldp_verified.language import LDP, load, real

eps = real("eps", above=0)
(binary,) = load("binary_rr")
keep = exp(eps) / (exp(eps) + 1)
document = Document("A document", [Entry(
    "Z1", "Keep with 1/2 + eps/4; eps-LDP.",
    part("keep is 1/2 + eps/4 at most", Ladder(keep <= Rational(1, 2) + eps / 4, eps)),
    part("eps-LDP", Table(binary, LDP(binary.parameters[0]))),
)])
'''
EDITS = {
    "words": ("keep is 1/2 + eps/4 at most", "flipping with 1/(1 + e^(50 eps))", None),
    "the statement of the source": ("eps-LDP.", "2 eps-LDP.", None),
    "a number, falsely": ("eps / 4", "eps / 5", "refuted"),
    "a number, truly": ("eps / 4", "eps / 3", "proved"),
    "a direction": ("keep <=", "keep >=", "refuted"),
    "a range, truly": ('"eps", above=0', '"eps", above=1', "proved"),
    "a symbol": ("LDP(binary.parameters[0])", "LDP(binary.parameters[0] / 2)", "refuted"),
    "a constant, truly": ("LDP(binary.parameters[0])", "LDP(2 * binary.parameters[0])", "proved"),
}
"""Edit -> (what stands there, what is put there, the verdict on the edited statement)."""


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_register_fails_the_drift_check_and_is_decided_afresh(
    edit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, verdict = EDITS[edit]
    file, page = tmp_path / "register" / "one.py", tmp_path / "page.md"
    file.parent.mkdir()
    monkeypatch.setattr(loader, "claims_folder", lambda: file.parent)
    file.write_text(REGISTER, encoding="utf-8")
    assert run("claims", "--compared").exit_code == 0
    assert run("claims", "--write", page).exit_code == 0
    assert run("claims", "--check", page).exit_code == 0
    assert NOT_COMPARED not in page.read_text(encoding="utf-8")
    assert old in REGISTER
    file.write_text(REGISTER.replace(old, new), encoding="utf-8")
    result = run("claims", "--check", page)
    assert result.exit_code == 1
    assert "is not what would be written" in result.stderr
    assert run("claims", "--write", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    edited = [line for line in text.splitlines() if NOT_COMPARED in line]
    if verdict is None:
        assert edited == []
        assert text.count("**proved by") == 2
        return
    (line,) = edited
    assert f"**{verdict} by" in line
    assert (verdict == "refuted") is ("claimed" in line)
