"""Show progress on stderr, in a terminal only, and only once work takes a while."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 1.0

Bar = Callable[[str, float, float | None], None]
"""Takes what is being done, how much of it is done, and how much there is where that is known."""


@contextmanager
def spinner() -> Iterator[Callable[[str], None]]:
    """Give a function that shows what is being done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.status import Status

    status = Status("", console=Console(stderr=True))
    started = time.monotonic()

    def tell(message: str) -> None:
        status.update(message)
        if time.monotonic() - started > PATIENCE_SECONDS:
            status.start()

    try:
        yield tell
    finally:
        status.stop()


@contextmanager
def bar(counted: bool) -> Iterator[Bar]:
    """A bar with numbers beside it where what is done is `counted`, else with a percentage."""
    if not sys.stderr.isatty():
        yield lambda _, __, ___: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.table import Column

    columns = (
        BarColumn(bar_width=20),
        MofNCompleteColumn() if counted else TaskProgressColumn(),
        TimeElapsedColumn(),
        # Cut, not wrapped: a bar has one line.
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis"),
        ),
    )
    bars = Progress(*columns, console=Console(stderr=True), transient=True)
    started = time.monotonic()
    task = bars.add_task("", total=None)

    def tell(what: str, done: float, total: float | None) -> None:
        bars.update(task, description=what, completed=done, total=total)
        if not bars.live.is_started and time.monotonic() - started > PATIENCE_SECONDS:
            bars.start()

    try:
        yield tell
    finally:
        bars.stop()
