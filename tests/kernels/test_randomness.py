"""Words: the right keystream, never the same twice where that matters, always where asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.run.kernels import randomness
from ldp_verified.run.kernels.randomness import (
    AesCtrStream,
    ReplayWords,
    SecureWords,
)

# NIST SP 800-38A (Dworkin, 2001), F.5.5 CTR-AES256.Encrypt: the keystream is "output block".
KEY = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
COUNTER = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172a"
    "ae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52ef"
    "f69f2445df4f9b17ad2b417be66c3710"
)
CIPHER = bytes.fromhex(
    "601ec313775789a5b7a7f504bbf3d228"
    "f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988d"
    "dfc9c58db67aada613c2dd08457941a6"
)
KEYSTREAM = bytes(a ^ b for a, b in zip(PLAIN, CIPHER, strict=True))
EXPECTED = [int.from_bytes(KEYSTREAM[i : i + 8], "little") for i in range(0, len(KEYSTREAM), 8)]


@pytest.mark.parametrize("pieces", [[8], [1, 1, 6], [3, 5], [7, 1]])
def test_the_keystream_is_the_standards(pieces: list[int]) -> None:
    stream = AesCtrStream(KEY, COUNTER)
    words: list[int] = []
    for count in pieces:
        out = np.empty(count, dtype=np.uint64)
        stream.fill(out)
        words += out.tolist()
    assert words == EXPECTED


def test_a_long_request_is_the_same_stream_as_many_short_ones() -> None:
    long = np.empty(100_001, dtype=np.uint64)
    AesCtrStream(KEY).fill(long)
    stream = AesCtrStream(KEY)
    parts = [np.empty(count, dtype=np.uint64) for count in (1, 99_000, 1_000)]
    for part in parts:
        stream.fill(part)
    np.testing.assert_array_equal(np.concatenate(parts), long)


@pytest.mark.parametrize(("key", "counter"), [(bytes(16), bytes(16)), (bytes(32), bytes(8))])
def test_other_key_and_counter_lengths_are_refused(key: bytes, counter: bytes) -> None:
    with pytest.raises(ParameterError, match="bytes, got"):
        AesCtrStream(key, counter)


def test_words_come_from_a_key_of_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def urandom(count: int) -> bytes:
        assert count == 32
        return KEY

    monkeypatch.setattr(os, "urandom", urandom)
    monkeypatch.setattr(randomness, "_local", randomness._ThreadState())
    expected = np.empty(10, dtype=np.uint64)
    AesCtrStream(KEY).fill(expected)
    source = SecureWords()
    np.testing.assert_array_equal(source.words(4), expected[:4])
    np.testing.assert_array_equal(SecureWords().words(6), expected[4:])


def test_the_key_changes_on_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter([bytes([i]) * 32 for i in range(10)])
    monkeypatch.setattr(os, "urandom", lambda _: next(keys))
    monkeypatch.setattr(randomness, "_local", randomness._ThreadState())
    monkeypatch.setattr(randomness, "REKEY_BYTES", 80)
    expected = np.empty((3, 10), dtype=np.uint64)
    for i in range(3):
        AesCtrStream(bytes([i]) * 32).fill(expected[i])
    source = SecureWords()
    drawn = np.concatenate([source.words(7), source.words(20)])
    np.testing.assert_array_equal(drawn, expected.reshape(-1)[:27])


FORKS = """
import os, sys
from ldp_verified.run.kernels.randomness import SecureWords

source = SecureWords()
before = source.words(8)  # the parent's stream exists before the fork
read, write = os.pipe()
child = os.fork()
if child == 0:
    os.write(write, source.words(8).tobytes())
    os._exit(0)
os.waitpid(child, 0)
print(os.read(read, 64).hex(), source.words(8).tobytes().hex(), before.tobytes().hex())
"""


def test_a_forked_child_has_another_stream() -> None:
    run = subprocess.run(
        [sys.executable, "-c", FORKS], capture_output=True, text=True, check=True, timeout=60
    )
    streams = [bytes.fromhex(part) for part in run.stdout.split()]
    words = [part[i : i + 8] for part in streams for i in range(0, len(part), 8)]
    # Streams that agree would repeat words; streams that do not, with probability < 2^-55.
    assert len(words) == 24
    assert len(set(words)) == 24


def test_a_child_of_a_raw_fork_has_another_stream() -> None:
    """The C library's fork, which runs none of Python's handlers."""
    raw = FORKS.replace("import os, sys\n", "import ctypes, os\nfork = ctypes.PyDLL(None).fork\n")
    raw = raw.replace("child = os.fork()", "child = fork()")
    assert "os.fork" not in raw
    run = subprocess.run(
        [sys.executable, "-c", raw], capture_output=True, text=True, check=True, timeout=60
    )
    streams = [bytes.fromhex(part) for part in run.stdout.split()]
    words = [part[i : i + 8] for part in streams for i in range(0, len(part), 8)]
    assert len(words) == len(set(words)) == 24


def test_a_raw_fork_in_the_middle_of_a_process_is_seen_without_handlers() -> None:
    """Children of children, too; the handler is taken away altogether."""
    several = """
import ctypes, os
os.register_at_fork = lambda **_: None
from ldp_verified.run.kernels.randomness import SecureWords
fork = ctypes.PyDLL(None).fork
source = SecureWords()
print(source.words(8).tobytes().hex(), flush=True)
for depth in range(3):
    child = fork()
    if child:
        os.waitpid(child, 0)
        print(source.words(8).tobytes().hex(), flush=True)
        os._exit(0)
print(source.words(8).tobytes().hex(), flush=True)
os._exit(0)
"""
    run = subprocess.run(
        [sys.executable, "-c", several], capture_output=True, text=True, check=True, timeout=60
    )
    drawn = b"".join(bytes.fromhex(line) for line in run.stdout.split())
    words = {drawn[i : i + 8] for i in range(0, len(drawn), 8)}
    assert len(drawn) == 64 * 5
    assert len(words) == 8 * 5


FORKS_FROM_A_POOL = """
import os
from concurrent.futures import ThreadPoolExecutor
from ldp_verified.run.kernels.randomness import SecureWords

source = SecureWords()

def of_a_child():
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, source.words(8).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(read, 64) + source.words(8).tobytes()

print(source.words(8).tobytes().hex())
with ThreadPoolExecutor(1) as pool:
    print(pool.submit(lambda: source.words(8).tobytes()).result().hex())
    for _ in range(3):
        print(pool.submit(of_a_child).result().hex())
for _ in range(2):
    print(of_a_child().hex())
"""


def test_children_of_a_pools_thread_and_siblings_have_other_streams() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore:.*fork:DeprecationWarning", "-c", FORKS_FROM_A_POOL],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    drawn = b"".join(bytes.fromhex(line) for line in run.stdout.split())
    words = {drawn[i : i + 8] for i in range(0, len(drawn), 8)}
    # Two threads' words, then those of five children and their parents; as above.
    assert len(drawn) == 8 * (16 + 5 * 16)
    assert len(words) == 16 + 5 * 16


def test_tasks_of_a_pool_share_no_words() -> None:
    """More tasks than threads: a thread that is reused goes on with its stream."""
    source = SecureWords()
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: source.words(500), range(40)))
    words = np.concatenate(drawn)
    # A repeated word among 20,000 has probability < 2^-35.
    assert len(np.unique(words)) == len(words) == 20_000


def test_a_small_request_pays_for_no_buffer() -> None:
    source = SecureWords()
    source.words(1)  # keyed
    tracemalloc.start()
    try:
        source.words(1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4096


def test_threads_have_streams_of_their_own() -> None:
    source = SecureWords()
    drawn: list[np.ndarray[Any, np.dtype[np.uint64]]] = []
    barrier = threading.Barrier(8)

    def draw() -> None:
        barrier.wait()
        drawn.append(source.words(1000))
        drawn.append(source.words(1000))

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.concatenate(drawn)
    # A repeated word among 16,000 has probability < 2^-36.
    assert len(words) == 16_000
    assert len(np.unique(words)) == len(words)


def test_secure_bits_are_balanced_and_uncorrelated() -> None:
    """Each of the 64 bit positions, and each pair of successive bits.

    Null: independent fair bits. n = 2^18 words; each count within 7.5 standard deviations (normal
    approximation: two-sided level 6.4e-14 each, 8.2e-12 for the 128 together). A position whose
    probability is off by 0.0093 is missed with probability below 0.03 (2 sd beyond the limit).
    """
    count = 1 << 18
    words = SecureWords().words(count)
    neighbours = words ^ np.roll(words, 1)
    for position in range(64):
        for stream in (words, neighbours):
            ones = int(((stream >> np.uint64(position)) & np.uint64(1)).sum())
            assert abs(ones - count / 2) < 7.5 * (count / 4) ** 0.5


def test_secure_bytes_are_uniform() -> None:
    """Pearson's statistic of the 256 bytes, at each of the eight places in a word.

    Null: independent uniform bytes. n = 2^18 words; chi-squared with 255 degrees of freedom, each
    above 255 + 9 sqrt(510) = 458.2 with probability 9.1e-14 (7.3e-13 for the eight). A byte that
    never comes adds 1024 to the statistic and is always seen; one that comes 6 % too often adds 4
    and is missed.
    """
    words = SecureWords().words(1 << 18)
    for place in range(8):
        seen = np.bincount(words.view(np.uint8)[place::8], minlength=256)
        expected = len(words) / 256
        assert float(((seen - expected) ** 2).sum() / expected) < 255 + 9 * 510**0.5


def test_replayed_words_come_once_and_in_order() -> None:
    replay = ReplayWords([1, 2, 2**64 - 1])
    assert replay.words(2).tolist() == [1, 2]
    with pytest.raises(LdpError, match="must be 4 or more to be replayed, got 3"):
        replay.words(2)
    assert replay.words(1).tolist() == [2**64 - 1]
    assert ReplayWords([5], width=8).words(1).tolist() == [5 << 56]
