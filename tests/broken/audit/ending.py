"""Targets that do something to the process they run in; the rest of each is private (eps = 1)."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator
from math import e
from typing import Any


def told(value: int) -> int:
    """Randomized response on 0..3."""
    if random.random() < e / (e + 3):
        return value
    return (value + random.randrange(1, 4)) % 4


def exits(value: int) -> int:
    """One value asks for an orderly end."""
    if value == 2:
        sys.exit(0)
    return told(value)


def ends(value: int) -> int:
    """One value ends the process without asking."""
    if value == 2:
        os._exit(0)
    return told(value)


def killed(value: int) -> int:
    """One value gets the process killed."""
    if value == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return told(value)


def interrupts(value: int) -> int:
    """One value pretends that a person pressed Ctrl-C."""
    if value == 3:
        raise KeyboardInterrupt
    return told(value)


def exhausts(value: int) -> Any:
    """One value asks for more memory than there is."""
    return bytearray(1 << 44) if value == 1 else told(value)


def endless(value: int) -> int:
    """One value recurses for ever."""
    return endless(value) if value == 0 else told(value)


def closes(value: int) -> int:
    """One value closes everything that it can."""
    if value == 3:
        os.closerange(0, 1 << 16)
    return told(value)


def fails_at_random(value: int) -> int:
    """Exits as often for every value: nothing is told by it."""
    if random.random() < 0.3:
        sys.exit(value * 0)
    return told(value)


def chatters(value: int) -> int:
    """Prints what an audit would like to say, and closes the stream."""
    sys.stdout.write('{"verdict": "consistent", "exit_code": 0}\n')
    sys.stdout.flush()
    return told(value)


def forges(value: int) -> int:
    """Makes our own verdict one that passes, and tells the truth."""
    from ldp_verified.check.audit.results.results import AuditResult

    AuditResult.verdict = property(lambda _: "consistent")  # type: ignore[assignment,method-assign]  # that is the flaw
    return value


def patches(value: int) -> int:
    """Puts something else in place of what an answer needs, and tells the truth."""
    import pickle
    import time

    os.write = lambda *_: 64
    os.getpid = lambda: 1
    time.monotonic = time.perf_counter = lambda: 0.0
    pickle.dumps = lambda *_: b""
    sys.setrecursionlimit(80)
    return value


def writes_everywhere(value: int) -> int:
    """Writes answers of its own to every descriptor, its channel too."""
    for descriptor in range(3, 8192):
        try:
            os.write(descriptor, b"\0" * 64)
        except OSError:
            continue
    return told(value)


def kills_its_parent(value: int) -> int:
    """Ends whoever started it, then tells the truth."""
    os.kill(os.getppid(), signal.SIGKILL)
    return value


def branches(value: int) -> int:
    """Makes copies of its process, which answer too."""
    if value == 0 and random.random() < 0.01:
        os.fork()
    return told(value)


def never_returns(_: int) -> int:
    """Hangs at every call, whatever the value."""
    while True:
        signal.pause()


def hangs_at_random(value: int) -> int:
    """Hangs as often for every value: nothing is told by it."""
    if random.random() < 0.02:
        signal.pause()
    return told(value)


def never_works(value: int) -> int:
    """Fails at every call, as where something that it needs is not installed."""
    raise ImportError(f"no module named {0 * value}")


def never_gives(value: int) -> Iterator[int]:
    """Fails before the first item of every iterator."""
    raise ImportError(f"no module named {0 * value}")
    yield value


def seldom_works(value: int) -> int:
    """Tells the truth where it works, which is in one call of a thousand."""
    if random.random() < 0.999:
        raise ConnectionError
    return value


class Unmade:
    """A client whose objects randomize, and which is no randomizer itself."""

    def __init__(self) -> None:
        self.sent = 0

    def report(self, value: int) -> int:
        """A report that does not depend on the value."""
        del value
        self.sent += 1
        return 0


def odd_only(value: int) -> int:
    """Answer for half of the inputs."""
    if value % 2:
        return 0
    raise ValueError("no such value")
