"""The hand-kept lists of what has to be proved, and the Coq file that checks them.

A file `LDP.Design.txt` or `Mechanisms.grr.txt` lists a module. An entry `name : statement` is a
theorem; `name := term` pins a definition, `name :: type` the type of something primitive. All are
checked by the kernel, up to conversion, in a file that imports none of the modules. A theorem that
was weakened under the same name does not have the listed type, and a definition that was changed is
not the listed term.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ldp_verified.errors import SpecError

LISTS = "expected_theorems"
"""The folder of the lists, in the proofs folder."""

_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_KINDS = {":": "theorem", ":=": "definition", "::": "type"}
_ENTRY = re.compile(r"^([A-Za-z_]\w*)\s*(:=|::|:)\s*(.*)$")


@dataclass(frozen=True)
class Expected:
    """One entry.

    Attributes:
        module: such as Mechanisms.grr. name: of the theorem or definition. text: its statement or
            body. kind: "theorem", "definition" or "type". line: in the module's file.
    """

    module: str
    name: str
    text: str
    kind: str
    line: int

    @property
    def qualified(self) -> str:
        """The full name in Coq."""
        return f"{self.module}.{self.name}"

    @property
    def file(self) -> str:
        """The file that lists it, from the proofs folder."""
        return f"{LISTS}/{self.module}.txt"


def read_expected(proofs_dir: Path) -> list[Expected]:
    """The entries of all lists of a proofs folder, by the names of their files.

    Raises:
        SpecError: there is no list, a file has no name of a module, or a line is no entry, comment
            or continuation.
    """
    paths = sorted((proofs_dir / LISTS).glob("*.txt"))
    if not paths:
        raise SpecError(str(proofs_dir / LISTS), "no such list")
    return [entry for path in paths for entry in _read(path)]


def _read(path: Path) -> list[Expected]:
    module = path.stem
    if not _MODULE.fullmatch(module):
        raise SpecError(str(path), "must be named after a module")
    entries: list[Expected] = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = raw.rstrip()
        if not line or line.startswith("#"):
            continue
        if line[0].isspace():
            if not entries:
                raise SpecError(f"{path}:{number}", "continues no entry", line)
            last = entries[-1]
            text = f"{last.text}\n{line}".strip()
            entries[-1] = Expected(module, last.name, text, last.kind, last.line)
        elif entry := _ENTRY.match(line):
            name, kind, text = entry.groups()
            entries.append(Expected(module, name, text, _KINDS[kind], number))
        else:
            raise SpecError(f"{path}:{number}", "must be `name` with `:`, `:=` or `::`")
    return entries


def read_axioms(path: Path) -> dict[str, frozenset[str] | None]:
    """The axioms in an allowed_axioms.txt, with the theorems that may use them; None for all.

    Raises:
        SpecError: the file is missing.
    """
    if not path.is_file():
        raise SpecError(str(path), "no such file")
    allowed: dict[str, frozenset[str] | None] = {}
    for raw in path.read_text(encoding="utf-8").splitlines():
        axiom, colon, names = raw.split("#")[0].partition(":")
        if axiom.strip():
            who = frozenset(name.strip() for name in names.split(","))
            allowed[axiom.strip()] = who if colon else None
    return allowed


def may_use(entry: Expected, allowed: dict[str, frozenset[str] | None]) -> frozenset[str]:
    """The axioms that a theorem may rest on."""
    return frozenset(a for a, who in allowed.items() if who is None or entry.name in who)


def may_use_own(statement: str, allowed: dict[str, frozenset[str] | None]) -> frozenset[str]:
    """The axioms that a theorem outside the list may rest on.

    Those that all may use, and those that are allowed for `statements with WORD` if it has the
    word.
    """
    words = set(re.findall(r"\w+", statement))
    return frozenset(
        axiom
        for axiom, who in allowed.items()
        if who is None or any(f"statements with {word}" in who for word in words)
    )


def check_file(entries: list[Expected], skipped: set[int]) -> tuple[str, list[int]]:
    """Coq text that checks every entry, and for each of its lines the index of the entry.

    Args:
        entries: the whole list. skipped: indices to leave out.

    Returns:
        The text; and a list with, for each line of it, the index of the entry or -1.
    """
    lines: list[str] = []
    origin: list[int] = []

    def add(text: str, index: int = -1) -> None:
        for line in text.split("\n"):
            lines.append(line)
            origin.append(index)

    add("From Coq Require Import Reals List Arith Bool.")
    add("Import ListNotations.\nOpen Scope R_scope.")
    for module in dict.fromkeys(entry.module for entry in entries):
        add(f"Require {module}.")
    kept = [(i, entry) for i, entry in enumerate(entries) if i not in skipped]
    for i, entry in kept:
        add(f"Local Notation {entry.name} := {entry.qualified}.", i)
    for i, entry in kept:
        full = f"@{entry.qualified}"
        if entry.kind == "definition":
            add(f"Definition expected_{i} :\n  {full} = ({entry.text})\n  := eq_refl.", i)
        else:
            add(f"Definition expected_{i} :\n  {entry.text}\n  := {full}.", i)
    return "\n".join(lines) + "\n", origin


def assumptions_file(module: str, groups: Sequence[Sequence[str]]) -> str:
    """Coq text that prints, for each group of a module's names, what it rests on.

    Without a module it is the end of the text that has the names.

    The names of a group are bound one after the other: the type of a tuple would repeat all
    statements before each, which takes minutes for some hundreds of them.
    """
    lines = [f"Require {module}."] if module else [""]
    within = f"{module}." if module else ""
    for number, names in enumerate(groups):
        bound = " ".join(f"let _ := {within}{name} in" for name in names)
        lines.append(f"Definition group_{number} := {bound} tt.")
        lines.append(f'Redirect "assumptions_{number}" Print Assumptions group_{number}.')
    return "\n".join(lines) + "\n"


def read_assumptions(text: str) -> list[str]:
    """The names that `Print Assumptions` printed."""
    if text.strip() == "Closed under the global context":
        return []
    return [
        line.split(" ", 1)[0].rstrip(":")
        for line in text.splitlines()
        if line and not line[0].isspace() and not line.rstrip().endswith(":")
    ]
