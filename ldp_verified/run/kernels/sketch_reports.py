"""Sketches: a public uniform row, the bucket that its function gives, and a randomized answer.

The functions are those of `ldp_verified.run.kernels.family`. A server can hold counters for each
row and bucket where there are not too many rows: all functions of the family, or a few that were
drawn from it once. A report names its row.

For g a power of two, values are written in base 2 and any three different ones are balanced too.
For x - v and y - v are different modulo 2, hence independent over Z_2, so the pair (h(x) - h(v),
h(y) - h(v)) is uniform in Z_g^2. That is what the variance of drawn rows rests on.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype
from ldp_verified.run.kernels.family import digit_base, digit_count
from ldp_verified.run.kernels.vectorised import FIRST_PLANES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

MOST_ROWS: Final = 1 << 16
"""Rows of a sketch, so that their coefficients fit into a few MiB."""

_HEAD: Final = 9
"""Numbers in `sizes` before the coefficients of the rows."""

_SIGN_HEAD: Final = 12
"""Numbers in the `cuts` of signs before the tables of the rows."""

_PARITIES: Final = sum((x.bit_count() & 1) << x for x in range(16))
"""Bit x says whether x, of four bits, has an odd number of ones."""

_MOST_CELLS: Final = 1 << 14
"""Numbers in all those tables, if so few: about what the first two caches hold."""


def all_rows(k: int, g: int) -> int:
    """The number of functions of the family, g^m."""
    functions: int = g ** digit_count(k, g)
    return functions


def coefficients(k: int, g: int, rows: int | None, seed: int) -> NDArray[np.int64]:
    """The coefficients of the functions of a sketch.

    Args:
        k: number of values.
        g: number of buckets; a power of two where rows are drawn.
        rows: how many are drawn, independently; None for the whole family, in order.
        seed: of the draw: coefficients are the output of SHAKE-128 on it, modulo g.

    Returns:
        int64, shape (rows, m): function j has the coefficients of row j.

    Raises:
        ParameterError: too many rows, or g is no power of two and rows are drawn.
    """
    digits = digit_count(k, g)
    if rows is None:
        number = all_rows(k, g)
        if number > MOST_ROWS:
            rule = f"must be given: the family has {g}^{digits} functions, more than 2^16"
            raise ParameterError("rows", rule, None)
        index = np.arange(number)[:, np.newaxis]
        return np.asarray(index // g ** np.arange(digits)[::-1] % g)
    check_threshold("rows", rows, 1, MOST_ROWS)
    if g & (g - 1):
        rule = "must be a power of two where rows are drawn (any three values are balanced then)"
        raise ParameterError("buckets", rule, g)
    stream = hashlib.shake_128(b"ldp_verified sketch rows %d" % seed).digest(2 * rows * digits)
    words = np.frombuffer(stream, dtype="<u2").astype(np.int64)
    return words.reshape(rows, digits) % g


def row_buckets(k: int, g: int, row: NDArray[np.int64]) -> NDArray[np.int64]:
    """The buckets of all values under one function, shape (k,): each digit once, by doubling."""
    base = digit_base(g)
    found = np.zeros(1, dtype=np.int64)
    for coefficient in row.tolist():
        found = np.concatenate([found + coefficient * digit for digit in range(base)])[:k] % g
    return found


def _rows_part(k: int, g: int, functions: NDArray[np.int64], width: int) -> tuple[int, ...]:
    """(row bits, masks of them) for `cuts`: a row is the number that the top bits write."""
    bits = max(1, (len(functions) - 1).bit_length())
    check_threshold("k", k, 2, g ** functions.shape[1])
    if bits > width:
        raise ParameterError("rows", f"must be at most 2^{width}", len(functions))
    return tuple(1 << (width - 1 - i) for i in range(bits))


def _sizes(g: int, functions: NDArray[np.int64], row_bits: int, *more: int) -> tuple[int, ...]:
    """Return the sizes that the kernel of bits reads, in its order."""
    head = (len(functions), row_bits, digit_base(g), functions.shape[1], g, *more)
    head += (0,) * (_HEAD - len(head))
    return (*head, *functions.reshape(-1).tolist())


def sketch_bits_sampler(
    k: int,
    g: int,
    functions: NDArray[np.int64],
    one: int,
    zero: int,
    width: int = 64,
    lanes: int = 64,
    every_plane: bool = False,
) -> Sampler:
    """A uniform row, then g independent bits of which only that of the bucket is likely 1.

    Args:
        k: number of values.
        g: number of buckets.
        functions: `coefficients`.
        one: threshold of the bit of the bucket. zero: of every other bit. 1..2^width - 1.
        width: bits per threshold.
        lanes, every_plane: as in `one_hot_sampler`.

    Returns:
        A sampler of reports of shape (1 + ceil(g/lanes),), uint64: the row, then the packed bits.

    Raises:
        ParameterError: a number is out of range.
    """
    bits = one_hot_sampler(g, one, zero, width, lanes, every_plane)
    masks = _rows_part(k, g, functions, bits.word_bits)
    blocks, planes, _, at_least = bits.sizes
    return Sampler(
        fill=sketch_bits_fill,
        inputs=k,
        cuts=(*bits.cuts, *masks),
        sizes=_sizes(g, functions, len(masks), blocks, planes, lanes, at_least),
        shape=(1 + blocks,),
        dtype=bits.dtype,
        word_bits=bits.word_bits,
        words_per_value=bits.words_per_value + 2,
        least_words=bits.least_words + 1,
    )


def sketch_bits_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: words for the row until one is a row, then those of `one_hot_fill`."""
    one = cuts[0]
    all_lanes = cuts[1]
    last_lanes = cuts[2]
    unit = cuts[3]
    first_mask = 4
    rows = sizes[0]
    row_bits = sizes[1]
    base = sizes[2]
    digits = sizes[3]
    g = sizes[4]
    blocks = sizes[5]
    planes = sizes[6]
    lanes = sizes[7]
    at_least = sizes[8]
    columns = 1 + blocks
    used = 0
    for i in range(len(values)):
        cursor = used
        first = i * columns
        row = rows
        while row >= rows:
            if cursor == len(words):
                return i, used
            row = 0
            for bit_of_row in range(row_bits):
                row = row + row
                if words[cursor] & cuts[first_mask + planes + bit_of_row] != 0:
                    row = row + 1
            cursor += 1
        bucket = 0
        rest = values[i]
        for digit in range(digits):
            bucket += (rest % base) * sizes[9 + row * digits + digit]
            rest = rest // base
        bucket = bucket % g
        if cursor == len(words):
            return i, used
        own = words[cursor] < one
        cursor += 1
        for block in range(blocks):
            undecided = all_lanes
            if block == blocks - 1:
                undecided = last_lanes
            ones = undecided ^ undecided
            plane = 0
            if planes >= FIRST_PLANES:
                if cursor + FIRST_PLANES > len(words):
                    return i, used
                for step in range(FIRST_PLANES):
                    word = words[cursor + step]
                    mask = cuts[first_mask + step]
                    # A lane is below where the threshold has a 1 and the word a 0.
                    ones |= undecided & mask & ~word
                    undecided &= ~(word ^ mask)
                cursor += FIRST_PLANES
                plane = FIRST_PLANES
            while plane < planes and (undecided != 0 or plane < at_least):
                if cursor == len(words):
                    return i, used
                word = words[cursor]
                mask = cuts[first_mask + plane]
                ones |= undecided & mask & ~word
                undecided &= ~(word ^ mask)
                cursor += 1
                plane += 1
            out[first + 1 + block] = ones
        slot = first + 1 + bucket // lanes
        bit = unit << (bucket % lanes)
        ones = out[slot] & ~bit
        if own:
            ones |= bit
        out[slot] = ones
        out[first] = row
        used = cursor
    return len(values), used


def sketch_sign_sampler(
    k: int, g: int, functions: NDArray[np.int64], deny: int, width: int = 64
) -> Sampler:
    """A uniform row, a uniform row l of Sylvester's matrix of order g, and H[l, bucket], or not.

    Args:
        k: number of values.
        g: number of buckets, a power of two.
        functions: `coefficients`.
        deny: threshold of the other sign, 1..2^width - 1.
        width: bits of a word that are used.

    Returns:
        A sampler of 2 (row g + l) for the sign +1 and 2 (row g + l) + 1 for -1.

    Raises:
        ParameterError: a number is out of range.
    """
    check_width(width)
    check_threshold("deny", deny, 1, 2**width - 1)
    if g & (g - 1) or g > 2**width:
        raise ParameterError("buckets", f"must be a power of two, at most 2^{width}", g)
    row_bits = len(_rows_part(k, g, functions, width))
    bits = g.bit_length() - 1
    left = width - row_bits - bits
    if left < 0:
        raise ParameterError("width", f"must be at least {row_bits + bits}", width)
    tables, at_once = _bucket_tables(g, functions)
    coin = (deny >> (width - left), deny & ((1 << (width - left)) - 1), (1 << left) - 1)
    runs, cells = tables.shape[1:]
    places = (left, bits, at_once, cells, runs * cells, _SIGN_HEAD)
    head = (*coin, _PARITIES, len(functions), g - 1, *places)
    rejects = len(functions) & (len(functions) - 1) != 0
    return Sampler(
        fill=sketch_sign_fill,
        inputs=k,
        cuts=(*head, *tables.reshape(-1).tolist()),
        sizes=(runs,),
        shape=(),
        dtype=smallest_dtype(2 * g * len(functions)),
        word_bits=width,
        words_per_value=2 + rejects,
        least_words=2,
        unsigned=True,
    )


def _bucket_tables(g: int, functions: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Sums of coefficients for every run of binary digits, so that a bucket takes few look-ups.

    Returns:
        int64, shape (rows, runs, 2^digits of a run): to be added up modulo g; and the digits. There
        are two runs at least, so that the kernel has no loop for as many as there mostly are.
    """
    rows, digits = functions.shape

    sizes: dict[int, int] = {
        d: rows * max(2, -(-digits // d)) * (1 << d) for d in range(1, digits + 1)
    }
    at_once = max((d for d, cells in sizes.items() if cells <= _MOST_CELLS), default=1)
    runs = max(2, -(-digits // at_once))
    padded = np.zeros((rows, runs * at_once), dtype=np.int64)
    padded[:, :digits] = functions
    ones = np.arange(1 << at_once)[np.newaxis, :] >> np.arange(at_once)[:, np.newaxis] & 1
    return np.asarray(padded.reshape(rows, runs, at_once) @ ones % g), at_once


def sketch_sign_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: words until one is a row, whose next bits are l, and then the coin of the sign.

    That is [w < deny] for a word w whose first bits are those that are left after l: they decide,
    unless they are those of deny. A word is read for the others in any case, so that the number of
    words says nothing of the report.
    """
    deny_first = cuts[0]
    deny_rest = cuts[1]
    last_left = cuts[2]
    parities = cuts[3]
    rows = cuts[4]
    last_bucket = cuts[5]
    left = cuts[6]
    bits = cuts[7]
    at_once = cuts[8]
    cells = cuts[9]
    each = cuts[10]
    first_cell = cuts[11]
    runs = sizes[0]
    unit = ~(~(rows ^ rows) << 1)  # 1, without a sign like the words
    last_digit = cells - unit
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor == len(words):
            return i, used
        word = words[cursor]
        cursor += 1
        while word >> left >> bits >= rows:
            if cursor == len(words):
                return i, used
            word = words[cursor]
            cursor += 1
        both = word >> left
        rest = values[i]
        place = first_cell + (both >> bits) * each
        bucket = cuts[place + (rest & last_digit)]
        rest = rest >> at_once
        place += cells
        bucket += cuts[place + (rest & last_digit)]
        for _ in range(2, runs):
            rest = rest >> at_once
            place += cells
            bucket += cuts[place + (rest & last_digit)]
        # The sign is the parity of the common ones; there are 16 bits at most.
        common = both & bucket & last_bucket
        common ^= common >> 8
        common ^= common >> 4
        sign = (parities >> (common & 15)) & unit
        first = word & last_left
        if cursor == len(words):
            return i, used
        below = words[cursor] >> left < deny_rest
        cursor += 1
        if first < deny_first:
            sign ^= unit
        if first == deny_first and below:
            sign ^= unit
        out[i] = (both << 1) | sign
        used = cursor
    return len(values), used
