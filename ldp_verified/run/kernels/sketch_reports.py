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
from ldp_verified.run.kernels.bits import Rows, bits_of, bits_sampler
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype
from ldp_verified.run.kernels.family import digit_base, digit_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

MOST_ROWS: Final = 1 << 16
"""Rows of a sketch, so that their coefficients fit into a few MiB."""

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


def sketch_bits_sampler(
    k: int,
    g: int,
    functions: NDArray[np.int64],
    one: int,
    zero: int,
    width: int = 64,
    lanes: int = 64,
) -> Sampler:
    """A uniform row, then g independent bits of which only that of the bucket is likely 1.

    Args:
        k: number of values.
        g: number of buckets.
        functions: `coefficients`.
        one: threshold of the bit of the bucket. zero: of every other bit. 1..2^width - 1.
        width: bits per threshold.
        lanes: as in `one_hot_sampler`.

    Returns:
        A sampler of reports of shape (1 + ceil(g/lanes),), uint64: the row, then the packed bits.

    Raises:
        ParameterError: a number is out of range.
    """
    check_width(width)
    check_threshold("one", one, 1, 2**width - 1)
    check_threshold("k", k, 2, g ** functions.shape[1])
    tables, at_once = _bucket_tables(g, functions, digit_base(g))
    cells, flat = digit_base(g) ** at_once, tuple(tables.reshape(-1).tolist())
    rows = Rows(k, len(functions), cells, tables.shape[1], flat)
    return bits_sampler(g, zero, width, lanes, one=one, rows=rows)


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
    check_threshold("k", k, 2, g ** functions.shape[1])
    row_bits = bits_of(len(functions), width)
    bits = g.bit_length() - 1
    left = width - row_bits - bits
    if left < 0:
        raise ParameterError("width", f"must be at least {row_bits + bits}", width)
    tables, at_once = _bucket_tables(g, functions, 2)
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


def _bucket_tables(
    g: int, functions: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], int]:
    """Sums of coefficients for every run of digits, so that a bucket takes few look-ups.

    Args:
        g: number of buckets. functions: `coefficients`. base: of the digits.

    Returns:
        int64, shape (rows, runs, base^digits of a run): to be added up modulo g; and the digits.
        There are two runs at least, so that the kernel of signs has no loop for as many as there
        mostly are.
    """
    rows, digits = functions.shape

    sizes: dict[int, int] = {
        d: rows * max(2, -(-digits // d)) * base**d for d in range(1, digits + 1)
    }
    at_once = max((d for d, cells in sizes.items() if cells <= _MOST_CELLS), default=1)
    runs = max(2, -(-digits // at_once))
    padded = np.zeros((rows, runs * at_once), dtype=np.int64)
    padded[:, :digits] = functions
    places = base ** np.arange(at_once)[:, np.newaxis]
    ones = np.arange(base**at_once)[np.newaxis, :] // places % base
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
