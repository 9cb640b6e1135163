"""Time spent in the target, apart from ours."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.check.audit.targets.batch import Batch


class Clock:
    """Time spent in the target and elsewhere."""

    def __init__(self) -> None:
        self.target = 0.0
        self.start = time.perf_counter()

    def drawn(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches, timed."""
        while True:
            before = time.perf_counter()
            batch = next(batches, None)
            self.target += time.perf_counter() - before
            if batch is None:
                return
            yield batch

    @property
    def seconds(self) -> tuple[float, float]:
        """(in the target, of ours)."""
        return self.target, time.perf_counter() - self.start - self.target
