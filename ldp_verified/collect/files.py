"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`.

    What stands there at the end takes the place of `path` in one step.
    Where the body raises, `path` is left as it was and the temporary file is removed.

    Raises:
        ParameterError: the folder is missing or not writable.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise ParameterError(str(path), f"cannot be written: {error.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files that only their owner reads; a result is an ordinary file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        raise ParameterError(str(path), f"cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)
