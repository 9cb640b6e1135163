"""The generated Coq files on disk: written when asked for, and checked for drift."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.language import Density, Mechanism
from ldp_verified.prove.coq.printer import Unsupported, coq_text


def write_coq(mechanisms: Iterable[Mechanism], directory: Path) -> list[Path]:
    """Write one file NAME.v per mechanism, each replaced as a whole or not at all.

    Raises:
        SpecError: a mechanism is not supported, or the directory cannot be written to.
    """
    texts = []
    for mechanism in mechanisms:
        if isinstance(mechanism.table, Density):
            continue  # the theory is about finite tables; SOUNDNESS.md says so
        text = coq_text(mechanism)
        if isinstance(text, Unsupported):
            raise SpecError(mechanism.name, f"is {text}")
        texts.append((directory / f"{mechanism.name}.v", text))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for path, text in texts:
            handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
    except OSError as error:
        raise SpecError(str(directory), f"cannot hold Coq files: {error}") from error
    return [path for path, _ in texts]


def coq_drift(mechanisms: Iterable[Mechanism], directory: Path) -> list[str]:
    """What is wrong with the .v files in `directory`, one line each.

    Empty where every file is the text of its mechanism, spec hash included, and no other is there.
    """
    problems = []
    expected = set()
    for mechanism in mechanisms:
        if isinstance(mechanism.table, Density):
            continue  # the theory is about finite tables; SOUNDNESS.md says so
        path = directory / f"{mechanism.name}.v"
        expected.add(path.name)
        text = coq_text(mechanism)
        if isinstance(text, Unsupported):
            problems.append(f"{path}: {text}")
        elif not path.is_file():
            problems.append(f"{path}: missing")
        else:
            found = path.read_text(encoding="utf-8")
            if mechanism.spec_hash not in found:
                problems.append(f"{path}:3: was made from another version of the spec")
            elif found != text:
                line = _first_difference(found, text)
                problems.append(f"{path}:{line}: is not what the spec gives now")
    stale = sorted(p.name for p in directory.glob("*.v") if p.name not in expected)
    return problems + [f"{directory / name}: belongs to no mechanism" for name in stale]


def _first_difference(found: str, wanted: str) -> int:
    pairs = zip(found.splitlines(), wanted.splitlines(), strict=False)
    for number, (have, want) in enumerate(pairs, start=1):
        if have != want:
            return number
    return min(found.count("\n"), wanted.count("\n")) + 1
