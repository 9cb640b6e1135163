"""Writing a file whole or not at all: under another name first, renamed once it is on the disk."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside `path` that takes its place if the block ends without an error.

    Whatever happens before, `path` holds what it held: a crash leaves at most a stray file, named
    `.NAME.*.part`; an error removes that too.

    Yields:
        The path of the new file, which exists and is empty.

    Raises:
        OSError: the file cannot be made, written to the disk or renamed.
    """
    target = Path(path)
    descriptor, name = tempfile.mkstemp(".part", f".{target.name}.", target.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        _keep_mode(part, target)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _keep_mode(part: Path, target: Path) -> None:
    """Give the new file the mode of the one it replaces, or that of any new file."""
    if target.exists():
        part.chmod(target.stat().st_mode & 0o777)
    else:
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk; not every system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
