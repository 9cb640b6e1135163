"""A batch drawn by several threads, in blocks that do not depend on how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, SupportsIndex

import numpy as np

from ldp_verified.kernels.randomness import block_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Sampler

BLOCK: Final = 1 << 16
"""Values in a block. Part of what a seed means: another number gives other reports."""


def draw_in_threads(
    sampler: Sampler,
    values: NDArray[np.integer[Any]],
    rng: SupportsIndex | None,
    threads: int,
    in_range: bool = False,
) -> NDArray[Any]:
    """One report for each value, as `Sampler.draw` gives them.

    Args:
        sampler: the kernel and its constants; compiled kernels release the interpreter lock.
        values: integers in 0..inputs-1, shape (n,).
        rng: None for the secure source, or a seed.
        threads: how many, at least 1.
        in_range: as in `Sampler.draw`.

    Raises:
        ParameterError: `rng` is something else.
        DomainError: if `values` is no such array.
    """
    from concurrent.futures import ThreadPoolExecutor  # not paid for by a client of one value

    block_source(rng, 0)
    out = np.empty((len(values), *sampler.shape), dtype=sampler.dtype)

    def draw(block: int) -> None:
        rows = slice(block * BLOCK, (block + 1) * BLOCK)
        sampler.draw(values[rows], block_source(rng, block), out[rows], in_range)

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(draw, range(-(-len(values) // BLOCK))):
            pass
    return out
