"""The files of claims can be read, and hold every claim of the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.check.claims import chosen, load_document, load_documents
from ldp_verified.errors import ParameterError, SpecError

SOURCES = {
    *(f"A{i}" for i in range(1, 12)),
    *(f"B{i}" for i in range(1, 19)),
    *(f"C{i}" for i in range(1, 7)),
    *(f"D{i}" for i in range(1, 4)),
    *(f"E{i}" for i in range(1, 16) if i != 8),
    *("B13b", "B14b", "D1b", "E1b", "E6b", "E7b", "E10b"),
}
"""Every statement of the five documents that is true or false; E8 names a system only."""


def test_every_claim_of_the_sources_is_there_and_nothing_twice() -> None:
    entries = chosen(load_documents(), [])
    ids = [entry.id for _, document, entry in entries if document.register == "sources"]
    assert set(ids) == SOURCES
    assert len(ids) == len(SOURCES)


def test_every_formula_of_the_literature_names_its_source() -> None:
    entries = [e for _, d, e in chosen(load_documents(), []) if d.register == "literature"]
    assert len(entries) >= 40
    assert all(any(part[:4].isdigit() for part in entry.source.split()) for entry in entries)


def test_entries_are_chosen_by_id_and_by_file() -> None:
    documents = load_documents()
    assert [e.id for _, _, e in chosen(documents, ["a6", "E2"])] == ["A6", "E2"]
    assert len(chosen(documents, ["notes_randomized_response"])) == 4
    with pytest.raises(ParameterError, match="ID"):
        chosen(documents, ["Z9"])


def test_a_file_without_a_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text('"""Nothing."""\n', encoding="utf-8")
    with pytest.raises(SpecError, match="declares no Document"):
        load_document(tmp_path / "empty.py")
    with pytest.raises(SpecError, match="no such file"):
        load_document(tmp_path / "missing.py")


def test_the_sources_are_in_the_order_of_the_documents() -> None:
    entries = chosen(load_documents(), [])
    ids = [entry.id for _, document, entry in entries if document.register == "sources"]
    assert ids.index("B5") < ids.index("B6") < ids.index("B12") < ids.index("B13")
    assert ids.index("E9") < ids.index("E10") < ids.index("E10b") < ids.index("E11")
    registers = [document.register for _, document, _ in entries]
    assert registers == sorted(registers, key=lambda name: name != "sources")
