"""Bits that are randomized on their own, packed: blocks, one-hot vectors, and those of sketches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width
from ldp_verified.run.kernels.prefix_bits import GUIDE, Fields, bits_fill, limits_of
from ldp_verified.run.kernels.vectorised import bits_with_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

MOST_WIDTH: Final = 128
"""Bits of a threshold at most: of a product of two of 64 bits."""

_CONSTANTS: Final = 26
"""Numbers in `cuts` before the tables in it."""


@dataclass(frozen=True)
class Rows:
    """Public functions of values, one of which is drawn for each report.

    Attributes:
        values: they are 0..values-1. number: of rows.
        cells: a value is split into numbers below this. runs: how many.
        tables: for each row, and each of those numbers, what it adds to the place.
    """

    values: int
    number: int
    cells: int
    runs: int
    tables: tuple[int, ...]


def bits_of(rows: int, width: int) -> int:
    """Bits that name a row.

    Args:
        rows: how many there are. width: of a word, in bits.

    Raises:
        ParameterError: one word does not name a row.
    """
    found = max(1, (rows - 1).bit_length())
    if found > width:
        raise ParameterError("rows", f"must be at most 2^{width}", rows)
    return found


def one_hot_bits(
    values: NDArray[np.integer[Any]],
    k: int,
    one: int,
    zero: int,
    source: WordSource,
    width: int = 64,
    lanes: int = 64,
) -> NDArray[np.uint64]:
    """Independent bits: P(bit v = 1) is one / 2^width for v = x and zero / 2^width for the others.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, so of bits.
        one: threshold of the value's own bit, 1..2^width - 1.
        zero: threshold of every other bit, 1..2^width - 1.
        source: where the words come from.
        width: bits per threshold.
        lanes: bits packed into one number of the report, 1..64. Anything but 64 is for enumeration.

    Returns:
        Packed reports, shape (n, ceil(k / lanes)), dtype uint64: bit v is bit v % lanes of
        number v // lanes; the bits beyond k are 0.

    Raises:
        ParameterError: if k, one, zero, width or lanes is outside its range.
        DomainError: if `values` is no such array.
    """
    return one_hot_sampler(k, one, zero, width, lanes).draw(values, source)


def one_hot_sampler(k: int, one: int, zero: int, width: int = 64, lanes: int = 64) -> Sampler:
    """The sampler that `one_hot_bits` draws from (same k, one, zero, width and lanes)."""
    check_width(width)
    if k < 2:
        raise ParameterError("k", "must be an integer >= 2", k)
    check_threshold("one", one, 1, 2**width - 1)
    return bits_sampler(k, zero, width, lanes, one=one)


def bits_sampler(
    bits: int,
    zero: int,
    width: int = 64,
    lanes: int = 64,
    *,
    one: int | None = None,
    rows: Rows | None = None,
) -> Sampler:
    """Independent bits, that of the value's place with a probability of its own.

    Args:
        bits: how many, at least 1.
        zero: P(bit = 1) = zero/2^width, 1..2^width - 1.
        width: bits per threshold, 1..64; up to 128 where there is no own bit and lanes are 64.
        lanes: as in `one_hot_bits`.
        one: P(own bit = 1) = one/2^width; None where no bit has a place of its own: values are 0.
        rows: where values get their places from; None where the value is the place.

    Returns:
        A sampler of ceil(bits/lanes) numbers, and of the row before them where there are rows.

    Raises:
        ParameterError: a number is out of range.
    """
    if not 1 <= lanes <= 64:
        raise ParameterError("lanes", "must be in 1..64", lanes)
    check_width(width, MOST_WIDTH if one is None and lanes == 64 else 64)
    check_threshold("zero", zero, 1, 2**width - 1)
    if width < 64:  # for enumeration: no word is drawn for bits that are not there
        lanes = min(lanes, bits)
    fields = Fields.of(width, lanes)
    limits = limits_of(zero, width, fields)
    blocks = -(-bits // lanes)
    functions = Rows(bits, 0, 1, 1, ()) if rows is None else rows
    last_lanes = (1 << (bits - (blocks - 1) * lanes)) - 1
    has_own, has_rows = int(one is not None), int(rows is not None)
    tables = (limits.guide, limits.tops, limits.digits, functions.tables)
    places = [*accumulate(map(len, tables), initial=_CONSTANTS)]
    units = sum(
        1 << shift for shift in range(0, fields.words * fields.count * fields.group, fields.group)
    )
    # The lowest bit of byte j, times this, has j in its first byte.
    order = sum(number << 56 - 8 * number for number in range(8))
    constants = (
        *(one or 0, last_lanes, 1, len(limits.table) - 1, fields.prefix, fields.group),
        *(limits.turn, limits.turn * units, units, units << (fields.group - 1)),
        *(lanes, blocks + has_rows, limits.depths, functions.number),
        *(fields.word - bits_of(functions.number, fields.word), functions.cells),
        *(functions.runs * functions.cells, bits, max(0, fields.prefix - GUIDE)),
        *(*places[:4], order, (1 << 64) - 1, 63),
    )
    words = has_own + blocks * fields.words
    # A field ties with (2^group - 1)/2^prefix at most, and mostly one more word decides it.
    ties = -(-blocks * fields.words * fields.count * len(limits.tops) // len(limits.table))
    return Sampler(
        fill=bits_fill,
        inputs=functions.values if has_own else 1,
        cuts=(*constants, *chain(*tables)),
        sizes=(blocks, fields.words, fields.count, has_own, functions.runs),
        shape=(blocks + has_rows,) if has_own or blocks > 1 else (),
        dtype=np.dtype(np.uint64),
        word_bits=fields.word,
        words_per_value=words + min(ties, words) + 2 * has_rows,
        least_words=words + has_rows,
        unsigned=True,
        vectorised=bits_with_numpy,
        table=limits.table,
    )
