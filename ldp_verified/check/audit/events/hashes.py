"""xxHash32 of a value's text with a public seed: the hash of the usual packages for local hashing.

A blind search cannot guess a hash function. It tries this one, because the packages that most
clients are built from use it; others are named by `hash:MODULE:FUNCTION`.

Yann Collet (2012), xxHash, from its published description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.targets.keys import items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Words = NDArray[np.uint32]
    Held = NDArray[np.bool_]

PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5 = (
    np.uint32(prime) for prime in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)
)
MOST_BUCKETS = 256
SMALLEST_SEED = 1 << 12
"""Numbers that are never this large are no seeds."""


CONVENTIONS = ("-1", "+1", "index")
"""What packages hash instead of the value itself: a number one less or more, or its place."""


def hashed_text(value: Any, place: int, convention: str = "") -> str:
    """The text that is hashed for an input.

    Args:
        value: the input.
        place: its index among the inputs.
        convention: "" for the value itself, or one of `CONVENTIONS`.
    """
    if convention == "index":
        return str(place)
    if convention and type(value) is int:
        return str(value + int(convention))
    return str(value)


def _turned(words: Words, by: int) -> Words:
    return np.asarray(words << np.uint32(by) | words >> np.uint32(32 - by))


def xxh32(text: str, seeds: NDArray[np.integer[Any]]) -> Words:
    """xxHash32 of one text with each seed, of which the last 32 bits count.

    Args:
        text: any; what its UTF-8 bytes are.
        seeds: shape (n,).

    Returns:
        shape (n,), uint32.
    """
    data = text.encode()
    seed = (seeds & 0xFFFFFFFF).astype(np.uint32)
    whole = len(data) // 16 * 16
    if whole:
        lanes = [seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed.copy(), seed - PRIME_1]
        for start in range(0, whole, 16):
            for i in range(4):
                lane = lanes[i] + _word(data, start + 4 * i) * PRIME_2
                lanes[i] = _turned(lane, 13) * PRIME_1
        turned = zip(lanes, (1, 7, 12, 18), strict=True)
        total = np.sum([_turned(lane, by) for lane, by in turned], axis=0, dtype=np.uint32)
    else:
        total = seed + PRIME_5
    total = total + np.uint32(len(data) & 0xFFFFFFFF)
    words = len(data) // 4 * 4
    for start in range(whole, words, 4):
        total = _turned(total + _word(data, start) * PRIME_3, 17) * PRIME_4
    for byte in data[words:]:
        total = _turned(total + np.array(byte, np.uint32) * PRIME_5, 11) * PRIME_1
    total = (total ^ total >> np.uint32(15)) * PRIME_2
    total = (total ^ total >> np.uint32(13)) * PRIME_3
    return np.asarray(total ^ total >> np.uint32(16))


def _word(data: bytes, start: int) -> Words:
    """Return four bytes as an array of one word, so that products wrap around without a warning."""
    return np.array([int.from_bytes(data[start : start + 4], "little")], dtype=np.uint32)


def _whole(value: Any) -> int | None:
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        value = int(value)
    return value if type(value) is int and 0 <= value < 1 << 63 else None


def _parts(output: Any) -> tuple[int, int] | None:
    """The two whole numbers of an output."""
    parts = items(output)
    if parts is None or len(parts) != 2:
        return None
    first, second = _whole(parts[0]), _whole(parts[1])
    return None if first is None or second is None else (first, second)


def hashed_to(outputs: Sequence[Any] | NDArray[Any], texts: Sequence[str], g: int) -> Held:
    """Return whether each output's bucket is that of the text chosen for it, shape (n,), bool.

    The bucket is the item below g, the first if both are.
    """
    pairs = [_parts(output) for output in outputs]
    known = np.array([pair is not None for pair in pairs], dtype=np.bool_)
    numbers = np.array([pair or (0, 0) for pair in pairs], dtype=np.int64).reshape(-1, 2)
    swapped = (numbers[:, 0] >= g) & (numbers[:, 1] < g)
    seeds = np.where(swapped, numbers[:, 0], numbers[:, 1])
    buckets = np.where(swapped, numbers[:, 1], numbers[:, 0])
    found = np.zeros(len(pairs), dtype=np.bool_)
    chosen = np.array(texts, dtype=object)
    for text in dict.fromkeys(texts):
        rows = np.flatnonzero(chosen == text)
        found[rows] = xxh32(text, seeds[rows]).astype(np.int64) % g == buckets[rows]
    return np.asarray(found & known, dtype=np.bool_)


def bucket_counts(outputs: Sequence[Any] | NDArray[Any]) -> list[int]:
    """The g that outputs suggest: one of two whole numbers is small, the other a seed."""
    pairs = [_parts(output) for output in outputs]
    if not pairs or any(pair is None for pair in pairs):
        return []
    numbers = np.array(pairs, dtype=np.int64)
    large, small = numbers.max(axis=1), numbers.min(axis=1)
    g = int(small.max()) + 1
    plausible = 2 <= g <= MOST_BUCKETS and np.mean(large >= SMALLEST_SEED) > 0.9
    return [g] if plausible else []
