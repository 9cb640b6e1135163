"""Keep the asterisks of p* and q* in docstrings, which Markdown would take for emphasis.

An extension of griffe, which reads the docstrings when the site is built (`mkdocs.yml`); it runs
in the site's own environment.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

griffe: Any = import_module("griffe")

CODE_OR_STAR = re.compile(r"(`[^`]*`)|(?<=\w)\*")
"""Code as it is written, or an asterisk behind a letter or digit."""


def escaped(text: str) -> str:
    """Return a docstring in which an asterisk behind a word stays one."""
    return CODE_OR_STAR.sub(lambda found: found[1] or r"\*", text)


class Asterisks(griffe.Extension):  # type: ignore[misc]  # griffe is not installed where types are checked
    """Escape them in every docstring that the pages show."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of an object that was just loaded."""
        if obj.docstring is not None:
            obj.docstring.value = escaped(obj.docstring.value)
