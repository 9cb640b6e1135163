"""The committed modules: written from the catalogue, and checked for drift."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.generate.module import has_class, module_text, package_text, without_tools
from ldp_verified.language import catalogue, load, load_file

_PACKAGE = Path(__file__).resolve().parents[1]

FOLDER = _PACKAGE / "run" / "mechanisms"
"""Where the catalogue's modules are committed."""

CHECKOUT = _PACKAGE.parent
"""The checkout that the package lies in, if it does not lie in an installation."""


def generate(spec: str | Path) -> str:
    """Print the module for a spec.

    Args:
        spec: a name from the catalogue, or the path of a file.

    Returns:
        The text of the module, formatted.

    Raises:
        SpecError: no such spec, it cannot be read as a table, or it has no numeric side.
    """
    mechanisms = load(spec)
    origin = mechanisms[0].origin
    if origin is not None and str(spec) != origin.path:
        mechanisms = load_file(Path(origin.path))  # the whole file, if a mechanism was named
    return module_text(mechanisms)


def catalogue_files(folder: Path = FOLDER) -> dict[Path, str]:
    """Path -> text of every file that is generated from the catalogue."""
    loaded = {name: load_file(path) for name, path in catalogue().items()}
    loaded = {name: found for name, found in loaded.items() if any(map(has_class, found))}
    texts = {folder / f"{name}.py": module_text(found) for name, found in loaded.items()}
    names = [(name, [m.name for m in found if has_class(m)]) for name, found in loaded.items()]
    return {folder / "__init__.py": package_text(names), **texts}


def check(folder: Path = FOLDER) -> list[str]:
    """Return the faults of the committed modules, one line each; empty if all are current.

    The line that names tool versions may differ.

    Args:
        folder: of the modules; by default that of the package.
    """
    expected = catalogue_files(folder)
    problems = []
    for path, text in expected.items():
        if not path.is_file():
            problems.append(f"{path}: missing")
        elif without_tools(path.read_text(encoding="utf-8")) != without_tools(text):
            problems.append(f"{path}: is not what the spec gives now")
    stale = sorted(path for path in folder.glob("*.py") if path not in expected)
    return problems + [f"{path}: belongs to no spec" for path in stale]


def write(folder: Path = FOLDER) -> list[Path]:
    """Write the modules that are not current, each replaced as a whole or not at all.

    Args:
        folder: of the modules; by default that of the package.

    Returns:
        The files that were written; none where only tool versions differ.

    Raises:
        SpecError: the folder cannot be written to.
    """
    written = []
    for path, text in catalogue_files(folder).items():
        if path.is_file() and without_tools(path.read_text(encoding="utf-8")) == without_tools(
            text
        ):
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except OSError as error:
            raise SpecError(str(folder), f"cannot hold generated modules: {error}") from error
        written.append(path)
    return written
