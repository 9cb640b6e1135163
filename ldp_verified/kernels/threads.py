"""A batch drawn by several threads, in blocks that do not depend on how many there are."""

from __future__ import annotations

import _thread
import threading
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar, cast

import numpy as np

from ldp_verified.kernels.draw import CHUNK_WORDS
from ldp_verified.kernels.randomness import block_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Sampler

T = TypeVar("T")

BLOCK: Final = 1 << 16
"""Values in a block of a seed. Part of what a seed means: another number gives other reports."""

BLOCK_WORDS: Final = 4 * CHUNK_WORDS
"""About how many words a block of the secure source takes: nothing depends on its size."""

BLOCKS_PER_THREAD: Final = 4
"""At least so many blocks for each thread, if the batch is large: so none waits long at the end."""

AHEAD: Final = 4
"""Items that wait for each other thread, at most: one that finds none sleeps, and waking it takes
longer than many an item."""

LEAST_BLOCK: Final = 1 << 10
"""Values in a block of the secure source, at least."""


def share_out(
    working: Callable[[], AbstractContextManager[Callable[[T], object]]],
    items: Iterable[T],
    threads: int,
) -> None:
    """Do something with each of the items, by whichever of the threads is free.

    The calling thread is one of them. It takes the items one by one, only so many more than are
    done, so that an iterator of batches without end takes bounded memory; the others are started
    when there is something for them to do, and end with the call.

    Args:
        working: called in each thread that takes part; what entering its context gives is called
            with the items that this thread does. The context is left when there are no more.
        items: any iterable; its own exceptions are raised too.
        threads: how many, at least 1.

    Raises:
        Exception: the first one that was raised anywhere. The threads stop after their present
            calls; what waited is not begun.
    """
    if threads == 1:
        with working() as run:
            for item in items:
                run(item)
        return
    waiting: SimpleQueue[tuple[T] | None] = SimpleQueue()
    ended: SimpleQueue[BaseException | None] = SimpleQueue()
    failed = threading.Event()
    others = 0

    def work() -> None:
        try:
            with working() as run:
                while not failed.is_set() and (held := waiting.get()) is not None:
                    run(*held)
            ended.put(None)
        except BaseException as error:
            failed.set()
            ended.put(error)

    def leave(most: int, run: Callable[[T], object]) -> None:
        while not failed.is_set() and waiting.qsize() > most:
            try:
                held = waiting.get_nowait()
            except Empty:  # another thread took the last one
                return
            run(*cast("tuple[T]", held))

    errors: list[BaseException | None] = []
    try:
        with working() as run:
            for item in items:
                waiting.put((item,))
                if others + 1 < min(threads, waiting.qsize()):
                    # Not threading.Thread, whose `start` sleeps until the other thread is awake.
                    _thread.start_new_thread(work, ())
                    others += 1
                leave(AHEAD * (threads - 1), run)
                if failed.is_set():
                    break
            leave(0, run)
    except BaseException:
        failed.set()
        raise
    finally:
        for _ in range(others):
            waiting.put(None)
        errors += [ended.get() for _ in range(others)]  # nobody is at work when this returns
    for error in errors:
        if error is not None:
            raise error


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
    room = min(BLOCK_WORDS, size * sampler.words_per_value)

    @contextmanager
    def drawing() -> Iterator[Callable[[int], object]]:
        # Taken once for each thread: memory that is given back has to be cleared by the system
        # when it is handed out again, and the other threads to be told.
        buffer = np.empty(room + room // 8, dtype=np.uint64)

        def draw(block: int) -> None:
            rows = slice(block * size, (block + 1) * size)
            source = block_source(rng, block)
            sampler.draw(values[rows], source, out[rows], in_range, buffer)

        try:
            yield draw
        finally:
            buffer[...] = 0  # spent words tell lies from truths

    share_out(drawing, range(-(-len(values) // size)), threads)
    return out


def _secure_block(sampler: Sampler, count: int, threads: int) -> int:
    """Values in a block where no seed says how many."""
    most = max(1, BLOCK_WORDS // sampler.words_per_value)
    return max(LEAST_BLOCK, min(most, -(-count // (BLOCKS_PER_THREAD * threads))))
