"""Targets that tell a value with a later report; each report says nothing about its own input."""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Callable, Sequence
from math import e
from pathlib import Path


def late(back: int) -> Callable[[int], int]:
    """The input some steps before, in clear."""
    kept = deque([0] * back, maxlen=back)

    def report(value: int) -> int:
        before = kept[0]
        kept.append(value)
        return before

    return report


def sometimes() -> Callable[[int], tuple[int, int]]:
    """The input before in a slot of its own, three times in four, in another writing."""
    kept = [0]

    def report(value: int) -> tuple[int, int]:
        before, kept[0] = kept[0], value
        slot = 7 * before + 3 if random.random() < 0.75 else 3
        return random.getrandbits(1), slot

    return report


def masked() -> Callable[[int], int]:
    """Each value hidden by the one before: uniform, and clear to whoever knows that one."""
    kept = [random.randrange(4)]

    def report(value: int) -> int:
        before, kept[0] = kept[0], value
        return value ^ before

    return report


def padded(calls: int = 0) -> Callable[[int], int]:
    """One pad for two calls in a row.

    Args:
        calls: how many there were before.
    """
    state = [calls, random.randrange(4)]

    def report(value: int) -> int:
        if state[0] % 2 == 0:
            state[1] = random.randrange(4)
        state[0] += 1
        return value ^ state[1]

    return report


def half_again(values: Sequence[int]) -> list[int]:
    """Both halves of a batch get the same bits of noise."""
    noise = [random.getrandbits(1) for _ in range((len(values) + 1) // 2)] * 2
    return [value ^ bit for value, bit in zip(values, noise, strict=False)]


class OnDisk:
    """Keeps the last value in a file, reads it once, and is private but for the first report.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.last = int(self.path.read_text()) if self.path.exists() else None

    def __call__(self, value: int) -> int:
        """A report."""
        self.path.write_text(str(value))
        if self.last is None:
            return random.randrange(4)
        before, self.last = self.last, None
        return before


class OnDiskLater:
    """The same, with the third report, or by a hash of the value; each beside a private answer.

    Args:
        path: of the file. place: of the report. hashed: the value is not in clear.
    """

    def __init__(self, path: str, place: int, *, hashed: bool) -> None:
        self.path = Path(path)
        self.last = self.path.read_text() if self.path.exists() else ""
        self.place, self.hashed, self.reports = place, hashed, 0

    def __call__(self, value: int) -> tuple[int, str]:
        """A report."""
        self.path.write_text(str(value))
        self.reports += 1
        told = self.last if self.reports == self.place else ""
        if self.hashed and told:
            told = hashlib.sha256(told.encode()).hexdigest()[:6]
        return random.randrange(4), told


def remembering() -> Callable[[int], int]:
    """Clean: one permanent answer of eps = 1 for each value, whatever came before."""
    kept: dict[int, int] = {}

    def report(value: int) -> int:
        if value not in kept:
            truth = random.random() < e / (e + 3)
            kept[value] = value if truth else (value + random.randrange(1, 4)) % 4
        return kept[value] if random.random() < 0.5 else random.randrange(4)

    return report
