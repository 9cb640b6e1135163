"""Reports as bits and back: numbers below a bound one after the other, the lowest bit first.

A field of numbers below b takes as many bits as b - 1 has. Rows of bits become bytes with the first
bit of a report as the lowest bit of its first byte; what is left of the last byte is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ReportError

Bits = NDArray[np.uint8]
"""One report per row, one bit (0 or 1) per column."""


@dataclass(frozen=True)
class Field:
    """Numbers that stand next to each other in a report.

    Attributes:
        times: how many there are. below: each is in 0..below-1, at most 2^64.
        packed: whether they are bits that an array holds as words of 64, uint64.
    """

    times: int
    below: int
    packed: bool = False

    @property
    def width(self) -> int:
        """Bits of one number."""
        return (self.below - 1).bit_length()

    @property
    def bits(self) -> int:
        """Bits of all numbers."""
        return self.times * self.width

    @property
    def columns(self) -> int:
        """Columns of an array of reports that hold them."""
        return -(-self.times // 64) if self.packed else self.times


@dataclass(frozen=True)
class PackedShape:
    """How an array of reports becomes bits.

    Attributes:
        fields: what stands in a report, in order. dtype: of the array.
        flat: whether the array has one axis, since a report is one number.
    """

    fields: tuple[Field, ...]
    dtype: np.dtype[Any]
    flat: bool = False

    @property
    def bits(self) -> int:
        """Bits of one report."""
        return sum(field.bits for field in self.fields)

    def to_bits(self, data: NDArray[Any]) -> Bits:
        """The bits of reports, which fit this shape.

        Args:
            data: as a mechanism's layout checked it, shape (n,) or (n, columns).

        Returns:
            uint8 (n, bits), each 0 or 1.
        """
        rows = data.reshape(len(data), sum(field.columns for field in self.fields))
        parts, start = [np.empty((len(data), 0), np.uint8)], 0
        for field in self.fields:
            part = rows[:, start : start + field.columns].astype(np.uint64)
            parts.append(_of_words(part, field.times) if field.packed else _of(part, field.width))
            start += field.columns
        return np.concatenate(parts, axis=1)

    def of_bits(self, bits: Bits) -> NDArray[Any]:
        """The reports that `to_bits` was given, in a new array.

        Args:
            bits: uint8 (n, self.bits), each 0 or 1.

        Raises:
            ReportError: a number is not below its bound.
        """
        columns, start = [], 0
        for field in self.fields:
            part = bits[:, start : start + field.bits]
            if field.packed:
                padded = np.zeros((len(part), 64 * field.columns), np.uint8)
                padded[:, : field.times] = part
                found = _numbers(padded, 64)
            else:
                found = _numbers(part, field.width) if field.width else _zeros(part, field)
                if found.size and int(found.max()) >= field.below:
                    raise ReportError("data", f"must hold numbers below {field.below}")
            columns.append(found)
            start += field.bits
        data = np.concatenate(columns, axis=1).astype(self.dtype)
        return data[:, 0].copy() if self.flat else data


def numbers_shape(below: int, dtype: np.dtype[Any]) -> PackedShape:
    """Return the shape of reports that are one number each."""
    return PackedShape((Field(1, below),), dtype, flat=True)


def _of_words(words: NDArray[np.uint64], times: int) -> Bits:
    """The first bits of rows of words."""
    octets = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, :times]


def _of(numbers: NDArray[np.uint64], width: int) -> Bits:
    """The lowest bits of each number, side by side."""
    octets = np.ascontiguousarray(numbers.astype("<u8"))[..., np.newaxis].view(np.uint8)
    bits = np.unpackbits(octets, axis=2, bitorder="little")[:, :, :width]
    return bits.reshape(len(numbers), numbers.shape[1] * width)


def _numbers(bits: Bits, width: int) -> NDArray[np.uint64]:
    """Numbers of so many bits each, uint64 (n, columns / width)."""
    split = bits.reshape(len(bits), bits.shape[1] // width, width)
    padded = np.zeros((*split.shape[:2], 64), np.uint8)
    padded[:, :, :width] = split
    octets = np.packbits(padded, axis=2, bitorder="little")
    found: NDArray[np.uint64] = octets.view("<u8")[:, :, 0].astype(np.uint64)
    return found


def _zeros(bits: Bits, field: Field) -> NDArray[np.uint64]:
    """Return zeros, as numbers below 1 take no bits."""
    return np.zeros((len(bits), field.times), np.uint64)
