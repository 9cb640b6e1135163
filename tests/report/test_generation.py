"""Generated files as they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.app.report.generation import DIFFERENT, WRITTEN, File, document, terminal
from ldp_verified.app.report.output import show

if TYPE_CHECKING:
    import pytest

FILES = [File(Path("a.py"), DIFFERENT, "a"), File(Path("b.py"), "belongs to no spec")]


def test_what_is_wrong_and_what_mends_it(capsys: pytest.CaptureFixture[str]) -> None:
    show(terminal(FILES, "mend it"))
    assert capsys.readouterr().out == (
        "a.py: is not what the spec gives now\nb.py: belongs to no spec\n\n"
        "2 not current; to mend: mend it\n"
    )


def test_what_was_written_needs_no_mending(capsys: pytest.CaptureFixture[str]) -> None:
    show(terminal([File(Path.cwd() / "a.py", WRITTEN)], None))
    show(terminal([], "mend it"))
    assert capsys.readouterr().out == "a.py: written\nevery file is what its spec gives\n"


def test_the_document() -> None:
    assert document(FILES[:1], "mend it") == {
        "files": [
            {"path": "a.py", "state": "is not what the spec gives now", "spec": "a", "text": None}
        ],
        "mend": "mend it",
    }
    assert document([], "mend it") == {"files": [], "mend": None}
