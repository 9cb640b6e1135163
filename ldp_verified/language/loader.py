"""Finding and reading spec files: the catalogue's and a user's own go through the same door."""

from __future__ import annotations

import difflib
import runpy
import traceback
from copy import copy
from pathlib import Path
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.language.comparisons import reads_names
from ldp_verified.language.composites import Composite
from ldp_verified.language.declarations import declaring, refuse_nameless, sent_by
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.names import Origin
from ldp_verified.language.protocol import Protocol
from ldp_verified.language.requirements import reading_file
from ldp_verified.spec_files import catalogue, catalogue_folder, digest

_ONLY_A_PROTOCOL = (
    "declares a protocol, no mechanism: verify, derive, generate, conform and audit take it on the "
    "command line, and load_protocol here (docs/protocols.md)"
)

_WORD = "Protocol"
"""What stands in a file that declares one; files without it are not run to look for one."""

_read: dict[tuple[Path, str], tuple[Mechanism, ...]] = {}
"""(file of the catalogue, hash of its text) -> what it declared when it was run."""


def _of_catalogue(path: Path) -> tuple[Mechanism, ...]:
    """The mechanisms of a file of the catalogue, which is run once for each of its texts.

    Raises:
        SpecError: as in `load_file`.
    """
    try:
        key = path, digest(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return load_file(path)
    if key not in _read:
        _read[key] = load_file(path)
    return tuple(copy(mechanism) for mechanism in _read[key])


def _text(path: Path) -> str:
    """Read the text of a spec file.

    Raises:
        SpecError: it is missing or no text.
    """
    if not path.is_file():
        raise SpecError(str(path), "no such spec file")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(str(path), f"cannot be read as UTF-8 text: {error}") from error


def _names(path: Path) -> dict[str, Any]:
    """Run a spec file and return the names at its top level.

    Raises:
        SpecError: it raises; the message names the file and line. Or what it declares would not
            all be verified.
    """
    try:
        with reading_file(), declaring(str(path)) as made:
            names = runpy.run_path(str(path))
    except SyntaxError as error:
        place = str(path) if error.lineno is None else f"{path}:{error.lineno}"
        raise SpecError(place, f"is not Python: {error.msg}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename) == path
        ]
        place = f"{path}:{lines[-1]}" if lines else str(path)
        raise SpecError(place, f"{type(error).__name__}: {error}") from error
    for each in made:
        if isinstance(each, Composite):
            rule = "declares a Composite, at which only `verify_composite` looks: declare it there"
            raise SpecError(str(path), rule, each.name)
    refuse_nameless(str(path), made, names.values())
    _refuse_beside_protocol(path, names)
    return names


def _refuse_beside_protocol(path: Path, names: dict[str, Any]) -> None:
    """Refuse a mechanism beside a protocol that does not send it.

    The protocol would be verified, and the mechanism not.

    Raises:
        SpecError: it names the mechanism.
    """
    protocols = [value for value in names.values() if isinstance(value, Protocol)]
    sent = {each.made for protocol in protocols for each in sent_by(protocol)}
    for value in names.values():
        own = isinstance(value, Mechanism) and value.origin is None
        if protocols and own and value.made not in sent:
            rule = f"declares the protocol {protocols[0].name}, which does not send this mechanism"
            raise SpecError(str(path), f"{rule}: put it into a file of its own", value.name)


def load_file(path: Path) -> tuple[Mechanism, ...]:
    """Run a spec file and return the mechanisms it declares, in order.

    Args:
        path: of the file.

    Raises:
        SpecError: the file is missing, raises, or declares no mechanism; the message names the file
            and line.
    """
    text = _text(path)
    names = _names(path)
    origin = Origin(str(path), path.stem, digest(text))
    found: dict[str, Mechanism] = {}
    declared: list[Mechanism] = []
    for value in names.values():
        # One that already has an origin was loaded from another file to be compared with.
        if not isinstance(value, Mechanism) or value.origin is not None:
            continue
        if value in declared:
            continue
        declared.append(value)
        if value.name in found:
            raise SpecError(str(path), "declares two mechanisms of one name", value.name)
        found[value.name] = value.with_origin(origin)
    if any(isinstance(value, Protocol) for value in names.values()):
        # Where the word is missing, nobody has looked for one: see `is_protocol`.
        if not found or _WORD not in text:
            raise SpecError(str(path), _ONLY_A_PROTOCOL)
    elif not found:
        raise SpecError(str(path), "declares no Mechanism at its top level")
    return tuple(found.values())


def load(spec: str | Path) -> tuple[Mechanism, ...]:
    """Load the mechanisms of a spec.

    Args:
        spec: a name from the catalogue (of a file or a mechanism), or the path of a file, which
            is run.

    Returns:
        The mechanisms, in the order of the file.

    Raises:
        SpecError: no such name or file, or the file cannot be read as a table.
    """
    if isinstance(spec, str) and spec.isidentifier() and not Path(spec).is_file():
        files = catalogue()
        if spec in files:
            return _of_catalogue(files[spec])
        every = {m.name: m for path in files.values() for m in _of_catalogue(path)}
        if spec in every:
            return (every[spec],)
        if is_protocol(spec):
            raise SpecError("SPEC", _ONLY_A_PROTOCOL, spec)
        near = difflib.get_close_matches(spec, [*files, *every], n=3)
        hint = f" (did you mean {' or '.join(dict.fromkeys(near))}?)" if near else ""
        rule = f"must be a file, or a name of the catalogue, which list shows{hint}"
        raise SpecError("SPEC", rule, spec)
    return load_file(Path(spec))


reads_names(load)


def load_protocol(spec: str | Path) -> Protocol:
    """Load the protocol of a file, or of that name in the catalogue's folder `protocols`.

    Args:
        spec: a name, or the path of a file, which is run.

    Raises:
        SpecError: no such file, it cannot be run, or it declares no protocol, or more than one.
    """
    path = Path(spec)
    if isinstance(spec, str) and spec.isidentifier() and not path.is_file():
        path = catalogue_folder() / "protocols" / f"{spec}.py"
    _text(path)
    names = _names(path)
    found = [value for value in names.values() if isinstance(value, Protocol)]
    if len(found) != 1:
        raise SpecError(str(path), "must declare one Protocol at its top level", len(found))
    return found[0]


def is_protocol(spec: str) -> bool:
    """Return whether a spec is a protocol's name, or a file that declares a Protocol and runs."""
    path = Path(spec)
    if spec.isidentifier() and not path.is_file():
        return (catalogue_folder() / "protocols" / f"{spec}.py").is_file()
    if not path.is_file() or _WORD not in _text(path):
        return False
    return any(isinstance(value, Protocol) for value in _names(path).values())


def load_catalogue() -> tuple[Mechanism, ...]:
    """Every mechanism of the catalogue."""
    return tuple(m for path in catalogue().values() for m in _of_catalogue(path))
