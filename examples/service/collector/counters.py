"""Counters of all workers, which outlive a worker that is killed."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from collector.records import Answer

if TYPE_CHECKING:
    from pathlib import Path

STATUSES = (200, 400, 404, 411, 413, 415, 429, 500, 503)
NAMES = (
    *(f'reports_total{{answer="{answer.name.lower()}"}}' for answer in Answer),
    *(f'requests_total{{status="{status}"}}' for status in STATUSES),
    'requests_total{status="other"}',
    "commits_total",
    "commit_milliseconds_total",
    "database_retries_total",
)
_PLACES = {name: place for place, name in enumerate(NAMES)}
_OF_ANSWER = {answer: place for place, answer in enumerate(Answer)}


class Counters:
    """The counters of one worker: a file of integers in the memory of the system.

    Args:
        folder: of the files of all workers. What was counted before is in it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        # A name of its own, since process numbers come again.
        path = folder / f"{os.getpid()}-{secrets.token_hex(4)}.counters"
        shape = (len(NAMES),)
        self._mine = np.memmap(path, dtype=np.int64, mode="w+", shape=shape)

    def add(self, name: str, number: int = 1) -> None:
        """Count."""
        self._mine[_PLACES[name]] += number

    def answered(self, answers: list[Answer]) -> None:
        """Count the answers to a request."""
        for answer, number in Counter(answers).items():
            self._mine[_OF_ANSWER[answer]] += number

    def status(self, status: int) -> None:
        """Count a request."""
        self.add(f'requests_total{{status="{status if status in STATUSES else "other"}"}}')

    def mine(self) -> dict[str, int]:
        """What this worker counted, without zeros."""
        return {name: int(n) for name, n in zip(NAMES, self._mine, strict=True) if n}

    def text(self) -> str:
        """The sums over all workers that there ever were, as Prometheus reads them."""
        whole = np.zeros(len(NAMES), dtype=np.int64)
        for path in self._folder.glob("*.counters"):
            data = path.read_bytes()
            if len(data) == whole.nbytes:
                whole += np.frombuffer(data, dtype=np.int64)
        lines, kind = [], ""
        for name, number in zip(NAMES, whole, strict=True):
            family = name.partition("{")[0]
            if family != kind:
                kind = family
                lines.append(f"# TYPE collector_{family} counter")
            lines.append(f"collector_{name} {number}")
        return "\n".join(lines) + "\n"
