"""The files of a client: where they go, what they may replace, all of them or none."""

import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from ldp_verified.errors import ParameterError

Files = dict[str, str | bytes]
"""Names of files, and what is in each."""

MODULE = ".mjs"
"""The end of a module's name; what else belongs to it stands beside it under the same name."""

_WRITTEN = (
    re.compile(rb"/\*\n \* Client of [^\n]*\n \* Written by ldp-verified generate "),
    re.compile(
        rb"# Client of [^\n]*\n\[package\]\n(?:[^\n]*\n){3}"
        rb'description = "A client of [^\n]*, written by ldp-verified generate"\n'
    ),
)
"""How a text and a crate's manifest begin that were written here."""


def write_files(texts: Files, output: Path) -> list[Path]:
    """Write the files of a client, all of them or none, and return their paths.

    Args:
        texts: the files.
        output: a folder, or the first file.

    Raises:
        ParameterError: a place is none for a file, or holds what was not written here; nothing is
            written then.
    """
    from ldp_verified.deploy.collect.files import refusals_named

    paths = _places(output, list(texts))
    with refusals_named(output, "--output"):
        for path in paths:
            _refuse_foreign(path)
        folders = [*dict.fromkeys(path.parent for path in paths)]
        for folder in folders:
            if folder.exists() and not folder.is_dir():
                raise ParameterError("--output", "must have folders in these places", str(folder))
        for folder in folders:
            folder.mkdir(exist_ok=True)
        _write_all(paths, [*texts.values()])
    return paths


def _write_all(paths: list[Path], contents: list[str | bytes]) -> None:
    """Write new files beside all paths; then each takes its place."""
    from ldp_verified.run.aggregate.files import replacing

    with ExitStack() as stack:
        for path, content in zip(paths, contents, strict=True):
            check = partial(_refuse_foreign, path)
            temporary = stack.enter_context(replacing(path, check))
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def _places(output: Path, names: list[str]) -> list[Path]:
    """Return the paths of a client's files: in a folder, or beside each other under one name."""
    from ldp_verified.deploy.collect.files import check_place

    if output.is_dir() or (not output.suffix and not output.exists()) or "Cargo.toml" in names:
        if not output.parent.is_dir() or (output.exists() and not output.is_dir()):
            rule = "must be a folder, or lie in an existing folder"
            raise ParameterError("--output", rule, str(output))
        return [output / name for name in names]
    check_place("--output", output)
    if len(names) == 1:
        return [output]
    if output.suffix != MODULE:
        raise ParameterError("--output", f"must be a folder or end in {MODULE}", str(output))
    return [output, *(output.with_suffix("." + name.split(".", 1)[1]) for name in names[1:])]


def _refuse_foreign(path: Path) -> None:
    """Refuse to replace what is no client that was written here."""
    from ldp_verified.app.report.wasm import START

    if not path.exists():
        return
    held = path.read_bytes() if path.is_file() else b""
    if not held.startswith(START) and not any(each.match(held) for each in _WRITTEN):
        raise ParameterError("--output", "must be a new file or one that generate wrote", str(path))
