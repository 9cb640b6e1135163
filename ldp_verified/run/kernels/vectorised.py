"""Sampling kernels in NumPy, for large batches where numba is missing.

Each takes what the compiled kernel takes, reads the same words and gives the same reports; only the
time differs. Blocks of bits read further words where fields tie, so where a block begins depends on
all before it. NumPy looks a block up at *every* word at which one could begin; the chain of those
that do begin is then followed link by link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.kernels.prefix_bits import bits_fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Values = NDArray[np.int64]
    Vectorised = Callable[[Values, NDArray[Any], Words, Any, NDArray[np.int64]], tuple[int, int]]


def grr_with_numpy(
    values: Values, out: NDArray[Any], words: Words, cuts: Words, sizes: NDArray[np.int64]
) -> tuple[int, int]:
    """`run.kernels.grr.grr_fill` with numpy: a word for each value."""
    del sizes  # they replace a division, which NumPy does as fast
    lie, last_lie = cuts[0], cuts[1]
    done = min(len(values), len(words))
    read = words[:done]
    out[:done] = np.where(read <= last_lie, read // lie, values[:done].view(np.uint64))
    return done, done


def bernoulli_with_numpy(
    values: Values, out: NDArray[Any], words: Words, cuts: Words, sizes: NDArray[np.int64]
) -> tuple[int, int]:
    """`run.kernels.bernoulli.bernoulli_fill`: the planes of each block."""
    planes = int(sizes[0])
    done = min(len(values), len(words) // planes)
    rows = words[: done * planes].reshape(done, planes)
    ones, undecided = np.zeros(done, dtype=np.uint64), np.full(done, cuts[0])
    for plane in range(planes):
        word, mask = rows[:, plane], cuts[1 + plane]
        ones |= undecided & mask & ~word
        undecided &= ~(word ^ mask)
    out[:done] = ones
    return done, done * planes


def bits_with_numpy(
    values: Values, out: NDArray[Any], words: Words, cuts: Any, sizes: NDArray[np.int64]
) -> tuple[int, int]:
    """`run.kernels.prefix_bits.bits_fill`: what a block would be is looked up at every word.

    The chain of blocks that do begin is then followed. One with a tie is drawn by the kernel.
    """
    table, constants = cuts
    blocks, each, fields, has_own, runs = sizes.tolist()
    one, last_lanes, unit = constants[:3]
    lanes, columns, depths, rows, row_at, cells, each_row, places = constants[10:18].tolist()
    functions = int(constants[22])
    whole, tied = _blocks(words, table, constants, each, fields)
    ties, row_of = tied.tolist(), (words >> np.uint64(row_at)).tolist()
    alone = constants.tolist()
    alone[1], alone[11], alone[13] = (1 << lanes) - 1, 1, 0
    alone_cuts = table.tobytes(), alone
    most, end, used = each * (1 + fields * depths), len(words), 0
    starts: list[int] = []
    own: list[int] = []
    drawn_rows: list[int] = []
    special: list[tuple[int, int]] = []
    while len(own) < len(values):
        at = used
        while rows and at < end and row_of[at] >= rows:
            at += 1
        if at >= end:
            break
        row = at
        at += int(rows > 0)
        begun, slots = [at], list[tuple[int, int]]()
        at += has_own
        for _ in range(blocks):
            if at + each > end:
                break
            begun.append(at)
            if not ties[at]:
                at += each
                continue
            slot, given = [0], words[at : at + most].tolist()
            done, taken = bits_fill([0], slot, given, alone_cuts, (1, each, fields, 0, 1))
            if not done:
                begun.pop()
                break
            slots.append((len(starts) + len(begun) - 2, slot[0]))
            at += taken
        if len(begun) <= blocks:
            break
        drawn_rows.append(row_of[row])
        own.append(begun[0])
        starts += begun[1:]
        special += slots
        used = at
    done = len(own)
    if not done:
        return 0, 0
    numbers = whole[starts]
    for place, number in special:
        numbers[place] = number
    drawn = numbers.reshape(done, blocks)
    drawn[:, -1] &= last_lanes
    if has_own:
        index = values[:done].astype(np.int64)
        if rows:
            begin, rest, index = functions + np.array(drawn_rows) * each_row, index, 0 * index
            for run in range(runs):
                index += constants[begin + run * cells + rest % cells].astype(np.int64)
                rest = rest // cells
            index %= places
        chosen = np.arange(done), index // lanes
        bit = unit << (index % lanes).astype(np.uint64)
        drawn[chosen] = (drawn[chosen] & ~bit) | np.where(words[own] < one, bit, np.uint64(0))
    whole_rows = out[: done * columns].reshape(done, columns)
    whole_rows[:, columns - blocks :] = drawn
    if rows:
        whole_rows[:, 0] = drawn_rows
    return done, used


def _blocks(
    words: Words, table: NDArray[np.uint8], constants: Words, each: int, fields: int
) -> tuple[Words, NDArray[np.bool_]]:
    """The block of bits that would begin at each word, and whether one of its fields may be a tie.

    Args:
        words: shape (n,). table, constants: of the kernel.
        each: words of a block. fields: of a word.

    Returns:
        (bits, ties), each of shape (n,). Bits are right where there is no tie, and the words
        suffice.
    """
    mask, prefix, group, turn = constants[3:7]
    parts, ties = np.zeros_like(words), np.zeros(len(words), dtype=np.bool_)
    rest = words
    for field in range(fields):
        entries = table[rest & mask]
        ties |= entries == 0
        parts |= (entries ^ turn) << np.uint64(field) * group
        rest = rest >> prefix
    count = max(0, len(words) - each + 1)
    whole, tie = np.zeros_like(words), np.zeros_like(ties)
    for step in range(each):
        shift = np.uint64(step * fields) * group
        whole[:count] |= parts[step : step + count] << shift
        tie[:count] |= ties[step : step + count]
    return whole, tie
