"""A batch drawn by several threads, in blocks that do not depend on how many there are."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar

import numpy as np

from ldp_verified.kernels.draw import CHUNK_WORDS
from ldp_verified.kernels.randomness import block_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from typing import Self

    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Sampler

T = TypeVar("T")

BLOCK: Final = 1 << 16
"""Values in a block of a seed. Part of what a seed means: another number gives other reports."""

BLOCK_WORDS: Final = 4 * CHUNK_WORDS
"""About how many words a block of the secure source takes: nothing depends on its size."""

BLOCKS_PER_THREAD: Final = 4
"""At least so many blocks for each thread, if the batch is large: so none waits long at the end."""

LEAST_BLOCK: Final = 1 << 10
"""Values in a block of the secure source, at least."""


class Team:
    """Threads that share out one piece of work after another; the calling thread is one of them.

    Leaving the context ends them. They are started when they are first needed, so one thread, or
    one call, costs nothing.

    Args:
        threads: how many, at least 1.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def each(self, run: Callable[[T], object], items: Sequence[T]) -> None:
        """`run` for each of the items, by whichever thread is free.

        The first exception stops the threads after their present calls, and is raised.
        """
        waiting = deque(items)

        def work() -> None:
            try:
                while waiting:
                    try:
                        item = waiting.popleft()
                    except IndexError:  # another thread took the last one
                        return
                    run(item)
            except BaseException:
                waiting.clear()
                raise

        others = [self._started().submit(work) for _ in range(min(self._threads, len(items)) - 1)]
        try:
            work()
        finally:
            for other in others:
                other.exception()  # waits: nobody may still be at work when this returns
        for other in others:
            other.result()

    def _started(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # not paid for by a client of one value

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads - 1)
        return self._pool


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

    with Team(threads) as team:
        team.each(draw, range(-(-len(values) // size)))
    return out


def _secure_block(sampler: Sampler, count: int, threads: int) -> int:
    """Values in a block where no seed says how many."""
    most = max(1, BLOCK_WORDS // sampler.words_per_value)
    return max(LEAST_BLOCK, min(most, -(-count // (BLOCKS_PER_THREAD * threads))))
