"""Finding and reading files of claims."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

from ldp_verified.check.claims.entries import Document, Entry
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.language import catalogue_folder
from ldp_verified.language.requirements import reading_file


def claims_folder() -> Path:
    """`spec/claims/` of the checkout, else of the copy that the wheel carries."""
    return catalogue_folder() / "claims"


def load_document(path: Path) -> Document:
    """Load the document that a file of claims declares.

    Args:
        path: of the file, which is run.

    Raises:
        SpecError: there is no such file, or it declares no document.
    """
    if not path.is_file():
        raise SpecError(str(path), "no such file of claims")
    with reading_file():
        names = runpy.run_path(str(path))
    for value in names.values():
        if isinstance(value, Document):
            return value
    raise SpecError(str(path), "declares no Document at its top level")


def load_documents(folder: Path | None = None) -> tuple[tuple[str, Document], ...]:
    """Load all documents, the sources first, both parts in order of their first id.

    Args:
        folder: of the files; None for `spec/claims`.

    Returns:
        (file name without .py, document) of each.

    Raises:
        SpecError: two documents use the same id.
    """
    place = claims_folder() if folder is None else folder
    found = [(p.stem, load_document(p)) for p in sorted(place.glob("*.py")) if p.stem[0] != "_"]
    found.sort(key=lambda each: (each[1].register != "sources", each[1].entries[0].id))
    ids = [entry.id for _, document in found for entry in document.entries]
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice:
        raise SpecError("claims", "must have different ids", twice)
    return tuple(found)


def chosen(
    documents: tuple[tuple[str, Document], ...], wanted: list[str]
) -> list[tuple[str, Document, Entry]]:
    """Choose the entries with these ids, or of files of these names; all where none is named.

    Entries of the sources are in the order of the documents: by letter, then by number.

    Args:
        documents: (file name without .py, document), as `load_documents` gives them.
        wanted: ids ("A6") or names of files, in any order.

    Returns:
        (file name, document, entry) of each.

    Raises:
        ParameterError: an id that no file declares.
    """
    every = [(name, document, entry) for name, document in documents for entry in document.entries]
    every.sort(key=_place)
    names = {name for name, _ in documents} | {entry.id.lower() for _, _, entry in every}
    for each in wanted:
        if each not in names and each.lower() not in names:
            raise ParameterError("ID", "must be an id of the register, or a file of claims", each)
    if not wanted:
        return every
    low = {each.lower() for each in wanted}
    return [e for e in every if e[0] in wanted or e[2].id.lower() in low]


def _place(found: tuple[str, Document, Entry]) -> tuple[bool, str, int, str]:
    """Return where an entry stands; the literature keeps the order of its files."""
    _, document, entry = found
    if document.register != "sources":
        return True, "", 0, ""
    parts = re.fullmatch(r"([A-Z])(\d+)(\w*)", entry.id)
    if parts is None:
        return False, entry.id, 0, ""
    letter, number, rest = parts.groups()
    return False, letter, int(number), rest


COMPARED = "compared.json"
"""Beside the files of claims: the formal versions that somebody compared with their sources."""


def compared(folder: Path | None = None) -> frozenset[tuple[str, str]]:
    """(id, formal statement) of every reading that was compared with its source.

    Raises:
        SpecError: the file cannot be read as such a list.
    """
    path = (claims_folder() if folder is None else folder) / COMPARED
    if not path.is_file():
        return frozenset()
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
        return frozenset((name, said) for name, each in listed.items() for said in each)
    except (ValueError, AttributeError, TypeError) as error:
        raise SpecError(str(path), "must map ids to formal statements", str(error)) from None


def write_compared(folder: Path | None = None) -> None:
    """Record that every formal version, as it stands now, was compared with its source.

    Args:
        folder: of the files; None for `spec/claims`.
    """
    place = claims_folder() if folder is None else folder
    listed = {
        entry.id: [
            each.statement for part in entry.parts for each in (*part.readings, *part.corrections)
        ]
        for _, _, entry in chosen(load_documents(place), [])
    }
    text = json.dumps(listed, indent=1, ensure_ascii=True)
    (place / COMPARED).write_text(f"{text}\n", encoding="utf-8", newline="\n")
