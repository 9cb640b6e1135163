"""The shape of the JSON that `audit`, `replay` and `explain` write, as a file of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

FILE = "audit.schema.json"


def schema_text() -> str:
    """Return the JSON Schema (draft 2020-12) of the documents, as it is written.

    It allows fields that it does not name: new ones may come without a new version. A field that
    goes, or comes to mean something else, changes the version (`output.SCHEMA`).
    """
    return files("ldp_verified.app.report").joinpath(FILE).read_text(encoding="utf-8")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the documents as a mapping."""
    found: dict[str, Any] = json.loads(schema_text())
    return found
