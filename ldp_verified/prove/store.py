"""Certificates on disk: written when asked for, and checked for drift."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.language import Mechanism
from ldp_verified.prove import checker
from ldp_verified.prove.case import certificate_for


def document(mechanism: Mechanism) -> str:
    """The text of a mechanism's certificate file."""
    return json.dumps(certificate_for(mechanism), indent=1, sort_keys=True) + "\n"


def write_certificates(mechanisms: Iterable[Mechanism], directory: Path) -> list[Path]:
    """Write one file NAME.json per mechanism, each replaced as a whole or not at all.

    Raises:
        SpecError: the directory cannot be made or written to.
    """
    written = []
    texts = [(directory / f"{m.name}.json", document(m)) for m in mechanisms]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for path, text in texts:
            handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
            written.append(path)
    except OSError as error:
        raise SpecError(str(directory), f"cannot hold certificates: {error}") from error
    return written


def certificate_drift(mechanisms: Iterable[Mechanism], directory: Path) -> list[str]:
    """What is wrong with the files in `directory`, one line each.

    Empty where every certificate is current and still shows what it did.
    """
    problems = []
    expected = set()
    for mechanism in mechanisms:
        path = directory / f"{mechanism.name}.json"
        expected.add(path.name)
        if not path.is_file():
            problems.append(f"{path}: missing")
        elif path.read_text(encoding="utf-8") != document(mechanism):
            problems.append(f"{path}: is not what the spec gives now")
        else:
            problems += [f"{path}: {line}" for line in recheck(json.loads(path.read_text()))]
    stale = sorted(p.name for p in directory.glob("*.json") if p.name not in expected)
    return problems + [f"{directory / name}: belongs to no mechanism" for name in stale]


def recheck(certificates: dict[str, Any]) -> list[str]:
    """What a certificate document does not show of its own statement; empty where all is shown.

    Needs no sympy.
    """
    return [
        f"{part}: {outcome.obligation.name}: {outcome.reason}"
        for part, certificate in certificates.items()
        if certificate is not None
        for outcome in checker.check(certificate["statement"], certificate)
        if not outcome.shown
    ]
