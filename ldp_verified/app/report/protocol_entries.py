"""Write what a page says of each declared protocol: who sends what, and what a transcript costs.

Nothing here knows a protocol by name: the box of the paper comes from the file's docstring, all
else from the declaration and its ledger, and from the class whose name it has.
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING, Any

import ldp_verified.protocols
from ldp_verified.app.report.entries import CatalogueEntry, EntryGrid, Section, said_by
from ldp_verified.derive.ledger import ledger
from ldp_verified.language import load_protocol
from ldp_verified.spec_files import catalogue_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.app.report.sentences import Sentence
    from ldp_verified.language.protocol import Protocol

Facts = tuple[tuple[str, "Sentence"], ...]


def protocol_sections() -> list[Section]:
    """One section for each file of `spec/protocols`, by name."""
    return [_section(path) for path in sorted((catalogue_folder() / "protocols").glob("*.py"))]


def _section(path: Path) -> Section:
    lead, notes, source = said_by(path)
    protocol = load_protocol(path)
    entry = CatalogueEntry(
        protocol.name, protocol.title, _sent(protocol), (*box(path), *_facts(protocol))
    )
    return Section(protocol.name, lead, notes, source, (entry,))


def box(path: Path) -> Facts:
    """The docstring's box, line by line: (who, what they do).

    A line begins with who acts, in the first column of an indented paragraph; what is indented
    more goes on with it.
    """
    found: list[tuple[str, str]] = []
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    for line in text.splitlines():
        begin = re.fullmatch(r"    (\S.*?)(?:   *(\S.*))?", line)
        if begin is not None and begin[2]:
            found.append((begin[1], begin[2]))
        elif found and line.startswith("     "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return tuple((who, (said,)) for who, said in found)


def _sent(protocol: Protocol) -> EntryGrid:
    """A row for each report of a user."""
    heads = ("round", "randomizer", "applied to", "epsilon")
    rows = []
    for number, each in enumerate(protocol.rounds, 1):
        times = "" if each.times == 1 else f", {each.times} times"
        for sent in each.sends:
            cells = (f"{number}{times}", sent.randomizer.name, str(sent.of), str(sent.price))
            rows.append(tuple((cell,) for cell in cells))
    return EntryGrid(tuple((head,) for head in heads), tuple(rows))


def _facts(protocol: Protocol) -> Facts:
    groups = "none" if protocol.groups is None else str(protocol.groups.count)
    facts = {
        "parameters": ", ".join(p.domain.describe(p.name) for p in protocol.parameters),
        "values": str(protocol.values),
        "groups": groups,
        "epsilon of a transcript, declared": str(protocol.epsilon),
        "derived, an upper bound": str(ledger(protocol).epsilon),
        "count of a value": protocol.counts,
        "influence of one user": _influence(protocol.name),
        "who proved what": f"`ldp-verified verify {protocol.name}`",
    }
    return tuple((label, (said,)) for label, said in facts.items() if said)


SIZES: dict[str, Any] = {
    "attributes": ("a", "b", "c", "d"),
    "epsilon": 1.0,
    "bits": 16,
    "k": 16,
    "sizes": (16, 16),
    "length": 3,
    "days": 16,
    "changes": 2,
    "epochs": 8,
}
"""What an influence is shown at, as far as a class takes it."""


def _influence(name: str) -> str:
    """Say what a user who lies adds to a count, by the class that runs the protocol, if any."""
    classes = {each.lower(): each for each in ldp_verified.protocols.__all__}
    made = getattr(ldp_verified.protocols, classes.get(name.replace("_", ""), ""), None)
    if made is None or not hasattr(made, "influence"):
        return ""
    given = {key: SIZES[key] for key in inspect.signature(made).parameters if key in SIZES}
    found = made(**given).influence()
    shown = ", ".join(f"{key} = {value}" for key, value in given.items())
    return (
        f"{float(found.least):.4g} to {float(found.most):.4g} at {shown}; a lie attains both ends"
    )
