"""Files that commands write: where they may go, and that they appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.files import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def check_place(option: str, path: Path, *, text: bool = False) -> None:
    """Refuse a place where no file can be written, before anything is done for it.

    Args:
        option: that names it. path: of the file. text: whether `write_text` will write it, which
            writes to a device or a pipe, too.

    Raises:
        ParameterError: it is a folder or leads to no file, or its folder is missing or may not be
            written to.
    """
    if text and _is_stream(path):
        return
    if path.is_dir():
        raise ParameterError(option, "must be a file, not a folder", str(path))
    if not path.parent.is_dir():
        raise ParameterError(option, "must lie in an existing folder", str(path))
    if path.exists() and not path.is_file():
        raise ParameterError(option, "must lead to a file, or to none yet", str(path))
    if not os.access(path.parent, os.W_OK):
        raise ParameterError(option, "must lie in a folder that can be written to", str(path))


@contextmanager
def written_whole(
    path: Path, option: str = "", check: Callable[[], None] | None = None
) -> Iterator[Path]:
    """A temporary path beside `path`, as `replacing` gives it.

    Args:
        path: of the file. option: that names it, if one does. check: as `replacing` has it.

    Raises:
        ParameterError: the folder is missing or not writable, or `path` leads to what is no file.
    """
    with refusals_named(path, option), replacing(path, check) as temporary:
        yield temporary


@contextmanager
def refusals_named(path: Path, option: str = "") -> Iterator[None]:
    """Say which file could not be written, and which option names it, where the system refuses.

    Args:
        path: of the file, or of the folder of several. option: that names it, if one does.

    Raises:
        ParameterError: an `OSError` inside.
    """
    try:
        yield
    except OSError as error:
        rule = f"cannot be written: {error.strerror}"
        at = str(path if error.filename is None else error.filename)
        raise ParameterError(*((option, rule, at) if option else (str(path), rule))) from None


def write_text(option: str, path: Path, text: str, check: Callable[[], None] | None = None) -> None:
    """Write a text in UTF-8; what it cannot hold becomes an escape.

    A device or a pipe (`/dev/stdout`) gets it as it comes; a file appears whole.

    Args:
        option: that names the place. path: of the file. text: all of it.
        check: of what the file replaces, as `replacing` has it.

    Raises:
        ParameterError: as `written_whole`.
    """
    data = text.encode("utf-8", "backslashreplace")
    if _is_stream(path):
        with refusals_named(path, option), path.open("ab") as stream:
            stream.write(data)
        return
    with written_whole(path, option, check) as temporary:
        temporary.write_bytes(data)


def _is_stream(path: Path) -> bool:
    """Return whether nothing can take the place of what is there: a device, a pipe, a descriptor.

    A descriptor may lead to a file, as `/dev/stdout` does where output is redirected.
    """
    if not path.exists() or path.is_dir():
        return False
    folder = path.parent.resolve()
    return not path.is_file() or folder == Path("/dev") or folder.is_relative_to("/proc")
