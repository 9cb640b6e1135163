"""Independent bits that are drawn ahead of the values: many rows at once, each given out once.

A bit that is 1 with one probability needs no value to be drawn. So a client of unary encoding draws
rows of them in bulk and, when a value comes, puts in what depends on it. What waits is as secret as
buffered words are, and belongs to one process as they do.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.bernoulli import bernoulli_blocks
from ldp_verified.run.kernels.randomness import SecureWords
from ldp_verified.run.program.client import ProgramClient
from ldp_verified.run.program.words import SecretBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.program.python import Payload

MOST_BLOCKS: Final = 1 << 11
"""Blocks of 64 bits that wait at most (16 KiB), unless one row has more."""


class RowsAhead:
    """Draws more rows each time it is asked, up to a limit.

    The first row is drawn alone: who makes one report does not wait for others. It pays where bits
    are drawn by machine code (`kernels.compiled.has_compiler`).

    Args:
        bits: of a row.
        thresholds: each row has a part for each of them, whose bits are 1 with probability
            threshold / 2^width.
        width: bits per threshold.
        source: where the words come from.
    """

    def __init__(
        self,
        bits: int,
        thresholds: tuple[int, ...],
        width: int = 64,
        source: WordSource | None = None,
    ) -> None:
        self._blocks = -(-bits // 64)
        self._thresholds = thresholds
        self._width = width
        self._source = SecureWords() if source is None else source
        self._padding = np.uint64((1 << (bits - 64 * (self._blocks - 1))) - 1)
        self._most = max(1, MOST_BLOCKS // (self._blocks * len(thresholds)))
        self._next = 1

    def draw(self) -> tuple[NDArray[np.uint64], ...]:
        """Draw an array (rows, ceil(bits/64)) for each threshold; the bits beyond are 0."""
        rows, self._next = self._next, min(2 * self._next, self._most)
        parts = []
        for threshold in self._thresholds:
            count = rows * self._blocks
            # A device reads all planes: else their number would tell of the bits that go out.
            drawn = bernoulli_blocks(count, threshold, self._source, self._width, every_plane=True)
            part = drawn.reshape(rows, self._blocks)
            part[:, -1] &= self._padding
            parts.append(part)
        return tuple(parts)


class OneHotClient(ProgramClient):
    """Draws reports of unary encoding: a row of bits drawn ahead, with the value's own bit put in.

    The law of a report is the program's; the words are read in another order, and how many depends
    neither on the value nor on the report.

    Args:
        program: what draws a report.
        thresholds: (one, zero), shares of 2^64.
        check: the index 0..inputs-1 of a private value, or a `DomainError`.
        plain: whether an int in 0..inputs-1 is its own index.
    """

    def __init__(
        self,
        program: Program,
        thresholds: tuple[int, ...],
        check: Callable[[object], int],
        plain: bool,
    ) -> None:
        self._thresholds = thresholds
        super().__init__(program, check, plain)

    def _drawing(self, check: Callable[[object], int], plain: bool) -> Callable[[object], Payload]:
        k, (one, zero) = self.program.inputs, self._thresholds
        ahead, source = RowsAhead(k, (zero,)), SecureWords()

        def rows() -> list[list[int]]:
            (bits,) = ahead.draw()
            made: list[list[int]] = np.column_stack([bits, source.words(len(bits))]).tolist()
            return made

        return one_hot_report(k if plain else 0, one, SecretBuffer(rows), os.getpid, check)


def one_hot_report(
    plain: int,
    one: int,
    buffer: SecretBuffer[list[int]],
    getpid: Callable[[], int],
    check: Callable[[object], int],
    lanes: int = 64,
) -> Callable[[object], tuple[int, ...]]:
    """The function that puts a value's own bit in a row and reports it.

    Args:
        plain: ints in 0..plain-1 are their own indices.
        one: the own bit is 1 if the row's last number is below it.
        buffer: rows of packed bits, each with a uniform word as its last number.
        getpid: the number of this process.
        check: the index of any other value, or an error.
        lanes: bits of a number; anything but 64 is for enumeration.
    """
    take, more, renew, owner = buffer.words.pop, buffer.more, buffer.renew, buffer.owner

    def report(value: object) -> tuple[int, ...]:
        if getpid() != owner[0]:
            renew()
        if type(value) is not int or not 0 <= value < plain:
            value = check(value)
        # A row is taken, not looked for first: another thread may take the last.
        try:
            row = take()
        except IndexError:
            row = more()
        word = row.pop()
        place, bit = value // lanes, 1 << value % lanes
        row[place] = row[place] & ~bit | bit * (word < one)
        return tuple(row)

    return report


@lru_cache(maxsize=64)
def bits_report(
    bits: int, high: int, low: int
) -> Callable[[NDArray[np.uint64]], NDArray[np.uint64]]:
    """The function that randomizes packed bits, shape (1, blocks), each to a new array.

    The clients of a process have one in common. Threads may share it.

    Args:
        bits: number of them.
        high, low: P(1|1) and P(1|0), out of 2^64.
    """
    # Where both bits are as likely to be turned over, one row of bits says which of them are.
    return rows_report(RowsAhead(bits, (low,) if high + low == 1 << 64 else (high, low)))


def rows_report(ahead: RowsAhead) -> Callable[[NDArray[np.uint64]], NDArray[np.uint64]]:
    """The function that randomizes packed bits by rows of what becomes of a 1 and of a 0.

    Args:
        ahead: of two thresholds: a bit that is 1 stays so where the first row has a 1, and one that
            is 0 becomes 1 where the second has one. Or of one: a bit is turned over where the row
            has a 1.
    """

    def rows() -> list[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
        *kept, raised = ahead.draw()
        # The bits that what is raised does not decide: a 1 and a 0 come to different answers.
        told = kept[0] ^ raised if kept else np.full_like(raised, ~np.uint64(0))
        # Each in the shape of what it is put together with, which is done in a third of the time.
        return list(zip(told[:, np.newaxis], raised[:, np.newaxis], strict=True))

    buffer = SecretBuffer(rows)
    take, more, renew, owner, getpid = (
        *(buffer.words.pop, buffer.more, buffer.renew, buffer.owner),
        os.getpid,
    )

    def drawn(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        if getpid() != owner[0]:
            renew()
        try:
            told, raised = take()
        except IndexError:
            told, raised = more()
        answer: NDArray[np.uint64] = (bits & told) ^ raised
        return answer

    return drawn
