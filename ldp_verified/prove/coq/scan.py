"""What a Coq source says outside comments and strings: escape hatches, theorems, imports.

`Print Assumptions` sees every axiom that a theorem uses; this sees those that none uses yet, and
what would make the checker trust more than the text shows (switched-off checks, changed notations).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ESCAPES = """
Admitted admit Admit give_up Axiom Axioms Parameter Parameters Conjecture Conjectures Abort
bypass_check Unset Load Declare Notation Infix Coercion Canonical Redirect Extraction Cd Module
Primitive Register Reserved Undo Restart Drop Quit Reset Back
"""
FORBIDDEN = frozenset(_ESCAPES.split())
"""Words that have no place in a finished proof, and none as a name either."""

SECTION_ONLY = frozenset({"Variable", "Variables", "Hypothesis", "Hypotheses", "Context"})
"""Inside a section they generalise its theorems; outside they are axioms."""

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_']*|\S")


@dataclass(frozen=True)
class Finding:
    """Something wrong in a file.

    Attributes:
        file: relative to the proofs folder. line: counted from 1. message: what is wrong.
    """

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def blanked(text: str) -> str:
    """The text with comments and strings replaced by spaces, line ends kept.

    Comments nest, and a string inside a comment may hold `*)`, as Coq reads them. A comment or
    string that does not end swallows the rest.
    """
    out: list[str] = []
    depth, position, quoted = 0, 0, False
    while position < len(text):
        two = text[position : position + 2]
        if quoted:
            quoted = text[position] != '"'
            step = 1
        elif two == "(*":
            depth, step = depth + 1, 2
        elif two == "*)" and depth:
            depth, step = depth - 1, 2
            out.append("  ")
            position += step
            continue
        else:
            quoted, step = text[position] == '"', 1
            if not depth and not quoted:
                out.append(text[position])
                position += 1
                continue
        out.append("".join("\n" if c == "\n" else " " for c in text[position : position + step]))
        position += step
    return "".join(out)


def sentences(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line of the first token, tokens) of every sentence outside comments and strings."""
    current: list[str] = []
    start = 0
    plain = blanked(text)
    for match in _TOKEN.finditer(plain):
        if not current:
            start = plain.count("\n", 0, match.start()) + 1
        token = match.group()
        after = plain[match.end() : match.end() + 1]
        if token == "." and (not after or after.isspace()):
            yield start, current
            current = []
        else:
            current.append(token)
    if current:
        yield start, current


def escapes(path: Path, name: str) -> list[Finding]:
    """Every escape hatch in a file, with its line."""
    found = []
    depth = 0
    for line, words in sentences(path.read_text(encoding="utf-8")):
        if words[0] == "Section":
            depth += 1
        elif words[0] == "End":
            depth -= 1
        for word in words:
            if word in FORBIDDEN:
                found.append(Finding(name, line, f"{word} has no place in a proof"))
            elif word in SECTION_ONLY and depth <= 0:
                found.append(Finding(name, line, f"{word} outside a section is an axiom"))
        if words[0] == "Set":
            found.append(Finding(name, line, "Set changes what Coq checks"))
    return found


def theorems(path: Path) -> dict[str, int]:
    """The names of the theorems that a file states, with their lines."""
    found = {}
    for line, words in sentences(path.read_text(encoding="utf-8")):
        if "Theorem" in words[:3]:
            found[words[words.index("Theorem") + 1]] = line
    return found


def imports(path: Path) -> set[str]:
    """The modules of the library that a file requires, as file names without .v."""
    found: set[str] = set()
    for _, words in sentences(path.read_text(encoding="utf-8")):
        if words[:3] == ["From", "LDP", "Require"]:
            found |= {word for word in words[3:] if word not in {"Import", "Export"}}
    return found
