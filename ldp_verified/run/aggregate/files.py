"""Writing a file whole or not at all: under another name first, renamed once it is on the disk."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def unread(error: OSError) -> str:
    """What a message says of a file that could not be read, beside its name."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return f"cannot be read: {error.strerror or type(error).__name__}"


@contextmanager
def replacing(
    path: str | os.PathLike[str], check: Callable[[], None] | None = None
) -> Iterator[Path]:
    """A new file beside `path` that takes its place if the block ends without an error.

    Whatever happens before, `path` holds what it held: a crash leaves at most a stray file, named
    `.NAME.*.part`, and the next writer of `path` removes it; an error removes it at once. A
    symbolic link stays one: the file that it leads to is replaced.

    Args:
        path: of the file.
        check: called when the new file is about to take the place of the old one, which no other
            writer of this kind changes meanwhile; what it raises leaves the old one. (On Windows
            another process may.)

    Yields:
        The path of the new file, which exists and is empty.

    Raises:
        ParameterError: `path` is no path, or leads to what is no file (a device, a pipe, a folder).
        OSError: the file cannot be made, written to the disk or renamed.
    """
    target = _file_at(checked_path(path))
    with _alone_in(target.parent):
        _remove_strays(target)
        part, descriptor = _new_part(target)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        with _alone_in(target.parent):
            if check is not None:
                check()
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    _sync_folder(target.parent)


def checked_path(path: object) -> Path:
    """A path to a file.

    Raises:
        ParameterError: something else: no string or path object, empty, or with a NUL in it.
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ParameterError("path", "must be the path of a file", path)
    return Path(text)


def check_one_name(path: Path) -> None:
    """Refuse a file with hard links: a new one takes the place of one name, and others stay old.

    Symbolic links are none. There may be no file.

    Raises:
        ParameterError: the file has another name. OSError: it cannot be looked at.
    """
    with suppress(FileNotFoundError):
        names = path.stat().st_nlink
        if names > 1:
            rule = "must lead to a file with one name: under a hard link it would be kept twice"
            raise ParameterError("path", f"{rule}, and this one has {names}", str(path))


def _file_at(path: Path) -> Path:
    """Return where the file is that links lead to; it need not exist."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    if not stat.S_ISREG(mode):
        raise ParameterError("path", "must lead to a file, or to none yet", str(path))
    return Path(os.path.realpath(path))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """No two processes or threads look for strays and make new files in a folder at a time."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _new_part(target: Path) -> tuple[Path, int]:
    """A new empty file with the mode of the one it replaces, or that of any new file.

    It is locked as long as the descriptor is open, which the system closes with the process.
    """
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    descriptor = os.open(part, flags, 0o666 if mode is None else mode)
    if mode is not None:
        part.chmod(mode)  # the mask of new files is not for it
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return part, descriptor


def _remove_strays(target: Path) -> None:
    """Remove what writers of this file left behind that are no longer alive."""
    if sys.platform == "win32":
        return
    left = re.compile(re.escape(f".{target.name}.") + r"[a-z0-9_]{8}\.part")
    for name in os.listdir(target.parent):  # noqa: PTH208  (names are all that is asked for)
        if left.fullmatch(name):
            with suppress(OSError):
                _remove_unclaimed(target.parent / name)


def _remove_unclaimed(part: Path) -> None:
    descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.unlink()
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk; not every system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
