"""Generated files: which were written, or which are not what their specs give now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.app.report.output import Json, Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WRITTEN = "written"
MISSING = "missing"
DIFFERENT = "is not what the spec gives now"


@dataclass(frozen=True)
class File:
    """A file of generated code.

    Attributes:
        path: where it is, or would be below --output; None for stdout.
        state: `WRITTEN`, or why it is not there or wrong (`MISSING`, `DIFFERENT`, ...).
        spec: what it was generated from, as the user named it; None for the catalogue.
        text: the module, where it was asked for.
    """

    path: Path | None
    state: str
    spec: str | None = None
    text: str | None = None


def terminal(files: Sequence[File], mend: str | None) -> Iterator[Part]:
    """One line per file; below them, where something is wrong, the command that mends it."""
    if not files:
        yield Text("every file is what its spec gives")
        return
    yield Text("\n".join(f"{_shown(file.path)}: {file.state}" for file in files))
    if mend is not None:
        yield Text(f"{len(files)} not current; to mend: {mend}")


def document(files: Sequence[File], mend: str | None) -> dict[str, Json]:
    """{"files": [...], "mend": ...}; `mend` is null where nothing is wrong."""
    entries: list[Json] = [
        {
            "path": None if file.path is None else str(file.path),
            "state": file.state,
            "spec": file.spec,
            "text": file.text,
        }
        for file in files
    ]
    return {"files": entries, "mend": mend if files else None}


def _shown(path: Path | None) -> str:
    """Return a path as text, without the current folder where it lies below that."""
    if path is None:
        return "stdout"
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
