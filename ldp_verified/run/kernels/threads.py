"""A batch drawn by several threads, in blocks that do not depend on how many there are."""

from __future__ import annotations

import _thread
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar, cast

import numpy as np

from ldp_verified.run.kernels.draw import CHUNK_WORDS, buffer_for
from ldp_verified.run.kernels.seeds import block_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.seeds import Part

T = TypeVar("T")

BLOCK: Final = 1 << 16
"""Values in a block of a seed. Part of what a seed means: another number gives other reports."""

BLOCK_WORDS: Final = 4 * CHUNK_WORDS
"""About how many words a block of the secure source takes, at most: nothing depends on its size."""

LEAST_WORDS: Final = 2 * CHUNK_WORDS
"""About how many words a block of the secure source takes, at least."""

SHARES: Final = 3
"""Into so many shares for each thread what is left is divided, to find the size of a block: blocks
become smaller, so that no thread waits long for the last one of another."""

AHEAD: Final = 4
"""Items that wait for each other thread, at most: one that finds none sleeps, and waking it takes
longer than many an item."""


def share_out(
    working: Callable[[], AbstractContextManager[Callable[[T], object]]],
    items: Iterable[T],
    threads: int,
) -> None:
    """Do something with each of the items, by whichever of the threads is free.

    The calling thread is one of them. It takes the items one by one, only so many more than are
    done, so that an iterator of batches without end takes bounded memory. The others are started
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
    ended: SimpleQueue[None] = SimpleQueue()
    failures: list[BaseException] = []
    others = 0

    def work() -> None:
        try:
            with working() as run:
                while not failures and (held := waiting.get()) is not None:
                    run(*held)
        except BaseException as error:
            failures.append(error)
        finally:
            ended.put(None)

    def leave(most: int, run: Callable[[T], object]) -> None:
        while not failures and waiting.qsize() > most:
            try:
                held = waiting.get_nowait()
            except Empty:  # another thread took the last one
                return
            run(*cast("tuple[T]", held))

    try:
        with working() as run:
            for item in items:
                waiting.put((item,))
                if others + 1 < min(threads, waiting.qsize()):
                    # Not threading.Thread, whose `start` sleeps until the other thread is awake.
                    _thread.start_new_thread(work, ())
                    others += 1
                leave(AHEAD * (threads - 1), run)
                if failures:
                    break
            leave(0, run)
    except BaseException as error:
        failures.append(error)
        raise
    finally:
        for _ in range(others):
            waiting.put(None)
        for _ in range(others):
            ended.get()  # nobody is at work when this returns
    if failures:
        raise failures[0]


def draw_in_threads(
    sampler: Sampler,
    values: NDArray[np.integer[Any]],
    rng: SupportsIndex | np.random.Generator | None,
    threads: int,
    in_range: bool = False,
    of: tuple[Part, ...] = (),
) -> NDArray[Any]:
    """One report for each value, as `Sampler.draw` gives them.

    Args:
        sampler: the kernel and its constants; compiled kernels release the interpreter lock.
        values: integers in 0..inputs-1, shape (n,).
        rng: None for the secure source, a seed or a numpy Generator.
        threads: how many, at least 1.
        in_range: as in `Sampler.draw`.
        of: who draws, for the domain of a seed.

    Raises:
        ParameterError: `rng` is something else.
        DomainError: if `values` is no such array.
    """
    source_of = block_sources(rng, "privatize in threads", *of)
    count, words = len(values), sampler.words_per_value
    if rng is None:
        blocks = secure_blocks(count, words, threads)
    else:
        blocks = [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]
    out = np.empty((count, *sampler.shape), dtype=sampler.dtype)
    room = min(BLOCK_WORDS, words * max((rows.stop - rows.start for rows in blocks), default=0))

    @contextmanager
    def drawing() -> Iterator[Callable[[tuple[int, slice]], object]]:
        # Taken once for each thread: memory that is given back has to be cleared by the system
        # when it is handed out again, and the other threads to be told.
        buffer = buffer_for(room)

        def draw(block: tuple[int, slice]) -> None:
            number, rows = block
            sampler.draw(values[rows], source_of(number), out[rows], in_range, buffer)

        try:
            yield draw
        finally:
            buffer[...] = 0  # spent words tell lies from truths

    share_out(drawing, enumerate(blocks), threads)
    return out


def secure_blocks(count: int, words: int, threads: int) -> list[slice]:
    """The rows of each block where no seed says which: guided self-scheduling.

    A block has a part of what is left (Polychronopoulos and Kuck, 1987, "Guided Self-Scheduling: A
    Practical Scheduling Scheme for Parallel Supercomputers").

    Args:
        count: how many values there are.
        words: about how many words one takes, at least 1.
        threads: how many, at least 1.
    """
    most, least = max(1, BLOCK_WORDS // words), max(1, LEAST_WORDS // words)
    shares = SHARES * threads if threads > 1 else 1
    blocks, start = [], 0
    while start < count:
        size = max(least, min(most, -(-(count - start) // shares)))
        blocks.append(slice(start, min(count, start + size)))
        start += size
    return blocks
