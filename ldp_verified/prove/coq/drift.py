"""The generated Coq files on disk: written when asked for, and checked for drift."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.language import Mechanism
from ldp_verified.prove.coq.printer import Unsupported, coq_text

WITHOUT = "not_in_coq.txt"
"""Beside the folder of generated files: the mechanisms that have none, kept by hand."""


def read_without(path: Path) -> dict[str, str]:
    """Mechanism -> why it has no Coq file, from lines `name: reason`; empty without the list.

    Raises:
        SpecError: a line is neither that nor a comment.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(_lines(path), start=1):
        name, colon, reason = (part.strip() for part in line.partition(":"))
        if not name or name.startswith("#"):
            continue
        if not colon or not reason:
            raise SpecError(f"{path}:{number}", "must be `name: reason`", line)
        found[name] = reason
    return found


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def write_coq(mechanisms: Iterable[Mechanism], directory: Path) -> list[Path]:
    """Write one file NAME.v per mechanism, each replaced as a whole or not at all.

    Those that `not_in_coq.txt` beside the directory lists are left out.

    Raises:
        SpecError: another mechanism is not supported, or the directory cannot be written to.
    """
    texts = []
    without = read_without(directory.parent / WITHOUT)
    for mechanism in mechanisms:
        if mechanism.name in without:
            continue
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
    """Return the faults of the .v files in `directory`, one line each.

    Empty where every file is the text of its mechanism, spec hash included, and no other is there;
    where `not_in_coq.txt` beside the directory lists just the mechanisms that cannot be printed.
    """
    problems = []
    expected = set()
    listed = directory.parent / WITHOUT
    without = read_without(listed)
    known = set()
    for mechanism in mechanisms:
        path = directory / f"{mechanism.name}.v"
        known.add(mechanism.name)
        if mechanism.name in without:
            if not isinstance(coq_text(mechanism), Unsupported):
                problems.append(f"{listed}: {mechanism.name} can be printed, so it needs its file")
            continue
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
    problems += [f"{listed}: {name} is no mechanism" for name in sorted(without.keys() - known)]
    stale = sorted(p.name for p in directory.glob("*.v") if p.name not in expected)
    return problems + [f"{directory / name}: belongs to no mechanism" for name in stale]


def _first_difference(found: str, wanted: str) -> int:
    pairs = zip(found.splitlines(), wanted.splitlines(), strict=False)
    for number, (have, want) in enumerate(pairs, start=1):
        if have != want:
            return number
    return min(found.count("\n"), wanted.count("\n")) + 1
