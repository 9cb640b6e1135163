"""Words that follow from a key on the device: HMAC-SHA-256 of a number (RFC 2104, FIPS 180-4).

To whoever lacks the key, words of different numbers are as good as independent uniform ones, as far
as HMAC-SHA-256 is a pseudorandom function.
"""

from __future__ import annotations

import hmac
import struct
from math import isqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Key

KEY_CELLS: Final = 8
"""Cells of a key: 32 bytes, the lowest of each cell first."""

NUMBERS: Final = 1 << 32
"""Words are recalled by numbers below it."""

_PRIMES: Final = tuple(n for n in range(2, 312) if all(n % d for d in range(2, isqrt(n) + 1)))

ROUNDS: Final = tuple(
    next(
        root
        for root in range(int(prime ** (1 / 3) * 2**32) - 2, 1 << 36)
        if (root + 1) ** 3 > prime << 96
    )
    & 0xFFFFFFFF
    for prime in _PRIMES
)
"""The round constants of SHA-256: 32 fractional bits of the cube roots of the first 64 primes."""

START: Final = tuple(isqrt(prime << 64) & 0xFFFFFFFF for prime in _PRIMES[:8])
"""The initial state of SHA-256: 32 fractional bits of the square roots of the first 8 primes."""


def keyed_word(key: Key, cells: Sequence[int], number: int) -> int:
    """The word that a key gives for a number.

    Args:
        key: where in the cells it is.
        cells: what a client keeps.
        number: below 2^32; of a listed key, below its cells.
    """
    secret = cells[key.first : key.first + key.cells]
    if key.listed:
        return secret[number]
    data = struct.pack(f"<{key.cells}I", *secret)
    return int.from_bytes(hmac.digest(data, struct.pack("<Q", number), "sha256")[:8], "little")
