"""Secure words for one report at a time: a small buffer, filled by the operating system."""

from __future__ import annotations

import os
import struct
import weakref
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

WORDS_AT_ONCE: Final = 512
"""Words asked of the operating system at a time (4 KiB)."""


def system_words() -> list[int]:
    """Uniform 64-bit words from the operating system's generator."""
    return list(struct.unpack(f"<{WORDS_AT_ONCE}Q", os.urandom(8 * WORDS_AT_ONCE)))


class SecretBuffer(Generic[T]):
    """Secrets that were drawn ahead, given out once each, from the end of a list.

    A process that was forked must not give out what its parent gives out. Its buffer is emptied by
    a handler of the fork, and `renew` empties it where the process has another number, for a child
    that C code makes runs no handler. Threads may share a buffer: taking a word from a list and
    adding some to it are single steps. A copy of the whole machine is not noticed.

    Args:
        fetch: draws some more, at least one.

    Attributes:
        words: what is left. It is always the same list.
        owner: one number, that of the process that the words belong to.
    """

    def __init__(self, fetch: Callable[[], list[T]]) -> None:
        self.words: list[T] = []
        self.owner: list[int] = [os.getpid()]
        self._fetch = fetch
        _BUFFERS.add(self)

    def more(self) -> T:
        """Fill the buffer, whatever is left in it, and give out one word."""
        self.renew()
        fresh = self._fetch()
        fresh.reverse()
        word = fresh.pop()
        self.words.extend(fresh)
        return word

    def renew(self) -> None:
        """Drop the words if they belong to another process."""
        if self.owner[0] != os.getpid():
            self.words.clear()
            self.owner[0] = os.getpid()


class WordBuffer(SecretBuffer[int]):
    """Words of the operating system, or of another source.

    Args:
        fetch: gives new words, at least one.
    """

    def __init__(self, fetch: Callable[[], list[int]] = system_words) -> None:
        super().__init__(fetch)


_BUFFERS: weakref.WeakSet[SecretBuffer[Any]] = weakref.WeakSet()


def _drop_words() -> None:
    """Empty every buffer: run in a forked child, which must not repeat its parent."""
    for buffer in list(_BUFFERS):
        buffer.words.clear()


if hasattr(os, "register_at_fork"):  # absent on Windows, where there is no fork
    os.register_at_fork(after_in_child=_drop_words)
