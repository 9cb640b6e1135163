"""A long keystream: block after block of the standard's, beyond 4 MiB and beyond each new key."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ldp_verified.run.kernels import randomness
from ldp_verified.run.kernels.randomness import REKEY_BYTES, AesCtrStream, SecureWords

if TYPE_CHECKING:
    import pytest
    from numpy.typing import NDArray

PIECE = 4 << 20
"""As many bytes as one call to the cipher gives at most."""


def reference(key: bytes, count: int) -> NDArray[np.uint64]:
    """The first words of a keystream: each counter block is encrypted by itself.

    NIST SP 800-38A (Dworkin, 2001): output block j is the cipher of counter block j.
    """
    counters = np.zeros((-(-count // 2), 2), dtype=">u8")
    counters[:, 1] = np.arange(len(counters))
    blocks = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(counters.tobytes())
    return np.frombuffer(blocks, dtype="<u8")[:count].astype(np.uint64)


def repeats(words: NDArray[np.uint64]) -> bool:
    """Whether a keystream goes back to where it was 4 MiB ago."""
    back = PIECE // 8
    return bool((words[back:] == words[:-back]).any())


def test_a_keystream_is_the_references_beyond_4_mib() -> None:
    key = os.urandom(32)
    words = np.empty((2 * PIECE + (1 << 16)) // 8, dtype=np.uint64)
    AesCtrStream(key).fill(words)
    np.testing.assert_array_equal(words, reference(key, len(words)))
    assert not repeats(words)


def test_secure_words_are_the_references_beyond_new_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [os.urandom(32) for _ in range(3)]
    given = iter(keys)
    monkeypatch.setattr(os, "urandom", lambda _: next(given))
    monkeypatch.setattr(randomness, "_local", randomness._ThreadState())
    each = REKEY_BYTES // 8
    source = SecureWords()
    # Not in step with keys or pieces, and the last request goes beyond a key.
    parts = [source.words(count) for count in (PIECE // 8 + 3, each - 5, each)]
    expected = np.concatenate([reference(key, each) for key in keys])
    words = np.concatenate(parts)
    np.testing.assert_array_equal(words, expected[: len(words)])
    assert len(words) > 2 * each


class Repeating(AesCtrStream):
    """Planted: the counter begins anew with every piece."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self._key = key

    def fill(self, out: NDArray[np.uint64]) -> None:
        """The first piece again and again."""
        for start in range(0, len(out), PIECE // 8):
            AesCtrStream(self._key).fill(out[start : start + PIECE // 8])


def test_a_keystream_that_repeats_is_seen() -> None:
    key = os.urandom(32)
    words = np.empty((PIECE + 64) // 8, dtype=np.uint64)
    Repeating(key).fill(words)
    assert repeats(words)
    assert (words != reference(key, len(words))).any()
    np.testing.assert_array_equal(words[: PIECE // 8], reference(key, PIECE // 8))


def test_a_key_that_is_kept_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the operating system is asked once, and the key comes again."""
    key = os.urandom(32)
    monkeypatch.setattr(os, "urandom", lambda _: key)
    monkeypatch.setattr(randomness, "_local", randomness._ThreadState())
    each = REKEY_BYTES // 8
    words = SecureWords().words(each + 4)
    assert (words[each:] != reference(key, each + 4)[each:]).all()
