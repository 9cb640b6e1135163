"""Uniform 64-bit words for privacy: an AES-256-CTR keystream, keyed by the operating system.

The keystream is that of NIST SP 800-38A (Dworkin, 2001). What is simulated draws from the same one
under keys that others could know (`run.kernels.keyed`, `run.kernels.seeds`), or replays words.
Every thread has its own stream and a forked child starts afresh, so no two callers ever share
words; no word is kept between requests, so there is no buffer to inherit or to erase.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

import numpy as np

from ldp_verified.errors import LdpError, ParameterError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import CipherContext
    from numpy.typing import ArrayLike, NDArray

REKEY_BYTES: Final = 1 << 24
"""A stream takes a new key from the operating system after this many bytes of keystream."""

_ZEROS: Final = memoryview(bytes(1 << 22))
"""As much keystream as one call gives. Nothing writes to it: where the system hands out zeros as
one page until they are written to (Linux does), it takes neither memory nor cache."""


@runtime_checkable
class WordSource(Protocol):
    """A stream of independent uniform 64-bit words."""

    @property
    def simulated(self) -> bool:
        """Return whether the seed makes the words predictable, so that reports are not private."""

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite the contiguous 1-D array `out` with the next `len(out)` words."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, as a new array."""


class AesCtrStream:
    """The AES-256-CTR keystream of one key, read as little-endian 64-bit words.

    Args:
        key: 32 bytes.
        counter: the first 16-byte counter block.
    """

    def __init__(self, key: bytes, counter: bytes = bytes(16)) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        if len(key) != 32:
            raise ParameterError("key", "must be 32 bytes", len(key))
        if len(counter) != 16:
            raise ParameterError("counter", "must be 16 bytes", len(counter))
        self._encryptor: CipherContext = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite the contiguous array `out` with the next words of the keystream."""
        target = out.data.cast("B")
        for start in range(0, len(target), len(_ZEROS)):
            block = target[start : start + len(_ZEROS)]
            self._encryptor.update_into(_ZEROS[: len(block)], block)


class SecureWords:
    """Words fit for privacy; one instance may be shared by threads and survives a fork.

    It holds no state: each call looks up the stream of the calling thread, which is keyed from
    `os.urandom` on first use, after a fork, and after every `REKEY_BYTES` bytes. A fork is noticed
    by the process's number too, at each request, for a child that C code makes runs none of
    Python's handlers. A copy of the whole machine (a snapshot that is resumed twice) is not
    noticed: both go on with one keystream until the next key. Start processes that draw reports
    after it.
    """

    @property
    def simulated(self) -> bool:
        """Return False: the words come from the operating system."""
        return False

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite the contiguous 1-D array `out` with fresh keystream."""
        start = 0
        while start < len(out):
            if _local.stream is None or _local.left == 0 or _local.process != os.getpid():
                _local.stream = AesCtrStream(os.urandom(32))
                _local.left = REKEY_BYTES // 8
                _local.process = os.getpid()
            count = min(len(out) - start, _local.left)
            _local.stream.fill(out[start : start + count])
            _local.left -= count
            start += count

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, as a new array."""
        return _words(self, count)


class _ThreadState(threading.local):
    """The calling thread's stream, how many words its key may still give, and in which process."""

    stream: AesCtrStream | None = None
    left: int = 0
    process: int = 0


def _forget_streams() -> None:
    """Drop the streams of every thread: run in a forked child, which must not repeat its parent."""
    global _local  # noqa: PLW0603  (a thread-local has no way to be emptied for all threads)
    _local = _ThreadState()


_local = _ThreadState()
if hasattr(os, "register_at_fork"):  # absent on Windows, where there is no fork
    os.register_at_fork(after_in_child=_forget_streams)


class ReplayWords:
    """Given words, in order, for tests and enumeration.

    Args:
        words: 1-D array-like of integers in [0, 2^width).
        width: bits per word. A word is placed in the top bits of the 64, where a kernel run at
            the same width reads it.

    Raises:
        LdpError: by `fill` and `words`, when the words have run out.
    """

    def __init__(self, words: ArrayLike, width: int = 64) -> None:
        self._words = np.asarray(words, dtype=np.uint64) << np.uint64(64 - width)
        self._next = 0

    @property
    def simulated(self) -> bool:
        """Return True: the words were given."""
        return True

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite `out` with the next of the given words."""
        end = self._next + len(out)
        if end > len(self._words):
            raise LdpError("words", f"must be {end} or more to be replayed", len(self._words))
        out[...] = self._words[self._next : end]
        self._next = end

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, as a new array."""
        return _words(self, count)


def _words(source: WordSource, count: int) -> NDArray[np.uint64]:
    out = np.empty(count, dtype=np.uint64)
    source.fill(out)
    return out
