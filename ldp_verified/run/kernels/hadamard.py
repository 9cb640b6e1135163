"""Columns and signs of Sylvester's Hadamard matrix: H[a, y] is +1 if a & y has even parity.

For a != 0 the columns y with a given sign of H[a, y] are half of all. A number of one bit less
names one of them: the bit at the lowest 1 of a is left out, and put in again as parity demands. So
a uniform one takes no rejection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

MOST_VALUES = 1 << 31
"""Reports fit in 32 bits."""


def column_order(k: int) -> int:
    """The smallest power of two above k: row 0, which has no -1, belongs to no value."""
    check_threshold("k", k, 2, MOST_VALUES - 1)
    return 1 << k.bit_length()


def sign_order(k: int) -> int:
    """The smallest power of two that is at least k."""
    check_threshold("k", k, 2, MOST_VALUES)
    return 1 << (k - 1).bit_length()


def hadamard_column(
    values: NDArray[np.integer[Any]], k: int, deny: int, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """A column y of H with H[x + 1, y] = -1 with probability deny / 2^width, else +1.

    Given the sign, it is uniform among the columns with it.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, 2..2^31 - 1, below 2^(width + 1).
        deny: threshold of a column with the sign -1, 1..2^width - 1.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        Columns in 0..K-1, shape (n,), in the smallest unsigned dtype that holds K - 1.

    Raises:
        ParameterError: if k, deny or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return hadamard_column_sampler(k, deny, width).draw(values, source)


def hadamard_column_sampler(k: int, deny: int, width: int = 64) -> Sampler:
    """The sampler that `hadamard_column` draws from (same k, deny and width)."""
    check_width(width)
    order = column_order(k)
    bits = order.bit_length() - 2
    check_threshold("k", k, 2, 2 ** (width + 1) - 1)
    check_threshold("deny", deny, 1, 2**width - 1)
    return Sampler(
        fill=hadamard_column_fill,
        inputs=k,
        cuts=(deny, 1),
        sizes=(width - bits,),
        shape=(),
        dtype=smallest_dtype(order),
        word_bits=width,
        words_per_value=2,
        least_words=2,
    )


def hadamard_column_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for the sign, a word for the column; `out` turns the row into a word."""
    deny = cuts[0]
    unit = cuts[1]
    shift = sizes[0]
    done = min(len(values), len(words) // 2)
    for i in range(done):
        out[i] = values[i] + 1
        row = out[i] | (unit ^ unit)
        odd = unit ^ unit
        if words[2 * i] < deny:
            odd = unit
        drawn = words[2 * i + 1] >> shift
        lowest = row & ~(row - unit)
        below = drawn & (lowest - unit)
        column = ((drawn ^ below) << 1) | below
        common = column & row
        common ^= common >> 16
        common ^= common >> 8
        common ^= common >> 4
        common ^= common >> 2
        common ^= common >> 1
        if (common & unit) != odd:
            column |= lowest
        out[i] = column
    return done, 2 * done


def hadamard_sign(
    values: NDArray[np.integer[Any]], k: int, deny: int, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """A uniform column j of H, and H[x, j], turned round with probability deny / 2^width.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, 2..2^31, at most 2^width.
        deny: threshold of the other sign, 1..2^width - 1.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        2 j for the sign +1 and 2 j + 1 for -1, shape (n,), in the smallest unsigned dtype for them.

    Raises:
        ParameterError: if k, deny or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return hadamard_sign_sampler(k, deny, width).draw(values, source)


def hadamard_sign_sampler(k: int, deny: int, width: int = 64) -> Sampler:
    """The sampler that `hadamard_sign` draws from (same k, deny and width)."""
    check_width(width)
    order = sign_order(k)
    check_threshold("k", k, 2, 2**width)
    check_threshold("deny", deny, 1, 2**width - 1)
    return Sampler(
        fill=hadamard_sign_fill,
        inputs=k,
        cuts=(deny, 1),
        sizes=(width - (order.bit_length() - 1),),
        shape=(),
        dtype=smallest_dtype(2 * order),
        word_bits=width,
        words_per_value=2,
        least_words=2,
    )


def hadamard_sign_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for the column, a word for keeping its sign."""
    deny = cuts[0]
    unit = cuts[1]
    shift = sizes[0]
    done = min(len(values), len(words) // 2)
    for i in range(done):
        out[i] = values[i]
        column = words[2 * i] >> shift
        common = column & (out[i] | (unit ^ unit))
        common ^= common >> 16
        common ^= common >> 8
        common ^= common >> 4
        common ^= common >> 2
        common ^= common >> 1
        sign = common & unit
        if words[2 * i + 1] < deny:
            sign ^= unit
        out[i] = (column << 1) | sign
    return done, 2 * done
