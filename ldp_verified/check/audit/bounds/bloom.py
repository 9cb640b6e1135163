"""Compute RAPPOR's own Bloom bits, and by how many bits two known values differ at most.

Cohort c and a value's UTF-8 bytes: the MD5 of c as four bytes, the highest first, and the bytes.
Byte i of it mod k is the bit of hash function i, for i < h. Equal bits are set once, so a value may
set fewer than h of them, and two values may share some.

R. Rivest (1992), The MD5 Message-Digest Algorithm. Erlingsson, Pihur, Korolova (2014).
"""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_HASHES = 16
MOST_BITS = 256
"""MD5 has 16 bytes, and a byte has 256 values."""

MOST_COMPARED = 2_000_000


def bloom_bits(value: str, cohort: int, h: int, k: int) -> frozenset[int]:
    """The bits that a value sets in a cohort.

    Args:
        value: as a text.
        cohort: from 0.
        h: hash functions, at most 16.
        k: bits, at most 256.
    """
    digest = hashlib.md5(cohort.to_bytes(4, "big") + value.encode(), usedforsecurity=False).digest()
    return frozenset(digest[i] % k for i in range(h))


def differences(
    values: Sequence[str], h: int, k: int, m: int
) -> Iterator[tuple[int, int, tuple[str, str, int]]]:
    """(bits that only the first sets, bits that only the second sets, (values, cohort)), each once.

    Raises:
        ParameterError: the clients' hash has no such sizes, or there is too much to compare.
    """
    if h > MOST_HASHES or k > MOST_BITS:
        rule = f"must be at most {MOST_HASHES} and {MOST_BITS} where --inputs are encoded by MD5"
        raise ParameterError("h, k", rule, (h, k))
    texts = [*dict.fromkeys(values)]
    if len(texts) < 2:
        raise ParameterError("--inputs", "must be at least two different values", texts)
    if m * len(texts) ** 2 // 2 > MOST_COMPARED:
        rule = f"must leave at most {MOST_COMPARED:,} pairs of values and cohorts to compare"
        raise ParameterError("--inputs", rule, (len(texts), m))
    found: set[tuple[int, int]] = set()
    for cohort in range(m):
        encoded = [bloom_bits(text, cohort, h, k) for text in texts]
        for (i, one), (j, other) in combinations(enumerate(encoded), 2):
            shape = len(one - other), len(other - one)
            if shape not in found:
                found.add(shape)
                yield *shape, (texts[i], texts[j], cohort)
