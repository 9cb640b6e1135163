"""The manifest of the printed texts: which there are, and which of them lack.

It takes the standard library alone, so that a build, and every test, can ask.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MANIFEST = "manifest.sha256"
FOLDERS = ("certificates", "generated", "smt")


def listed(proofs: Path) -> dict[str, str]:
    """Path below the folder of proofs -> sha256, of every text that the manifest has.

    Raises:
        ValueError: a line is not what `sha256sum` writes of a file in one of the three folders.
    """
    found = {}
    lines = (proofs / MANIFEST).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        digest, _, path = line.partition("  ")
        folder, _, name = path.partition("/")
        plain = folder in FOLDERS and name not in ("", ".", "..") and "/" not in name
        if len(digest) != 64 or not plain or path in found:
            raise ValueError(f"{MANIFEST}:{number}: must be a sha256 and a path, not {line!r}")
        found[path] = digest
    return found


def lacking(proofs: Path) -> list[str]:
    """The texts of the manifest that are not there, or are there with another hash."""
    return [path for path, digest in listed(proofs).items() if sha256(proofs / path) != digest]


def strangers(proofs: Path) -> list[str]:
    """What lies in the three folders and is not in the manifest."""
    known = listed(proofs)
    lying = [p for folder in FOLDERS for p in sorted((proofs / folder).glob("*"))]
    return [name for p in lying if (name := p.relative_to(proofs).as_posix()) not in known]


def manifest(digests: Mapping[str, str]) -> str:
    """The text of the manifest, in the order of the paths."""
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))


def sha256(path: Path) -> str:
    """The hash of a file, in hex; empty where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
