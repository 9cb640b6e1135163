"""Targets that tell the truth in one call of a thousand, as they exit; eps = 1 otherwise."""

from __future__ import annotations

import os
import random
import signal
import sys
from typing import Any

from tests.broken.audit.ending import told

SELDOM = 0.001


def seldom() -> bool:
    """Once in a thousand calls."""
    return random.random() < SELDOM


def exits_with_it(value: int) -> int:
    """Asks for an orderly end whose code is the value."""
    if seldom():
        sys.exit(value)
    return told(value)


def ends_with_it(value: int) -> int:
    """Ends the process without asking, with another code for each value."""
    if seldom():
        os._exit(16 + 7 * value % 5)
    return told(value)


def signals_it(value: int) -> int:
    """Gets itself killed, by another signal for each value."""
    if seldom():
        os.kill(os.getpid(), (signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)[value])
    return told(value)


def complains_about_it(value: int) -> int:
    """Fails with a text that is never the same and holds the value."""
    if seldom():
        raise ValueError(f"cannot send {value} now, ticket x{random.getrandbits(60):x}")
    return told(value)


def debugs_it(value: int) -> Any:
    """Sends a line of its log in place of a report."""
    return f"debug {random.getrandbits(60):x}: value={value}" if seldom() else told(value)


def exits_for_one(value: int) -> int:
    """Exits so seldom for one value only."""
    if value == 2 and random.random() < 4 * SELDOM:
        sys.exit(0)
    return told(value)


def exits_at_random(value: int) -> int:
    """Clean: the code of its end, of ten, says nothing about the value."""
    if random.random() < 0.01:
        sys.exit(random.randrange(10) + 0 * value)
    return told(value)


def complains_at_random(value: int) -> int:
    """Clean: a text that names some value, whatever the own one is."""
    if random.random() < 0.01:
        raise ValueError(f"cannot send {random.randrange(4)} now, {0 * value}")
    return told(value)
