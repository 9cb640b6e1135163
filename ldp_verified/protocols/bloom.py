"""Strings as the bits of a Bloom filter, with hash functions that differ between cohorts.

The functions are public and their quality is no part of any privacy claim: whatever they are, an
encoding has at most h ones. What they are good for is decoding, which computes with the functions
as they are, collisions included.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.scalars import utf8_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_HASHES = 8
"""SHA-512 gives eight 64-bit numbers."""

LARGEST_BITS = 1 << 16


def check_strings(strings: Iterable[str]) -> tuple[str, ...]:
    """The strings of a known list.

    Raises:
        ParameterError: none, or repeated ones. DomainError: one is no string, or none that UTF-8
            can hold.
    """
    several = isinstance(strings, Iterable) and getattr(strings, "ndim", 1) == 1
    if isinstance(strings, str | bytes) or not several:
        raise ParameterError("strings", "must be several strings", type(strings))
    found: list[str] = []
    for each in strings:
        if not isinstance(each, str):
            raise DomainError("strings", "must be strings")
        if utf8_of(each) is None:
            raise DomainError("strings", "must be strings that UTF-8 can hold")
        found.append(each)
    if not found or len(set(found)) != len(found):
        got = f"{len(found)}, of which {len(set(found))} differ"
        raise ParameterError("strings", "must be one or more different strings", got)
    return tuple(found)


@dataclass(frozen=True)
class BloomFilter:
    """h hash functions into m bits for each of several cohorts.

    Function i of cohort c maps a string to the i-th 64-bit number of SHA-512("c:string") mod m.

    Attributes:
        bits: m. hashes: h. cohorts: how many families of functions there are.

    Raises:
        ParameterError: a number out of range.
    """

    bits: int
    hashes: int
    cohorts: int = 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        bits = check_integer("bits", self.bits, 2, LARGEST_BITS)
        hashes = check_integer("hashes", self.hashes, 1, MOST_HASHES)
        cohorts = check_integer("cohorts", self.cohorts, 1, 1 << 20)
        for name, value in (("bits", bits), ("hashes", hashes), ("cohorts", cohorts)):
            object.__setattr__(self, name, value)

    @property
    def blocks(self) -> int:
        """64-bit words of a packed encoding."""
        return -(-self.bits // 64)

    def positions(self, value: str, cohort: int) -> frozenset[int]:
        """The bits that are 1: at least one, at most h.

        Raises:
            DomainError: `value` is no string. ParameterError: no such cohort.
        """
        if not isinstance(value, str):
            raise DomainError("value", "must be a string")
        cohort = check_integer("cohort", cohort, 0, self.cohorts - 1)
        digest = hashlib.sha512(f"{cohort}:{value}".encode("utf-8", "surrogatepass")).digest()
        numbers = np.frombuffer(digest, dtype="<u8")[: self.hashes]
        return frozenset(int(number) % self.bits for number in numbers)

    def encode(self, value: str, cohort: int) -> NDArray[np.uint64]:
        """The packed encoding, shape (blocks,): bit b is bit b % 64 of word b // 64.

        Raises:
            DomainError, ParameterError: as in `positions`.
        """
        packed = [0] * self.blocks
        for position in self.positions(value, cohort):
            packed[position // 64] |= 1 << position % 64
        return np.array(packed, dtype=np.uint64)
