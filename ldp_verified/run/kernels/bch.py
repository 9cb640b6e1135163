"""Binary BCH codes for values of up to 128 bits: codewords that survive a few wrong bits.

A codeword is the value's bits, then parity bits, so that as a polynomial over GF(2) it is divisible
by the generator. That is the product of the minimal polynomials of a, a^2, ..., a^(2 t) in GF(2^8),
where a is a root of X^8 + X^4 + X^3 + X^2 + 1. Then any t wrong bits are corrected. Codewords are
shortened to the bits of the value.

R. C. Bose, D. K. Ray-Chaudhuri (1960), On a Class of Error Correcting Binary Group Codes; A.
Hocquenghem (1959), Codes correcteurs d'erreurs; decoded as by James L. Massey (1969),
Shift-Register Synthesis and BCH Decoding, and Robert T. Chien (1964), Cyclic Decoding Procedures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.wide import parities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]
    Words = NDArray[np.uint64]

LONGEST: Final = 255
"""Bits of a codeword, at most."""


def _tables() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(a^0, a^1, ... twice over; the exponent of each number but 0)."""
    powers, exponents = np.zeros(2 * LONGEST, dtype=np.int64), np.zeros(256, dtype=np.int64)
    element = 1
    for exponent in range(LONGEST):
        powers[exponent] = powers[exponent + LONGEST] = element
        exponents[element] = exponent
        element <<= 1
        element ^= 0x11D if element >> 8 else 0
    return powers, exponents


_POWERS, _EXPONENTS = _tables()


def _times(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Products in GF(2^8)."""
    return np.where((a == 0) | (b == 0), 0, _POWERS[_EXPONENTS[a] + _EXPONENTS[b]])


def _over(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Quotients in GF(2^8); the divisors are not 0."""
    return np.where(a == 0, 0, _POWERS[_EXPONENTS[a] + LONGEST - _EXPONENTS[b]])


@cache
def _generator(corrects: int) -> int:
    covered: set[int] = set()
    found = np.array([1], dtype=np.int64)  # coefficients, the lowest first
    for power in range(1, 2 * corrects + 1):
        conjugate = power % LONGEST
        while conjugate not in covered:
            covered.add(conjugate)
            root = np.full(len(found), _POWERS[conjugate])
            found = np.append(_times(found, root), 0) ^ np.append(0, found)
            conjugate = 2 * conjugate % LONGEST
    return sum(int(bit) << place for place, bit in enumerate(found))


@dataclass(frozen=True)
class BCH:
    """The code at its sizes.

    Attributes:
        width: bits of a value, 1..128. corrects: the number t of wrong bits, 0 or more.
    """

    width: int
    corrects: int

    @property
    def generator(self) -> int:
        """The generator polynomial, bit i the coefficient of X^i."""
        return _generator(self.corrects)

    @property
    def parity_bits(self) -> int:
        """Bits that a codeword has beyond the value's."""
        return self.generator.bit_length() - 1

    @property
    def length(self) -> int:
        """Bits of a codeword."""
        return self.width + self.parity_bits

    @cached_property
    def masks(self) -> Words:
        """The bits of the value whose parity each bit of a codeword is, uint64 (length, 2).

        The upper half comes first; a value's first bit is the highest.
        """
        found = np.zeros((self.length, 2), dtype=np.uint64)
        remainder, size = 1, self.parity_bits
        for _ in range(size):
            remainder = self._shifted(remainder)
        for bit in range(self.width - 1, -1, -1):  # the last bit of the value has X^size
            one = np.uint64(1 << (63 - bit % 64))
            found[bit, bit // 64] |= one
            for place in range(size):
                if remainder >> (size - 1 - place) & 1:
                    found[self.width + place, bit // 64] |= one
            remainder = self._shifted(remainder)
        return found

    def _shifted(self, remainder: int) -> int:
        """X times a remainder, divided by the generator."""
        if not self.parity_bits:
            return 0
        moved = remainder << 1
        return moved ^ self.generator if moved >> self.parity_bits else moved

    def bits(self, values: Words, place: int) -> NDArray[np.int64]:
        """Bit `place` of the codeword of each value, int64 (n,); values are uint64 (n, 2)."""
        return parities(np.broadcast_to(self.masks[place], values.shape), values)

    def codewords(self, values: Words) -> Bits:
        """The codeword of each value, uint8 (n, length)."""
        found = np.empty((len(values), self.length), dtype=np.uint8)
        for place in range(self.length):
            found[:, place] = self.bits(values, place)
        return found

    def decoded(self, words: Bits) -> tuple[Words, NDArray[np.bool_]]:
        """The value whose codeword is at most t bits away, and whether there is one.

        Args:
            words: uint8 (n, length).

        Returns:
            uint64 (n, 2), and bool (n,); where it is False the value means nothing.
        """
        mended, good = words.copy(), np.ones(len(words), dtype=np.bool_)
        if self.corrects:
            locator, degree = self._locators(self._syndromes(words))
            # Bit i of a word has X^(length - 1 - i): it is wrong if a^-(that) is a root.
            inverse = (LONGEST - np.arange(self.length - 1, -1, -1)) % LONGEST
            values = np.zeros(words.shape, dtype=np.int64)
            for place in range(locator.shape[1]):
                power = _POWERS[inverse * place % LONGEST]
                values ^= _times(locator[:, place, None], power[None, :])
            wrong = values == 0
            good = (wrong.sum(axis=1) == degree) & (degree <= self.corrects)
            mended[good] ^= wrong[good].astype(np.uint8)
        packed = np.zeros((len(words), 16), dtype=np.uint8)
        filled = np.packbits(mended[:, : self.width], axis=1)
        packed[:, : filled.shape[1]] = filled
        return packed.view(">u8").astype(np.uint64), good

    def _syndromes(self, words: Bits) -> NDArray[np.int64]:
        """Each word as a polynomial at a, a^2, ..., a^(2 t), int64 (n, 2 t)."""
        exponent = np.arange(self.length - 1, -1, -1)
        found = np.empty((len(words), 2 * self.corrects), dtype=np.int64)
        for power in range(1, 2 * self.corrects + 1):
            terms = words * _POWERS[exponent * power % LONGEST]
            found[:, power - 1] = np.bitwise_xor.reduce(terms, axis=1)
        return found

    def _locators(
        self, syndromes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The shortest shift registers that make the syndromes, and their lengths (Massey)."""
        n, terms = syndromes.shape
        size = terms + 2
        current, previous = np.zeros((n, size), np.int64), np.zeros((n, size), np.int64)
        current[:, 0] = previous[:, 0] = 1
        degree, last = np.zeros(n, np.int64), np.ones(n, np.int64)
        for step in range(terms):
            # `previous` is kept multiplied by X for each step since the length changed.
            previous = np.concatenate([np.zeros((n, 1), np.int64), previous[:, :-1]], axis=1)
            gap = syndromes[:, step].copy()
            for back in range(1, step + 1):
                gap ^= np.where(
                    back <= degree, _times(current[:, back], syndromes[:, step - back]), 0
                )
            factor = np.where(gap == 0, 0, _over(gap, last))
            changed = current ^ _times(factor[:, None], previous)
            longer = (gap != 0) & (2 * degree <= step)
            previous = np.where(longer[:, None], current, previous)
            last = np.where(longer, gap, last)
            degree = np.where(longer, step + 1 - degree, degree)
            current = changed
        return current, degree
