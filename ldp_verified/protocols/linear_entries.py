"""The masks of what groups report on, where each bit of it is a parity of bits of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Masks = tuple[tuple[int, ...], ...]


def linear_masks(
    inputs: Callable[[Words, int], Words], groups: int, width: int
) -> tuple[Masks, Masks]:
    """The masks of the upper and the lower half of a value, of each group and bit, lowest first.

    Args:
        inputs: encoded values, uint64 (n, 2), and a group, to what the group reports on: linear mod
            2, in the first bits of the upper half. groups: those that are looked at are 0..groups -
            1. width: bits of a value, which are the first ones of its encoding.

    Returns:
        As many masks for each group as bits of the upper half are ever used.
    """
    places = np.arange(width)
    values = np.zeros((width, 2), dtype=np.uint64)
    values[places, places // 64] = np.uint64(1) << (63 - places % 64).astype(np.uint64)
    # Column i of a matrix mod 2 is what it makes of the i-th bit alone.
    found = [inputs(values, group)[:, 0] for group in range(groups)]
    if not found:
        return (), ()
    used = int(np.bitwise_or.reduce([np.bitwise_or.reduce(each) for each in found]))
    lowest = (used & -used).bit_length() - 1
    upper, lower = [], []
    for each in found:
        bits = each[:, None] >> np.arange(lowest, 64, dtype=np.uint64) & np.uint64(1)
        halves = np.bitwise_or.reduce(values[:, None, :] * bits[:, :, None], axis=0)
        upper.append((*halves[:, 0].tolist(),))
        lower.append((*halves[:, 1].tolist(),))
    return (*upper,), (*lower,)
