"""The pages, found by their codes."""

from __future__ import annotations

from pathlib import Path

from ldp_verified.errors import ParameterError

FOLDER = Path(__file__).resolve().parent
PREFIX = "LDPE-"
"""How the codes of errors begin; those of an audit's rules are LDP and a number."""


def codes() -> tuple[str, ...]:
    """The codes that have a page, in alphabetical order."""
    return tuple(sorted(path.stem for path in FOLDER.glob(f"{PREFIX}*.md")))


def page(code: str) -> str:
    """The page of an error, as Markdown.

    Args:
        code: as `error.code` has it, in upper or lower case.

    Raises:
        ParameterError: no error has this code.
    """
    if code.upper() not in codes():
        raise ParameterError("code", f"must be one of {', '.join(codes())}", code)
    return (FOLDER / f"{code.upper()}.md").read_text(encoding="utf-8")


def title(code: str) -> str:
    """Return what an error is, in one line.

    Args:
        code: as in `page`.

    Raises:
        ParameterError: as in `page`.
    """
    return page(code).partition("\n")[0].partition(": ")[2]
