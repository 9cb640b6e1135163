"""A batch drawn by several threads, in blocks that do not depend on how many there are."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar

import numpy as np

from ldp_verified.kernels.draw import CHUNK_WORDS
from ldp_verified.kernels.randomness import block_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Sampler

R = TypeVar("R")

BLOCK: Final = 1 << 16
"""Values in a block of a seed. Part of what a seed means: another number gives other reports."""

BLOCK_WORDS: Final = 4 * CHUNK_WORDS
"""About how many words a block of the secure source takes: nothing depends on its size."""

BLOCKS_PER_THREAD: Final = 4
"""At least so many blocks for each thread, if the batch is large: so none waits long at the end."""

LEAST_BLOCK: Final = 1 << 10
"""Values in a block of the secure source, at least."""


def each(run: Callable[[int], R], count: int, threads: int) -> list[R]:
    """run(0), ..., run(count - 1), each by whichever of the threads is free.

    The calling thread is one of them, so nothing is started for one thread or one call.

    Args:
        run: what is called; the first exception stops the threads after their present calls.
        count: how many calls.
        threads: how many threads, at least 1.

    Returns:
        What the calls gave, in order.
    """
    found: dict[int, R] = {}
    waiting = deque(range(count))

    def work() -> None:
        try:
            while waiting:
                try:
                    number = waiting.popleft()
                except IndexError:  # another thread took the last one
                    return
                found[number] = run(number)
        except BaseException:
            waiting.clear()
            raise

    helpers = min(threads, count) - 1
    if helpers < 1:
        work()
    else:
        from concurrent.futures import ThreadPoolExecutor  # not paid for by a client of one value

        with ThreadPoolExecutor(helpers) as pool:
            others = [pool.submit(work) for _ in range(helpers)]
            work()
        for other in others:
            other.result()
    return [found[number] for number in range(count)]


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
    block_source(rng, 0)
    size = BLOCK if rng is not None else _secure_block(sampler, len(values), threads)
    out = np.empty((len(values), *sampler.shape), dtype=sampler.dtype)
    room = min(CHUNK_WORDS, size * sampler.words_per_value)
    own = threading.local()

    def draw(block: int) -> None:
        if not hasattr(own, "buffer"):
            # Taken once for each thread: memory that is given back has to be cleared by the system
            # when it is handed out again, and the other threads to be told.
            own.buffer = np.empty(room + room // 8, dtype=np.uint64)
        rows = slice(block * size, (block + 1) * size)
        sampler.draw(values[rows], block_source(rng, block), out[rows], in_range, own.buffer)

    each(draw, -(-len(values) // size), threads)
    return out


def _secure_block(sampler: Sampler, count: int, threads: int) -> int:
    """Values in a block where no seed says how many."""
    most = max(1, BLOCK_WORDS // sampler.words_per_value)
    return max(LEAST_BLOCK, min(most, -(-count // (BLOCKS_PER_THREAD * threads))))
