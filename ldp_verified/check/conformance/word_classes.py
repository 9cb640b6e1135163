"""Sets of 64-bit words: an interval, with a remainder or with some bits, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORDS: Final = 1 << 64
"""The number of words."""


@dataclass(frozen=True)
class WordClass:
    """The words in low..high - 1 with a residue, or with some bits.

    Attributes:
        low, high: bounds. modulus, residue: a modulus of 1 asks for nothing.
        mask, bits: which bits, and what they are; a mask of 0 asks for nothing.
    """

    low: int = 0
    high: int = WORDS
    modulus: int = 1
    residue: int = 0
    mask: int = 0
    bits: int = 0

    @property
    def size(self) -> int:
        """The number of words, exactly."""
        return _size(self)

    def word(self, last: bool = False) -> int:
        """The first word of the class, or the last one."""
        return _word(self, last)

    def below(self, limit: int) -> int:
        """Count the words below a limit that have these residues and bits."""
        if not self.mask:
            return (limit - 1 - self.residue) // self.modulus + 1
        if limit == WORDS:
            return 1 << 64 - self.mask.bit_count()
        count = 0
        for place in reversed(range(64)):
            asked, bit = self.mask >> place & 1, limit >> place & 1
            wanted = self.bits >> place & 1
            if bit and not (asked and wanted):  # 0 here, and free bits from here on
                count += 1 << place - (self.mask & (1 << place) - 1).bit_count()
            if asked and wanted != bit:
                break
        return count


# Few classes come up in many runs.
@lru_cache(maxsize=1 << 16)
def _size(words: WordClass) -> int:
    return words.below(words.high) - words.below(words.low)


@lru_cache(maxsize=1 << 10)
def residues(words: WordClass, modulus: int) -> tuple[tuple[int, WordClass], ...]:
    """Split a class by a remainder, if none is known yet: (remainder, words) of each part."""
    parts = [(r, replace(words, modulus=modulus, residue=r)) for r in range(modulus)]
    return tuple(part for part in parts if part[1].size)


@lru_cache(maxsize=1 << 6)
def with_bits(words: WordClass, mask: int) -> tuple[tuple[int, WordClass], ...]:
    """Split a class by some bits, of which none is known yet: (bits, words) of each part."""
    both = words.mask | mask
    parts = [(b, replace(words, mask=both, bits=words.bits | b)) for b in _within(mask)]
    return tuple(part for part in parts if part[1].size)


@lru_cache(maxsize=1 << 16)
def _word(words: WordClass, last: bool) -> int:
    goal = words.below(words.high) if last else words.below(words.low) + 1
    return least(lambda n: words.below(n + 1) >= goal, words.low, words.high)


def least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number in low..high - 1 at which something begins to hold, or `high`."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _within(mask: int) -> Iterator[int]:
    """All numbers whose bits are within a mask."""
    part = mask
    while True:
        yield part
        if not part:
            return
        part = part - 1 & mask
