"""An exactly balanced family of hash functions of 128-bit values: random Toeplitz matrices mod 2.

Row j of a function's matrix is bits j..j+127 of its seed, and bit j of a value's hash is the parity
of the value's bits that the row selects. Two different values differ in some bit. Over a uniform
seed their hashes differ by a uniform vector of r bits, so they agree with probability exactly 2^-r
(Mansour, Nisan, Tiwari, 1993, "The computational complexity of universal hashing"). The hash is
linear: so the support counts of all extensions of a prefix come from one Walsh-Hadamard transform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.compiled import compiled, machine_code
from ldp_verified.run.kernels.draw import check_threshold
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

    Words = NDArray[np.uint64]

WIDTH: Final = 128
MOST_BITS: Final = 8
"""Bits of a hash, at most."""

MOST_EXTENSION: Final = 20
"""Bits by which a prefix is extended at once, at most."""

MOST_SHARED: Final = 24
"""The same of the first prefixes, which are extended from nothing."""


def draw_seeds(count: int, r: int, source: WordSource) -> Words:
    """Uniform seeds of functions to r bits, uint64 (count, 3): 127 + r bits, the lowest first."""
    check_threshold("r", r, 1, MOST_BITS)
    seeds = source.words(3 * count).reshape(count, 3)
    seeds[:, 2] &= np.uint64((1 << (r - 1)) - 1)
    return seeds


def in_places(places: Sequence[NDArray[np.intp]], rows: Sequence[Words]) -> Words:
    """The rows of several groups of users, which all have one, in the order of the users.

    Args:
        places: of each group the places of its users. rows: the row of each of these users.
    """
    joined = np.concatenate(rows)
    found = np.empty_like(joined)
    found[np.concatenate(places)] = joined
    return found


def rows(seeds: Words, j: int) -> tuple[Words, Words]:
    """Row j of each function's matrix: (upper 64 bits, lower 64 bits)."""
    if j == 0:
        return seeds[:, 1], seeds[:, 0]
    down, up = np.uint64(j), np.uint64(64 - j)
    return (seeds[:, 1] >> down) | (seeds[:, 2] << up), (seeds[:, 0] >> down) | (seeds[:, 1] << up)


def hashes(seeds: Words, values: Words, r: int) -> NDArray[np.int64]:
    """The hash of each value under the function beside it.

    Args:
        seeds: uint64 (n, 3). values: uint64 (n, 2) or (2,), the upper half first. r: bits of a
            hash.

    Returns:
        int64 (n,), in 0..2^r - 1.
    """
    found = np.zeros(len(seeds), dtype=np.int64)
    for j in range(r):
        upper, lower = rows(seeds, j)
        found |= _parity(upper & values[..., 0], lower & values[..., 1]) << j
    return found


def prefixes(values: Words, length: int) -> Words:
    """The values with all but their first `length` bits set to 0."""
    upper = min(length, 64)
    lower = length - upper
    mask = [((1 << bits) - 1) << (64 - bits) for bits in (upper, lower)]
    return values & np.array(mask, dtype=np.uint64)


def value_supports(
    seeds: Words, buckets: NDArray[np.integer], values: Words, r: int
) -> NDArray[np.int64]:
    """Count, for each value, the reports in the bucket that their function sends it to; int64.

    Args:
        seeds: uint64 (n, 3). buckets: integers (n,). values: uint64 (values, 2). r: bits of a hash.
    """
    if not len(seeds):
        return np.zeros(len(values), dtype=np.int64)
    return np.array(
        [np.count_nonzero(hashes(seeds, value, r) == buckets) for value in values], dtype=np.int64
    )


def extension_supports(
    seeds: Words, buckets: NDArray[np.integer], parents: Words, begin: int, end: int, r: int
) -> NDArray[np.int64]:
    """Count the support of every extension of some prefixes, without a hash per extension.

    The report (seed, b) supports p + y if h(p) + T y = b, that is, if all 2^r characters of b +
    h(p) + T y are 1. Their sum over c of (-1)^(c.(b + h(p)) + (T' c).y) is 2^r then, else 0.

    Args:
        seeds, buckets: the reports. parents: uint64 (prefixes, 2), 0 beyond their `begin` bits.
        begin, end: bits that the prefixes have before and after. r: bits of a hash.

    Returns:
        int64 (prefixes, 2^(end - begin)), in the order of the extensions as numbers.
    """
    check_threshold("end - begin", end - begin, 1, MOST_EXTENSION if begin else MOST_SHARED)
    size = 1 << (end - begin)
    sums = np.zeros((len(parents), size), dtype=np.int64)
    gaps = [buckets.astype(np.int64) ^ hashes(seeds, parent, r) for parent in parents]
    for character in range(1, 1 << r):
        upper = np.zeros(len(seeds), dtype=np.uint64)
        lower = upper.copy()
        for j in range(r):
            if character >> j & 1:
                more = rows(seeds, j)
                upper ^= more[0]
                lower ^= more[1]
        index = _window(upper, lower, WIDTH - end, size)
        sign = 1.0 - 2.0 * (np.bitwise_count(np.arange(1 << r) & character) & 1)
        for place, gap in enumerate(gaps):
            # Sums of fewer than 2^53 signs are exact in doubles.
            sums[place] += np.bincount(index, sign[gap], size).astype(np.int64)
    return (walsh_hadamard(sums) + len(seeds)) >> r


def shared_supports(
    seeds: Words, spectra: NDArray[np.int64], parents: Words, begin: int, end: int
) -> NDArray[np.int64]:
    """`extension_supports` where many reports share a function: their number no longer matters.

    Args:
        seeds: of the functions, uint64 (functions, 3). spectra: int64 (functions, 2^r), of each
            function the Walsh-Hadamard transform of how many of its reports are in each bucket.
        parents, begin, end: as in `extension_supports`, but for extensions of up to 24 bits.

    Returns:
        int64 (prefixes, 2^(end - begin)).
    """
    check_threshold("end - begin", end - begin, 1, MOST_SHARED)
    size, g = 1 << (end - begin), spectra.shape[1]
    r = g.bit_length() - 1
    windows = np.zeros((len(seeds), g), dtype=np.int32)
    # A sum has at most g terms of each function, none above the number of its reports.
    kind = np.int32 if int(spectra[:, 0].sum()) < (1 << 31) // g else np.int64
    gaps = np.zeros((len(seeds), len(parents)), dtype=kind)
    for j in range(r):  # the transpose of the matrix is linear in the character
        upper, lower = rows(seeds, j)
        own = _window(upper, lower, WIDTH - end, size)
        windows[:, 1 << j : 2 << j] = windows[:, : 1 << j] ^ own[:, None]
        selected = upper[:, None] & parents[:, 0], lower[:, None] & parents[:, 1]
        gaps |= (_parity(*selected) << j).astype(kind)
    sums = np.zeros((size, len(parents)), dtype=kind)
    signs = np.ones((g, len(parents)), dtype=kind)
    add = compiled(_add_spectra) if machine_code() else _add_with_numpy
    add(sums, gaps, windows, spectra.astype(kind), signs)
    supports: NDArray[np.int64] = walsh_hadamard(sums.T) >> r
    return supports


def _add_spectra(
    sums: NDArray[np.signedinteger],
    gaps: NDArray[np.signedinteger],
    windows: NDArray[np.int32],
    spectra: NDArray[np.signedinteger],
    signs: NDArray[np.signedinteger],
) -> None:
    """Kernel: every character of every function, signed as each prefix's hash says, to its place.

    `sums` has a row for each extension and a column for each prefix, so that the innermost loop
    runs over neighbours. `signs` is scratch, of ones; its row c is the character c of the hashes.
    """
    for function in range(len(spectra)):
        half, bit = 1, 0
        while half < len(signs):
            for place in range(len(gaps[function])):
                signs[half, place] = 1 - 2 * (gaps[function, place] >> bit & 1)
            for more in range(1, half):
                for place in range(len(gaps[function])):
                    signs[half + more, place] = signs[half, place] * signs[more, place]
            half, bit = 2 * half, bit + 1
        for character in range(len(signs)):
            row, sign = sums[windows[function, character]], signs[character]
            amount = spectra[function, character]
            for place in range(len(row)):
                row[place] += sign[place] * amount


def _add_with_numpy(
    sums: NDArray[np.signedinteger],
    gaps: NDArray[np.signedinteger],
    windows: NDArray[np.int32],
    spectra: NDArray[np.signedinteger],
    signs: NDArray[np.signedinteger],
) -> None:
    """`_add_spectra` with numpy, a function at a time."""
    for function in range(len(spectra)):
        half, bit = 1, 0
        while half < len(signs):
            signs[half] = 1 - 2 * (gaps[function] >> bit & 1)
            signs[half + 1 : 2 * half] = signs[half] * signs[1:half]
            half, bit = 2 * half, bit + 1
        np.add.at(sums, windows[function], signs * spectra[function][:, None])


def extended(parents: Words, end: int, places: NDArray[np.int64]) -> Words:
    """Prefixes with an extension: `places` are (row of the parent, extension), int64 (m, 2)."""
    found = parents[places[:, 0]].copy()
    more = places[:, 1].astype(np.uint64)
    shift = WIDTH - end
    if shift >= 64:
        found[:, 0] |= more << np.uint64(shift - 64)
    else:
        found[:, 1] |= more << np.uint64(shift)
        if shift:
            found[:, 0] |= more >> np.uint64(64 - shift)
    return found


def _window(upper: Words, lower: Words, shift: int, size: int) -> NDArray[np.int64]:
    """Some bits of each 128-bit number, from bit `shift` on."""
    if shift >= 64:
        moved = upper >> np.uint64(shift - 64)
    elif shift:
        moved = (lower >> np.uint64(shift)) | (upper << np.uint64(64 - shift))
    else:
        moved = lower
    bits: NDArray[np.int64] = (moved & np.uint64(size - 1)).astype(np.int64)
    return bits


def parities(masks: Words, values: Words) -> NDArray[np.int64]:
    """The parity of the bits that a mask selects of the value beside it, int64 (n,).

    Args:
        masks: uint64 (n, 2). values: uint64 (n, 2) or (2,), the upper half first.
    """
    return _parity(masks[:, 0] & values[..., 0], masks[:, 1] & values[..., 1])


def _parity(upper: Words, lower: Words) -> NDArray[np.int64]:
    odd: NDArray[np.int64] = (np.bitwise_count(upper ^ lower) & 1).astype(np.int64)
    return odd
