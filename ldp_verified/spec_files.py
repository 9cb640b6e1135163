"""Find the catalogue's spec files, and read their descriptions without loading them.

Nothing here needs sympy: the list is read from `spec/index.json`, which `ldp-verified catalogue`
writes. It counts only while every file of the catalogue still has the digest that it names.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

INDEX = "index.json"

_PACKAGE = Path(__file__).resolve().parent


def catalogue_folder() -> Path:
    """The checkout's `spec/` if the package lies in one, else the copy that the wheel carries."""
    checkout = _PACKAGE.parent / "spec"
    if checkout.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return checkout
    return _PACKAGE / "_spec"


def catalogue() -> dict[str, Path]:
    """Module name -> spec file of the catalogue, in alphabetical order."""
    return {
        path.stem: path
        for path in sorted(catalogue_folder().glob("*.py"))
        if not path.stem.startswith("_")
    }


def digest(text: str) -> str:
    """SHA-256 of a spec's text, whatever ends its lines."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def digests() -> dict[str, str]:
    """File name -> digest, of every spec of the catalogue.

    Raises:
        OSError: a file cannot be read.
        UnicodeDecodeError: a file is no text.
    """
    return {path.name: digest(path.read_text(encoding="utf-8")) for path in catalogue().values()}


def index_text(mechanisms: list[Any]) -> str:
    """The index of these mechanisms, each an entry of `ldp-verified list --json`."""
    found = {"files": digests(), "mechanisms": mechanisms}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def indexed() -> list[Any] | None:
    """The entries of the index; None where it is missing or a spec has changed since."""
    try:
        found = json.loads((catalogue_folder() / INDEX).read_text(encoding="utf-8"))
        if found["files"] == digests():
            return list(found["mechanisms"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None
