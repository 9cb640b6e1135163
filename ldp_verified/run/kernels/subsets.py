"""Subsets of omega values: the own value or not, then a uniform subset of the others.

Every other value is in independently at first, 64 at a time, with a probability c / 2^j that takes
few words. Then uniform values go out or come in, one at a time, until the number is right. Neither
step tells the other values apart, so that all their subsets of one size are equally likely.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

MOST_PLANES: Final = 6
"""Words for 64 values at first: more bring the number closer to the wanted one, but cost more."""

_ONES: Final = (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x7F)
"""Masks that add up the ones of a word: of pairs, of fours, of bytes; and of the sum."""


def subset(
    values: NDArray[np.integer[Any]],
    k: int,
    omega: int,
    deny: int,
    source: WordSource,
    width: int = 64,
) -> NDArray[np.uint64]:
    """A subset of omega values: without the own one with probability deny / 2^width, else with it.

    Given that, it is uniform among the subsets without the own value, or with it.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, 2..2^width.
        omega: size of the subset, 1..k-1.
        deny: threshold of leaving the own value out, 1..2^width - 1.
        source: where the words come from.
        width: bits of a word that decide about the own value.

    Returns:
        Packed reports, shape (n, ceil(k / 64)), dtype uint64: bit v % 64 of number v // 64 says
        whether v is in the subset; the bits beyond k are 0.

    Raises:
        ParameterError: if k, omega, deny or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return subset_sampler(k, omega, deny, width).draw(values, source)


def subset_sampler(
    k: int,
    omega: int,
    deny: int,
    width: int = 64,
    lanes: int = 64,
    share: tuple[int, int] | None = None,
) -> Sampler:
    """The sampler that `subset` draws from (same k, omega, deny and width).

    Args:
        k: as there. omega: as there. deny: as there. width: as there.
        lanes: values drawn together and packed into one number of the report, a power of two up to
            64. Anything but 64 is for enumeration.
        share: (c, j), so that each value is in with probability c / 2^j at first, 0 <= c < 2^j;
            None for the one with the least work. It matters for the time only.

    Raises:
        ParameterError: an argument is out of range.
    """
    check_width(width)
    check_threshold("k", k, 2, 2 ** min(width, 32))
    check_threshold("omega", omega, 1, k - 1)
    check_threshold("deny", deny, 1, 2**width - 1)
    if lanes not in (1, 2, 4, 8, 16, 32, 64):
        raise ParameterError("lanes", "must be a power of two in 1..64", lanes)
    size, word_bits, (c, planes, steps), (bits, slices, fair) = plan_of(
        k, omega, width, lanes, share
    )
    blocks = -(-k // lanes)
    all_lanes = 2**lanes - 1
    return Sampler(
        fill=subset_fill,
        inputs=k,
        cuts=(
            deny << (word_bits - width),
            1,
            lanes.bit_length() - 1,
            lanes - 1,
            all_lanes,
            2 ** (k - lanes * (blocks - 1)) - 1,
            blocks,
            k,
            bits,
            2**bits - 1,
            2**bits % k,
            size - 1,
            *_ONES,
            *(all_lanes * (c >> plane & 1) for plane in range(planes)),
        ),
        sizes=(blocks, planes, slices, int(size < omega)),
        shape=(blocks,),
        dtype=np.dtype(np.uint64),
        word_bits=word_bits,
        words_per_value=2 + blocks * planes + ceil(steps / fair),
        least_words=2 + blocks * planes,
    )


def plan_of(
    k: int, omega: int, width: int = 64, lanes: int = 64, share: tuple[int, int] | None = None
) -> tuple[int, int, tuple[int, int, float], tuple[int, int, float]]:
    """Choose how a set is drawn: its size, bits of a word, planes, slices; arguments as there.

    Returns:
        The size of the set, or of its complement where that is smaller; bits of a word; (c, j,
        about how many positions are drawn) where values are in with probability c / 2^j at first;
        (bits of a slice, slices of a word, how many of these are fair).
    """
    size = min(omega, k - omega)
    word_bits = max(width, min(lanes, k))
    return (
        *(size, word_bits),
        _least_work(k, size - 1, -(-k // lanes), share),
        _slices(k, word_bits),
    )


def _least_work(
    k: int, size: int, blocks: int, share: tuple[int, int] | None
) -> tuple[int, int, float]:
    """(c, j) and about how many positions are then drawn, where a word costs what a position does.

    Args:
        k: number of values.
        size: the number of others to arrive at before the last one is drawn.
        blocks: words of one plane.
        share: the (c, j) to be taken.

    Raises:
        ParameterError: `share` is no such pair.
    """
    shares = [(0, 0)] + [(c, j) for j in range(1, MOST_PLANES + 1) for c in range(1, 2**j, 2)]
    if share is not None:
        if share[1] < 0 or not 0 <= share[0] < 1 << share[1]:
            raise ParameterError("share", "must be (c, j) with 0 <= c < 2^j", share)
        shares = [share]

    def steps(c: int, j: int) -> float:
        p = c / (1 << j)
        missing = size - (k - 1) * p
        # The mean of the positive part of a random number is at most this (Scarf, 1958).
        surplus = (sqrt((k - 1) * p * (1 - p) + missing * missing) - missing) / 2
        return surplus * k / max(size, 1) + (surplus + missing + 1) * k / (k - size)

    c, j = min(shares, key=lambda each: blocks * each[1] + steps(*each))
    return c, j, steps(c, j)


def _slices(k: int, word_bits: int) -> tuple[int, int, float]:
    """Bits of a slice and slices of a word, for the most positions from one word; and how many."""
    most = max(word_bits // (k - 1).bit_length(), 1)
    found = []
    for slices in range(1, most + 1):
        # A slice times k is to fit into 64 bits.
        bits = min(word_bits // slices, 64 - (k - 1).bit_length())
        found.append((slices * (2**bits // k * k) / 2**bits, -bits, slices))
    fair, bits, slices = max(found)
    return -bits, slices, fair


def subset_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for the own value, planes of lanes, then positions until the number is right.

    A position is uniform, by slices of words of which those without a fair share are left out
    (Lemire, 2019). First, values that are in go out until no more than size are left, then others
    come in until there are size + 1. The own value's bit is held so that its position counts as a
    miss. Its coin decides at the very end whether it takes the place of the last value that came
    in. So the number of words depends on how many others are in, and on nothing else: it has one
    distribution for all values and both sides of the coin, whichever set is reported.

    All arithmetic on values is done on words: `out` turns the own value into one.
    """
    deny = cuts[0]
    unit = cuts[1]
    lane_bits = cuts[2]
    last_lane = cuts[3]
    all_lanes = cuts[4]
    last_lanes = cuts[5]
    step = cuts[6]
    k = cuts[7]
    bits = cuts[8]
    last_slice = cuts[9]
    unfair = cuts[10]
    size = cuts[11]
    pairs = cuts[12]
    fours = cuts[13]
    bytes_ = cuts[14]
    sums = cuts[15]
    first_mask = 16
    blocks = sizes[0]
    planes = sizes[1]
    slices = sizes[2]
    turned = sizes[3] != 0
    used = 0
    zero = unit ^ unit
    row = zero
    for i in range(len(values)):
        start = i * blocks
        cursor = used
        if cursor + 1 + planes * blocks > len(words):
            return i, used
        # Of a complement, the own value is in where the report is to be without it.
        joins = (words[cursor] < deny) == turned
        cursor += 1
        out[start] = values[i]
        own = out[start]
        for block in range(blocks):
            out[start + block] = 0
        for plane in range(planes):
            # From the last bit of c up: [w < c/2^j] is decided by the first bit that differs.
            mask = cuts[first_mask + plane]
            for block in range(blocks):
                word = words[cursor + block]
                ones = out[start + block]
                out[start + block] = (ones & word) | (mask & (ones ^ word))
            cursor += blocks
        out[start + blocks - 1] = out[start + blocks - 1] & last_lanes
        own_slot = row + (own >> lane_bits)
        own_bit = unit << (own & last_lane)
        out[own_slot] = out[own_slot] & ~own_bit
        count = zero
        for block in range(blocks):
            ones = out[start + block]
            ones = ones - (ones >> 1 & pairs)
            ones = (ones & fours) + (ones >> 2 & fours)
            ones = ones + (ones >> 4) & bytes_
            ones = ones + (ones >> 8)
            ones = ones + (ones >> 16)
            ones = ones + (ones >> 32)
            count += ones & sums
        left = zero
        if count > size:
            left = count - size
            count = size
        goes = unit
        last = zero
        for _ in range(2):
            while left != 0:
                if cursor == len(words):
                    return i, used
                rest = words[cursor]
                cursor += 1
                for _ in range(slices):
                    product = (rest & last_slice) * k
                    rest = rest >> bits
                    if (product & last_slice) >= unfair and left != 0:
                        position = product >> bits
                        slot = row + (position >> lane_bits)
                        lane = position & last_lane
                        ones = out[slot]
                        hit = (ones >> lane ^ goes ^ unit) & unit
                        out[slot] = ones ^ (hit << lane)
                        left -= hit
                        if hit != 0:
                            last = position
            goes = zero
            left = size + unit - count
            out[own_slot] = out[own_slot] | own_bit
        if joins:
            slot = row + (last >> lane_bits)
            out[slot] = out[slot] ^ (unit << (last & last_lane))
        else:
            out[own_slot] = out[own_slot] ^ own_bit
        if turned:
            for block in range(blocks):
                out[start + block] = out[start + block] ^ all_lanes
            out[start + blocks - 1] = out[start + blocks - 1] & last_lanes
        used = cursor
        row += step
    return len(values), used
