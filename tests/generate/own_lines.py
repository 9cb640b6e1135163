"""Classes of densities of one's own, from example files and from renamed specs of the catalogue."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from ldp_verified.check.conformance.own_specs import loaded
from ldp_verified.generate import class_name, generate
from ldp_verified.language import Mechanism, load_file

ROOT = Path(__file__).resolve().parents[2]

HEAD = """\
from ldp_verified.language import *

eps = real("eps", above=0)
b = real("b", above=0)
x = real("x", at_least=0, at_most=1)
u = exp(eps)
"""


def made(text: str, name: str) -> tuple[Any, Mechanism]:
    """The class of a declaration's mechanism, and the mechanism."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.py"
        path.write_text(text)
        found = next(m for m in load_file(path) if m.name == name)
        text = generate(path)
        return getattr(loaded(text, name), class_name(name)), found


@cache
def example(name: str) -> tuple[Any, Mechanism]:
    """Load a mechanism of `examples/specs`."""
    return made((ROOT / "examples" / "specs" / f"{name}.py").read_text(), name)


@cache
def renamed(name: str) -> tuple[Any, Mechanism]:
    """Load a mechanism of the catalogue under another name, so that it has no class."""
    text = (ROOT / "spec" / f"{name}.py").read_text()
    # A sampler of the catalogue would be drawn from, as the law is the same.
    text = re.sub(r"\n    sampler=.*", "", text)
    return made(text.replace(f'"{name}",\n', f'"my_{name}",\n'), f"my_{name}")
