"""Read raw reports as classes of the spec's tables.

Written from the documented layouts of reports and the structures of the spec, with none of the
server's code: a mistake that client and server share would otherwise cancel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldp_verified.check.conformance.sketches import SketchBitDecoder, SketchSignDecoder
from ldp_verified.check.conformance.structured import structured_decoder
from ldp_verified.language.forms import Bits, Design, Matrix
from ldp_verified.language.structures import (
    Blocks,
    HashBlocks,
    HashedOneHot,
    HashedSigns,
    Singletons,
)

if TYPE_CHECKING:
    from ldp_verified.analysis.expectation import Expectation

Reports = NDArray[np.unsignedinteger[Any]]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]


class Decoder(Protocol):
    """Reads reports of one layout."""

    def supports(self, reports: Reports, v: int) -> Flags:
        """Return which reports support value v, shape (n,)."""

    def valid(self, reports: Reports) -> Flags:
        """Return which reports the layout allows, shape (n,)."""

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports support each of the values."""

    def every_report(self, most: int) -> Reports | None:
        """Return all possible reports, ordered by `codes`; None if they are more than `most`."""

    def codes(self, reports: Reports) -> Codes:
        """The position of each report in `every_report`."""


@dataclass(frozen=True)
class ValueDecoder:
    """A report is one value, which it supports.

    Attributes:
        k: the number of values.
    """

    k: int

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports equal to v."""
        return np.asarray(reports == v)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports are values, which are below k."""
        return np.asarray(reports < self.k)

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how often each of the values was reported."""
        # Of many values few are wanted: an array of all of them may not fit the memory.
        said, counts = np.unique(reports, return_counts=True)
        found = dict(zip(said.tolist(), counts.tolist(), strict=True))
        return np.array([found.get(v, 0) for v in values], dtype=np.int64)

    def every_report(self, most: int) -> Reports | None:
        """All reports, 0..k-1; None where there are more than `most`."""
        return None if self.k > most else np.arange(self.k, dtype=np.uint64)

    def codes(self, reports: Reports) -> Codes:
        """The reports themselves."""
        return reports.astype(np.int64)


@dataclass(frozen=True)
class BitDecoder:
    """A report is k packed bits, bit v in bit v % 64 of word v // 64; bit v supports v.

    Attributes:
        k: the number of bits.
    """

    k: int

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports whose bit v is 1."""
        bit = reports[:, v // 64].astype(np.uint64) >> np.uint64(v % 64)
        return np.asarray((bit & np.uint64(1)) == 1)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports have no 1 from bit k on."""
        used = self.k - 64 * (reports.shape[1] - 1)
        if used == 64:
            return np.ones(len(reports), dtype=np.bool_)
        return np.asarray(reports[:, -1].astype(np.uint64) >> np.uint64(used) == 0)

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports have each of the bits."""
        counts = [int(np.count_nonzero(self.supports(reports, v))) for v in values]
        return np.array(counts, dtype=np.int64)

    def every_report(self, most: int) -> Reports | None:
        """Return all bit vectors; the position of each is the number that it writes in binary."""
        if self.k > 62 or 2**self.k > most:
            return None
        return np.arange(2**self.k, dtype=np.uint64)[:, np.newaxis]

    def codes(self, reports: Reports) -> Codes:
        """The number that the bits write."""
        return reports[:, 0].astype(np.int64)


@dataclass(frozen=True)
class HashDecoder:
    """A report is m coefficients of a function h, then a bucket; it supports h's preimage of it.

    h(x) = sum of coefficient i times digit i of x in base `base`, mod g.

    Attributes:
        k: the number of values.
        g: the number of buckets.
        base: of the digits.
        digits: m.
    """

    k: int
    g: int
    base: int
    digits: int

    def bucket_of(self, reports: Reports, v: int) -> Codes:
        """h(v) for the function of each report."""
        total = np.zeros(len(reports), dtype=np.int64)
        for i in range(self.digits):
            digit = v // self.base**i % self.base
            if digit:
                total += reports[:, i].astype(np.int64) * digit
        return total % self.g

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports whose function sends v to their bucket."""
        return np.asarray(self.bucket_of(reports, v) == reports[:, -1])

    def valid(self, reports: Reports) -> Flags:
        """Return which reports have only numbers below g in their columns."""
        return np.asarray((reports < self.g).all(axis=1))

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports support each of the values."""
        counts = [int(np.count_nonzero(self.supports(reports, v))) for v in values]
        return np.array(counts, dtype=np.int64)

    def every_report(self, most: int) -> Reports | None:
        """Return all functions with all buckets; the first coefficient changes slowest."""
        columns = self.digits + 1
        if self.g**columns > most:
            return None
        return np.indices((self.g,) * columns).reshape(columns, -1).T.astype(np.uint64)

    def codes(self, reports: Reports) -> Codes:
        """The number that the columns write in base g."""
        total = np.zeros(len(reports), dtype=np.int64)
        for i in range(self.digits + 1):
            total = total * self.g + reports[:, i].astype(np.int64)
        return total


@dataclass(frozen=True)
class BlockDecoder:
    """A report is the index of a block, which supports the values in it.

    Attributes:
        blocks: the values of each block.
    """

    blocks: tuple[frozenset[int], ...]

    def supports(self, reports: Reports, v: int) -> Flags:
        """Reports of blocks with v."""
        with_v = [y for y, block in enumerate(self.blocks) if v in block]
        return np.isin(reports, with_v)

    def valid(self, reports: Reports) -> Flags:
        """Return which reports are the index of a block."""
        return np.asarray(reports < len(self.blocks))

    def support_counts(self, reports: Reports, values: tuple[int, ...]) -> Codes:
        """Return how many reports support each of the values."""
        counts = [int(np.count_nonzero(self.supports(reports, v))) for v in values]
        return np.array(counts, dtype=np.int64)

    def every_report(self, most: int) -> Reports | None:
        """The indices of all blocks."""
        return None if len(self.blocks) > most else np.arange(len(self.blocks), dtype=np.uint64)

    def codes(self, reports: Reports) -> Codes:
        """The reports themselves."""
        return reports.astype(np.int64)


def decoder(expected: Expectation) -> Decoder:
    """The decoder for the reports of a table form."""
    if isinstance(expected.form, Bits) and isinstance(expected.form.encoder, HashedOneHot):
        return SketchBitDecoder(expected.k, expected.sizes["buckets"])
    if isinstance(expected.form, Bits):
        return BitDecoder(expected.k)
    if isinstance(expected.form, Design):
        match expected.form.structure:
            case HashBlocks():
                assert expected.hash_sizes is not None
                return HashDecoder(expected.k, *expected.hash_sizes)
            case Blocks(blocks=blocks):
                return BlockDecoder(blocks)
            case HashedSigns():
                return SketchSignDecoder(expected.k, expected.sizes["buckets"])
            case Singletons() | None:
                return ValueDecoder(expected.k)
            case structure:
                return structured_decoder(structure, expected.sizes)
    size = len(expected.form.outputs) if isinstance(expected.form, Matrix) else expected.k
    return ValueDecoder(size)
