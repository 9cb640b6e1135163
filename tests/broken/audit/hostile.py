"""Targets that try to pass: what they do to their process, and where they put the value.

Each is private (eps = 1) or says nothing, but for the one thing that its docstring names.
"""

from __future__ import annotations

import _thread
import asyncio
import atexit
import ctypes
import os
import random
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from tests.broken.audit.ending import told

WHICH = 2
"""The value that is treated in another way."""


def executes(value: int) -> int:
    """One value puts another program in the place of its process."""
    if value == WHICH:
        os.execv("/bin/true", ["true"])
    return told(value)


def interrupts_later(value: int) -> int:
    """One value has its process interrupted after it has answered."""
    if value == WHICH:
        threading.Timer(0.001, _thread.interrupt_main).start()
    return told(value)


def dies_later(value: int) -> int:
    """One value has a signal sent to its process after it has answered."""
    if value == WHICH:
        signal.setitimer(signal.ITIMER_REAL, 1e-5)
    return told(value)


def ends_from_a_thread(value: int) -> int:
    """One value's thread ends the process while the call goes on."""
    if value == WHICH:
        threading.Thread(target=os._exit, args=(0,)).start()
        time.sleep(1)
    return told(value)


def outlives(value: int) -> int:
    """Threads that never end, for every value alike."""
    if threading.active_count() < 8:
        threading.Thread(target=time.sleep, args=(1e6,)).start()
    return told(value)


def at_its_end(value: int) -> int:
    """Registers what should run for ever at the end, for every value alike."""
    if not hasattr(at_its_end, "registered"):
        at_its_end.registered = atexit.register(time.sleep, 1e6)  # type: ignore[attr-defined]  # kept on the function
    return told(value)


def loses_numpy(value: int) -> Any:
    """One value leaves numpy broken behind its array."""
    found = np.array([told(value)])
    if value == WHICH:
        sys.modules["numpy"] = None  # type: ignore[assignment]  # that is the flaw
    return found


def seeds_with_it(value: int) -> int:
    """Seeds the shared generator with the value: the next report follows from it."""
    report = told(value)
    random.seed(value)
    return report


def fixes_the_generator(value: int) -> float:
    """One value replaces the shared generator: later reports are all the same."""
    report = random.random()
    if value == WHICH:
        random.random = lambda: 0.25
    else:
        random.random = random.SystemRandom().random
    return report


def masking(values: int = 4) -> Callable[[int], int]:
    """A report is the value and the report before: alone it tells nothing."""
    before = [random.randrange(values)]

    def report(value: int) -> int:
        before[0] = (before[0] + value) % values
        return before[0]

    return report


def masked_late(values: int = 4) -> Callable[[int], int]:
    """Noise and the noisy value by turns: together they tell the first one's input."""
    kept: list[int] = []

    def report(value: int) -> int:
        if kept:
            return kept.pop()
        noise = random.randrange(values)
        kept.append((noise + value) % values)
        return noise

    return report


def walks() -> Callable[[int], float]:
    """A sum that grows by the value: the difference of two reports is a value."""
    total = [random.gauss(0, 1000)]

    def report(value: int) -> float:
        total[0] += value
        return total[0]

    return report


def masks_bits() -> Callable[[int], list[int]]:
    """A vector of bits, each changed by the vector before."""
    before = [random.getrandbits(1) for _ in range(4)]

    def report(value: int) -> list[int]:
        before[:] = [bit ^ (i == value) for i, bit in enumerate(before)]
        return [*before]

    return report


def payload(value: int) -> float:
    """The value in the bits of a number that is none."""
    return float(struct.unpack(">d", struct.pack(">Q", 0x7FF8 << 48 | value))[0])


def signed_zero(value: int) -> list[float]:
    """One value's nought has a sign."""
    return [-0.0 if value == WHICH else 0.0, float(random.getrandbits(1))]


def number_or_truth(value: int) -> Any:
    """One value's bit is True or False, the others' 1 or 0."""
    return bool(random.getrandbits(1)) if value == WHICH else random.getrandbits(1)


def numbers_of_two_kinds(value: int) -> Any:
    """One value's bit is one of numpy's."""
    return (np.int64 if value == WHICH else int)(random.getrandbits(1))


def surrogates(value: int) -> str:
    """The value as half of a character, which no text may hold."""
    return "ab"[random.getrandbits(1)] + chr(0xD800 + value)


def fair_surrogates(value: int) -> str:
    """The same for every value."""
    return surrogates(value * 0)


def shows_off(value: int) -> NoReturn:
    """An exception whose class has a name that looks like a verdict, whatever the value."""
    name = "\n\x1b[2Jconsistent with eps = 1.0\n"
    raise type(name, (Exception,), {})(value * 0)


def unread_show_off(_: int) -> Any:
    """An object that cannot be read, of such a class, whatever the value."""
    name = "\n\x1b[2Jconsistent with eps = 1.0\n"
    return type(name, (threading.local,), {})()


def prints_off(value: int) -> int:
    """Prints what looks like a verdict on a terminal, whatever the value."""
    os.write(1, b"\r\x1b[2Kconsistent with eps = 1.0\n")
    return told(value)


def huge(value: int) -> bytes:
    """Reports of half a megabyte, whatever the value."""
    return bytes(500_000) + bytes([told(value)])


def hidden_in_much(value: int) -> Any:
    """One value's report differs in the middle of two megabytes, where nobody looks."""
    middle = bytes([1 if value == WHICH else 0])
    return bytes(1_000_000) + middle + bytes(1_000_000 + told(value))


async def awaited(value: int) -> int:
    """A coroutine that leaves a task behind, and tells the truth."""
    asyncio.get_running_loop().create_task(asyncio.sleep(1e6))
    await asyncio.sleep(0)
    return value


def generates(value: int) -> Iterator[int]:
    """A generator that ends the process where one value is asked for its second item."""
    yield random.getrandbits(1)
    if value == WHICH:
        os._exit(0)
    yield random.getrandbits(1)


class Odd:
    """An object that fails whoever looks at it, and holds the value."""

    def __init__(self, value: int) -> None:
        self.held = value

    def __eq__(self, _: object) -> bool:
        raise SystemExit

    def __hash__(self) -> int:
        raise SystemExit

    def __bool__(self) -> bool:
        raise SystemExit

    def __len__(self) -> int:
        raise SystemExit

    def __iter__(self) -> Iterator[int]:
        raise SystemExit

    def __repr__(self) -> str:
        raise SystemExit


def odd(value: int) -> Any:
    """An object that fails whoever looks at it, and holds the value."""
    return [random.getrandbits(1), Odd(value)]


def writes_its_own_memory(value: int) -> int:
    """Writes to memory that is not its own, for one value: the process dies."""
    if value == WHICH:
        ctypes.string_at(0)
    return told(value)
