"""Answers about wrong variants that were given before, so that an interrupted run goes on.

An answer is known by all that it depends on: the spec, the sources of the checkers and of Coq's
library, the checkers asked, and the variant. A change of any of them, and it is asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.prove.mutation.mutants import Mutant
from ldp_verified.prove.routes import Opinion

SOURCES = ("language", "derive", "prove")
"""The parts of the package that make variants and judge them."""


@dataclass(frozen=True)
class RecordedAnswer:
    """The recorded answer about one variant.

    Attributes:
        equivalent: as in `Judged`. opinions, control: checker -> what it says of the variant, and
            of the declaration before the change.
    """

    equivalent: str
    opinions: Mapping[str, Opinion]
    control: Mapping[str, Opinion]


@dataclass
class AnswerStore:
    """A file of answers, one JSON document a line.

    Attributes:
        path: the file; made when something is kept. basis: the hash of what all answers rest on.
        known: key -> answer, of this basis. mechanisms: of which there are some.
    """

    path: Path
    basis: str
    known: dict[str, RecordedAnswer] = field(default_factory=dict)
    mechanisms: set[str] = field(default_factory=set)

    def key(self, mutant: Mutant) -> str:
        """Return the key under which a variant's answer is stored."""
        both = [m for m in (mutant.control, mutant.mechanism) if m is not None]
        made = [f"{m.table!r} {m.claims!r} {m.variables!r} {m.assuming!r}" for m in both]
        parts = (self.basis, mutant.name, *made)
        return sha256("\n".join(parts).encode()).hexdigest()

    def get(self, mutant: Mutant) -> RecordedAnswer | None:
        """Return the stored answer about a variant; None if there is none."""
        return self.known.get(self.key(mutant))

    def put(self, mutant: Mutant, answer: RecordedAnswer) -> None:
        """Keep an answer, at once."""
        key = self.key(mutant)
        name = mutant.control.name
        self.known[key] = answer
        self.mechanisms.add(name)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"basis": self.basis, "mechanism": name, "key": key, **asdict(answer)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def open_store(path: Path, asked: Iterable[str], proofs: Path | None) -> AnswerStore:
    """The answers in a file that rest on the present sources; a cut-off last line is left out.

    Args:
        path: the file; it need not exist. asked: the checkers. proofs: the folder of Coq's library;
            None where Coq is not asked.

    Raises:
        SpecError: the file is there and is no such file.
    """
    basis = _basis(asked, proofs)
    store = AnswerStore(path, basis)
    if not path.exists():
        return store
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        if number == len(lines):
            break  # Empty, or cut off when the run was stopped.
        try:
            entry = json.loads(line)
            if entry["basis"] == basis:
                store.mechanisms.add(entry["mechanism"])
                store.known[entry["key"]] = RecordedAnswer(
                    entry["equivalent"], _opinions(entry["opinions"]), _opinions(entry["control"])
                )
        except (ValueError, KeyError, TypeError) as error:
            raise SpecError(f"{path}:{number}", "is no answer about a variant") from error
    if lines[-1]:
        path.write_text("\n".join([*lines[:-1], ""]), encoding="utf-8")
    return store


def _opinions(found: Mapping[str, Any]) -> dict[str, Opinion]:
    return {name: Opinion(**opinion) for name, opinion in found.items()}


def _basis(asked: Iterable[str], proofs: Path | None) -> str:
    package = Path(__file__).parents[2]
    files = [path for part in SOURCES for path in sorted((package / part).rglob("*.py"))]
    if proofs is not None:
        files += [*sorted((proofs / "lib").glob("*.v")), proofs / "allowed_axioms.txt"]
    total = sha256(" ".join(asked).encode())
    for path in files:
        total.update(f"{path.name}:{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
