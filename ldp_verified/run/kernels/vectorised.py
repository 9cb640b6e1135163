"""Sampling kernels in NumPy, for large batches where numba is missing.

Each takes what the compiled kernel takes, reads the same words and gives the same reports; only the
time differs. Bits are drawn in blocks that read as many words as it takes to decide all of them, so
where a block begins depends on all before it. NumPy decides a block from *every* word at which one
could begin; the chain of those that do begin is then followed link by link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Values = NDArray[np.int64]
    Vectorised = Callable[[Values, NDArray[Any], Words, Words, NDArray[np.int64]], tuple[int, int]]

FIRST_PLANES: Final = 8
"""Planes read without asking whether all 64 lanes are decided already: the compiled loop of this
fixed length is unrolled, and after it four blocks in five are done."""


def grr_with_numpy(
    values: Values, out: NDArray[Any], words: Words, cuts: Words, sizes: NDArray[np.int64]
) -> tuple[int, int]:
    """`run.kernels.grr.grr_fill`: a word for each value."""
    del sizes  # they replace a division, which NumPy does as fast
    lie, last_lie = cuts[0], cuts[1]
    done = min(len(values), len(words))
    read = words[:done]
    out[:done] = np.where(read <= last_lie, read // lie, values[:done].view(np.uint64))
    return done, done


def bernoulli_with_numpy(
    values: Values, out: NDArray[Any], words: Words, cuts: Words, sizes: NDArray[np.int64]
) -> tuple[int, int]:
    """`run.kernels.bernoulli.bernoulli_fill`: one block after the other."""
    first = int(sizes[1]) or _first_planes(int(sizes[0]))
    ones, ends = _blocks(words, cuts[1 : 1 + int(sizes[0])], cuts[0], first)
    following = ends.tolist()
    starts: list[int] = []
    at, end = 0, len(words)
    while len(starts) < len(values) and at < end and following[at]:
        starts.append(at)
        at = following[at]
    out[: len(starts)] = ones[starts]
    return len(starts), at


def one_hot_with_numpy(
    values: Values, out: NDArray[Any], words: Words, cuts: Words, sizes: NDArray[np.int64]
) -> tuple[int, int]:
    """`run.kernels.bits.one_hot_fill`: a word for the own bit, then the blocks of a report."""
    blocks, planes, lanes, at_least = sizes.tolist()
    masks, first = cuts[4 : 4 + planes], at_least or _first_planes(planes)
    last_ones, last_ends = _blocks(words, masks, cuts[2], first)
    whole_ones, whole_ends = last_ones, last_ends
    if blocks > 1 and cuts[1] != cuts[2]:
        whole_ones, whole_ends = _blocks(words, masks, cuts[1], first)
    whole, last, end = whole_ends.tolist(), last_ends.tolist(), len(words)
    starts: list[int] = []
    own: list[int] = []
    used = 0
    while len(own) < len(values) and used < end:
        at = used + 1
        begun = []
        for _ in range(blocks - 1):
            begun.append(at)
            at = whole[at] if at < end else 0
            if not at:
                break
        begun.append(at)
        at = last[at] if 0 < at < end else 0
        if not at:
            break
        own.append(used)
        starts += begun
        used = at
    done = len(own)
    if done:
        rows = np.array(starts).reshape(done, blocks)
        drawn = whole_ones[rows]
        drawn[:, -1] = last_ones[rows[:, -1]]
        places = values[:done].astype(np.int64)
        each = np.arange(done), places // lanes
        bit = cuts[3] << (places % lanes).astype(np.uint64)
        drawn[each] = (drawn[each] & ~bit) | np.where(words[own] < cuts[0], bit, np.uint64(0))
        out[: done * blocks] = drawn.reshape(-1)
    return done, used


def least_planes(planes: int, every_plane: bool) -> int:
    """Return how many planes of a block are read in any case.

    Args:
        planes: how many there are.
        every_plane: whether they are all read.
    """
    return planes if every_plane else max(1, _first_planes(planes))


def _first_planes(planes: int) -> int:
    return FIRST_PLANES if planes >= FIRST_PLANES else 0


def _blocks(
    words: Words, masks: Words, lanes: np.uint64, first: int
) -> tuple[Words, NDArray[np.int64]]:
    """The block that begins at each word: its bits, and where the next one begins.

    Args:
        words: shape (n,). masks: of each plane, all ones where the threshold has a 1.
        lanes: ones for the bits that are drawn. first: planes that are read in any case.

    Returns:
        (ones, ends), each of shape (n,); an end is 0 where the words do not suffice.
    """
    count = len(words)
    ones = np.zeros(count, dtype=np.uint64)
    undecided = np.full(count, lanes)
    ends = np.arange(count, dtype=np.int64)
    for plane in range(first):
        word, here = words[plane:], slice(0, max(0, count - plane))
        mask = masks[plane]
        ones[here] |= undecided[here] & mask & ~word
        undecided[here] &= ~(word ^ mask)
    ends += first
    going = np.flatnonzero((undecided != 0) & (ends <= count))
    plane = first
    while len(going) and plane < len(masks):
        going = going[ends[going] < count]
        word, mask = words[ends[going]], masks[plane]
        ones[going] |= undecided[going] & mask & ~word
        left = undecided[going] & ~(word ^ mask)
        undecided[going] = left
        ends[going] += 1
        going = going[left != 0]
        plane += 1
    # Undecided lanes are none once every plane was read, for they are equal to the threshold then.
    short = (ends > count) | ((undecided != 0) & (ends - np.arange(count) < len(masks)))
    ends[short] = 0
    return ones, ends
