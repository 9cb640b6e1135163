"""`claims` decides the register when it runs, as a table, as JSON, and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert "the reduction of A5 multiplies eps by log2 |X|" in text
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
        (("--write", "no_such_folder/page.md"), "--write: must be in a folder that exists"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], message: str) -> None:
    found = run("claims", *arguments)
    assert found.exit_code == 2
    assert message in found.stderr


def test_the_page_in_the_repository_is_about_every_claim() -> None:
    from ldp_verified.claims import chosen, load_documents

    root = Path(__file__).resolve().parents[2]
    page = (root / "CLAIMS.md").read_text(encoding="utf-8")
    browser = (root / "docs" / "claims.html").read_text(encoding="utf-8")
    for _, _, entry in chosen(load_documents(), []):
        assert f"**{entry.id}** " in page
        assert f'<article id="{entry.id}">' in browser
