"""Values that several threads may change together."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

T = TypeVar("T")


class Turns:
    """One thread of a process at a time; a copy, a pickle and a forked child have turns anew.

    A child that was forked while another thread had its turn does not wait for that thread, which
    it does not have: each process has a lock of its own.
    """

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    def taken(self) -> AbstractContextManager[object]:
        """The block runs when no other thread is in one."""
        process = os.getpid()
        lock = self._locks.get(process)
        return self._locks.setdefault(process, threading.Lock()) if lock is None else lock

    def __reduce__(self) -> tuple[type[Turns], tuple[()]]:
        return Turns, ()


class Shared(Generic[T]):
    """A record that is replaced as a whole: who reads it never sees half of a change.

    Args:
        record: what nobody changes in place.

    Attributes:
        now: the record.
        turns: who replaces it takes one.
    """

    def __init__(self, record: T) -> None:
        self.now = record
        self.turns = Turns()

    def change(self, step: Callable[[T], T]) -> T:
        """Replace the record by what `step` makes of it, and return that; no change is lost.

        What `step` raises leaves the record as it was.
        """
        with self.turns.taken():
            self.now = step(self.now)
            return self.now
