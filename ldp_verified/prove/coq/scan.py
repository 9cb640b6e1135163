"""Read the commands, theorems and imports of a Coq source, without comments and strings.

`Print Assumptions` sees every axiom that a theorem uses; this sees those that none uses yet, and
what would make the checker trust more than the text shows (switched-off checks, changed notations).
A file consists of the commands that are listed here, in the forms that are listed here. Whatever
else it says is an escape hatch, also where it is harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

PLAIN = frozenset(map(chr, range(32, 127))) | {"\n", "\u00b2"}
"""The characters of a proof: ASCII, and the library's sign of a square. Others may look alike."""

STATEMENTS = frozenset(
    ("Definition", "Fixpoint", "Inductive", "Record", "Lemma", "Theorem", "Let", "Ltac")
)
"""Commands with a body of their own: what they introduce is checked, or is a tactic."""

SECTION_ONLY = frozenset({"Variable", "Variables", "Hypothesis", "Hypotheses", "Context"})
"""Inside a section they generalise its theorems; outside they are axioms."""

HOLDS_STRINGS = frozenset({"Definition", "Fixpoint", "Ltac"})
"""Elsewhere a string is a notation, the name of a file, or a plugin."""

COQ_MODULES = frozenset(
    ("Reals", "List", "Arith", "Bool", "Lia", "Lra", "Psatz", "ZArith", "Znumtheory", "FinFun")
) | {"Ascii", "Permutation", "String"}
"""What may be required of Coq's own library: no module that changes notations or adds axioms."""

REALS = "R_scope"
SCOPES = frozenset({REALS, "nat_scope", "string_scope"})
"""Scopes of Coq's own. A printed file opens the reals, once; the library any, after its imports."""

NO_TACTICS = frozenset({"admit", "give_up", "native_compute", "native_cast_no_check"})
"""Words that leave a proof unfinished, or let something else than the kernel check it."""

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_']*|\.\.\.|\.\.|\S")
COQ_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
"""A name as a text of Coq is read here: letters beyond these are no part of one."""

_BULLETS = frozenset("-+*{}")


@dataclass(frozen=True)
class ScanFinding:
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
    return _without_comments(text, " ")


def _without_comments(text: str, quote: str) -> str:
    """Blank comments and strings, with the mark `quote` where a string begins."""
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
            if not depth:
                out.append(quote if quoted else text[position])
                position += 1
                continue
        out.append("".join("\n" if c == "\n" else " " for c in text[position : position + step]))
        position += step
    return "".join(out)


def sentences(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line of the first token, tokens) of every sentence outside comments; a string is `"`.

    The last one of a text need not end: then it does not end with `.` either, as others do.
    """
    current: list[str] = []
    start, line, counted = 0, 1, 0
    plain = _without_comments(text, '"')
    for match in _TOKEN.finditer(plain):
        if not current:
            line += plain.count("\n", counted, match.start())
            start, counted = line, match.start()
        token = match.group()
        after = plain[match.end() : match.end() + 1]
        if token in {".", "..."} and (not after or after.isspace()):
            yield start, current
            current = []
        else:
            current.append(token)
    if current:
        yield start, current


def escapes(path: Path, name: str) -> list[ScanFinding]:
    """Everything in a file that is not on the list of what a proof may say, with its line.

    Args:
        path: the file. name: relative to the proofs folder; what lies in `generated/` speaks of
            real numbers and takes no other scope.
    """
    text = path.read_text(encoding="utf-8")
    found = [
        ScanFinding(name, number, f"the character U+{ord(character):04X} has no place in a proof")
        for number, line in enumerate(text.split("\n"), start=1)
        for character in dict.fromkeys(line)
        if character not in PLAIN
    ]
    if ".(*" in text:  # Coq reads `.(` there, and no comment.
        line = text.count("\n", 0, text.index(".(*")) + 1
        found.append(ScanFinding(name, line, "a comment right behind a full stop"))
    reading = _Reading(name.startswith("generated/"))
    for line, words in sentences(text):
        if wrong := reading.wrong(words):
            found.append(ScanFinding(name, line, wrong))
    return found


@dataclass
class _Reading:
    """The position of a reader among the sentences of a file.

    Attributes:
        generated: whether only the reals are opened. depth: open sections. proving:
            whether between `Proof` and `Qed`. opened: the scope; with it imports are over.
    """

    generated: bool
    depth: int = 0
    proving: bool = False
    opened: str = ""

    def wrong(self, words: list[str]) -> str:
        """Return why the next sentence is not allowed; empty if it is on the list."""
        for word in words:
            if word in NO_TACTICS:
                return f"{word} has no place in a proof"
        rest = _behind_bullets(words) if self.proving else words
        shown = " ".join(words[:6])
        if self.proving:
            self.proving = rest != ["Qed"]
            # A tactic needs no list: what it makes is checked at `Qed`. Commands begin otherwise.
            named = not rest or not self.proving or (rest[0][0].islower() or rest[0] in "[(")
            return "" if named else f"{shown}: no command belongs in a proof"
        if words[0] in SECTION_ONLY and self.depth <= 0:
            return f"{words[0]} outside a section is an axiom"
        return "" if self._listed(words) else f"{shown}: no command on the list of those allowed"

    def _listed(self, words: list[str]) -> bool:
        head, *rest = words
        if '"' in words and (head not in HOLDS_STRINGS or "where" in words):
            return False
        # `:>` declares a coercion, and a percent sign in `Arguments` a scope.
        if ":" in words and any(pair == (":", ">") for pair in pairwise(words)):
            return False
        match head:
            case "Proof":
                self.proving = not rest
                return not rest
            case "Section" | "End":
                self.depth += 1 if head == "Section" else -1
                return len(rest) == 1
            case "From" | "Import":
                return not self.opened and _imports(words)
            case "Open":
                before, self.opened = self.opened, rest[-1] if rest else ""
                known = SCOPES if not self.generated else frozenset() if before else {REALS}
                return rest[:-1] == ["Scope"] and self.opened in known
            case "Arguments":
                return COQ_NAME.fullmatch("".join(rest[:1])) is not None and all(
                    word in "{}" or COQ_NAME.fullmatch(word) for word in rest
                )
            case "Implicit":
                return rest[:1] == ["Types"]
            case _:
                return head in STATEMENTS or head in SECTION_ONLY


def _behind_bullets(words: list[str]) -> list[str]:
    """A sentence of a proof without bullets, braces and the goals that it names."""
    while words:
        if words[0] in _BULLETS:
            words = words[1:]
        elif len(words) > 1 and words[1] == ":" and (words[0].isdigit() or words[0] == "all"):
            words = words[2:]
        else:
            break
    return words


def _imports(words: list[str]) -> bool:
    """Return whether a sentence imports what may be imported."""
    if words[0] == "Import":
        return words == ["Import", "ListNotations"]
    if words[2:4] != ["Require", "Import"] or len(words) == 4:
        return False
    ours = words[1] == "LDP" and all(COQ_NAME.fullmatch(word) for word in words[4:])
    return ours or (words[1] == "Coq" and COQ_MODULES.issuperset(words[4:]))


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
