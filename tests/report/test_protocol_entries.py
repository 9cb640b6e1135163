"""Protocols on the catalogue's page: their box, their reports, and what a transcript costs."""

from __future__ import annotations

from pathlib import Path

from ldp_verified.app.report.entries_page import html, markdown
from ldp_verified.app.report.families import PROTOCOLS, Family
from ldp_verified.app.report.protocol_entries import box, protocol_sections
from ldp_verified.language import load_protocol
from ldp_verified.spec_files import catalogue_folder


def test_every_declared_protocol_is_on_both_pages() -> None:
    names = sorted(path.stem for path in (catalogue_folder() / "protocols").glob("*.py"))
    found = protocol_sections()
    assert [section.module for section in found] == names
    for section in found:
        (entry,) = section.entries
        facts = dict(entry.facts)
        assert entry.name == section.module
        assert any(who.startswith("User") for who in facts)
        assert {"parameters", "groups", "epsilon of a transcript, declared"} <= set(facts)
        reports = sum(len(each.sends) for each in load_protocol(entry.name).rounds)
        assert len(entry.table.rows) == reports
        assert section.source
    families = [Family(PROTOCOLS, tuple(found))]
    pages = markdown(families), html(families)
    assert "| derived, an upper bound | bits\\*eps |" in pages[0]
    for page in pages:
        assert page.count("epsilon of a transcript, declared") == len(names)


def test_a_box_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    steps = "    Server   draws\n             a coin.\n    User i   answers."
    path.write_text(f'"""Lead.\n\n{steps}\n\nA note.\n"""\n')
    assert box(path) == (("Server", ("draws a coin.",)), ("User i", ("answers.",)))
    path.write_text('"""Lead, and no box.\n\nA note.\n"""\n')
    assert box(path) == ()
