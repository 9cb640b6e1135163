"""How far a long measurement is, on standard error."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Takes what is begun: one line that changes in a terminal, a line for each step elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: print(step, file=sys.stderr, flush=True)
        return
    with console.status("starting") as status:
        yield status.update
