"""The public hash of both packages, xxHash32 of the value's text, from its published description.

Yann Collet (2012), xxHash: the 32-bit form for inputs below 16 bytes.
"""

from __future__ import annotations

from typing import Any

MASK = 0xFFFFFFFF
PRIME_1, PRIME_2, PRIME_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME_4, PRIME_5 = 0x27D4EB2F, 0x165667B1


def _turned(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & MASK


def xxh32(text: str, seed: int) -> int:
    """xxHash32 of a text of less than 16 bytes."""
    data = text.encode()
    if len(data) >= 16:
        raise ValueError("only short texts")
    total = (seed + PRIME_5 + len(data)) & MASK
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        total = (total + int.from_bytes(data[i : i + 4], "little") * PRIME_3) & MASK
        total = _turned(total, 17) * PRIME_4 & MASK
    for byte in data[whole:]:
        total = (total + byte * PRIME_5) & MASK
        total = _turned(total, 11) * PRIME_1 & MASK
    total = (total ^ total >> 15) * PRIME_2 & MASK
    total = (total ^ total >> 13) * PRIME_3 & MASK
    return total ^ total >> 16


def supports_2(report: Any, value: int) -> bool:
    """Whether a report (bucket, seed) with 2 buckets speaks for a value."""
    return bool(report[0] == xxh32(str(value), report[1] & MASK) % 2)


def supports_4(report: Any, value: int) -> bool:
    """Whether a report (bucket, seed) with 4 buckets speaks for a value: OLH at eps = 1."""
    return bool(report[0] == xxh32(str(value), report[1] & MASK) % 4)
