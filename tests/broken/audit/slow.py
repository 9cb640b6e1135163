"""Targets whose reports are private (eps = 1) and whose durations tell the value."""

from __future__ import annotations

import time

from tests.broken.audit.ending import told


def two_milliseconds(value: int) -> int:
    """One value takes two milliseconds longer."""
    if value == 2:
        time.sleep(0.002)
    return told(value)


def prints_slowly(value: int) -> int:
    """The larger the value, the more it works: 20,000 more additions for each step."""
    kept = 0
    for i in range(20_000 * value):
        kept += i
    return told(value + 0 * kept)
