"""Files appear whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.files import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, as `replacing` gives it.

    Raises:
        ParameterError: the folder is missing or not writable, or `path` leads to what is no file.
    """
    try:
        with replacing(path) as temporary:
            yield temporary
    except OSError as error:
        raise ParameterError(str(path), f"cannot be written: {error.strerror}") from None
