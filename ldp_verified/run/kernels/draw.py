"""Running a sampling kernel over a batch: words in, reports out, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, type_name
from ldp_verified.run.kernels.compiled import compiled, machine_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.kernels.vectorised import Vectorised

CHUNK_WORDS: Final = 1 << 17
"""Words asked for at a time (1 MiB): temporary memory stays within a few times this. Between two
chunks a thread needs the interpreter lock, and threads that wake each other for it too often lose
more than they share: a quarter of this had two threads of k-RR no faster than one."""

HALF: Final = 32
"""Bits of a word that is half of one of the source's."""

PURE_WORDS: Final = 1 << 11
"""A batch expected to read no more words than this runs as plain Python, without numba."""


class DrawnColumn(Protocol):
    """A sequence that a kernel reads: a list of ints or a 1-D integer array."""

    def __len__(self) -> int:
        """Return how many numbers there are."""

    def __getitem__(self, index: int, /) -> int:
        """The number at an index."""


class Slots(DrawnColumn, Protocol):
    """A sequence that a kernel writes and may read back."""

    def __setitem__(self, index: int, value: int, /) -> None:
        """Put a number at an index."""


class Fill(Protocol):
    """A sampling kernel: reports for `values`, from `words`, until either runs out.

    It is called with `values` (inputs), `out` (`len(out) // len(values)` numbers per report, row by
    row), `words` (uniform), `cuts` (thresholds and masks) and `sizes` (shapes and small factors).
    A kernel with a table of bytes is given the pair of that and `cuts`.
    It returns how many values are done and how many words these used. A report that the words do
    not suffice for is not done: it is drawn again from its first word when there are more words.

    In the compiled form `words` and `cuts` are uint64, `values`, `sizes` and all counters int64.
    The two kinds must not meet in arithmetic or bit operations (numba would give float64);
    shifting a word by a size, and storing either kind in `out`, is fine.
    """

    def __call__(
        self,
        values: DrawnColumn,
        out: Slots,
        words: DrawnColumn,
        cuts: DrawnColumn,
        sizes: DrawnColumn,
    ) -> tuple[int, int]:
        """Fill `out`; returns (values done, words used)."""


@dataclass(frozen=True)
class Sampler:
    """A sampling kernel with its constants: everything but the private values and the words.

    Attributes:
        fill: the kernel, a module-level plain-Python function.
        inputs: values are integers in 0..inputs-1.
        cuts: the kernel's constants that are compared or combined with words.
        sizes: the kernel's constants that count or index.
        shape: shape of one report: () or (columns,).
        dtype: unsigned dtype of the reports.
        word_bits: bits per word, at most 64. One of the source's is two words of 32 bits, the lower
            half first; a word of another size is the top bits of one of the source's.
        words_per_value: about how many words one value takes (at least 1; for buffer sizes).
        least_words: how many words one value takes at the very least (at least 1).
        vectorised: the same kernel in NumPy, on arrays of the types of the compiled form, for
            large batches without numba; None where the plain Python one has to do.
        table: a table of bytes, where the kernel has one: it is given the pair of it and `cuts`.
        unsigned: whether the compiled kernel is given `values` as uint64, so that they can meet
            words in arithmetic; indices without a sign need no look at it either.
    """

    fill: Fill
    inputs: int
    cuts: tuple[int, ...]
    sizes: tuple[int, ...]
    shape: tuple[()] | tuple[int]
    dtype: np.dtype[Any]
    word_bits: int = 64
    words_per_value: int = 1
    least_words: int = 1
    unsigned: bool = False
    vectorised: Vectorised | None = None
    table: bytes = b""

    @property
    def columns(self) -> int:
        """The number of columns that a report has."""
        return self.shape[0] if self.shape else 1

    def draw(
        self,
        values: NDArray[np.integer[Any]],
        source: WordSource,
        out: NDArray[Any] | None = None,
        in_range: bool = False,
        buffer: NDArray[np.uint64] | None = None,
    ) -> NDArray[Any]:
        """One report for each value.

        Args:
            values: integers in 0..inputs-1, shape (n,), any integer dtype.
            source: where the words come from. What is drawn depends on the source's stream alone,
                not on the batch's size or on whether the compiled form runs.
            out: a contiguous array for the reports, of the shape and dtype below; None for a new
                one.
            in_range: whether the caller has seen that the values are in 0..inputs-1 already; they
                are then not looked at again.
            buffer: memory for the words, from `buffer_for`; None for new memory. As many as it is
                for are asked for at a time, if these are more than `CHUNK_WORDS`. Spent words tell
                lies from truths: those in it are left for the caller to erase.

        Returns:
            Array of shape (n, *shape) and dtype `dtype`.

        Raises:
            DomainError: if `values` is not such an array.
        """
        if values.ndim != 1 or values.dtype.kind not in "iu":
            shown = f"{type_name(values)} of shape {values.shape}"
            raise DomainError("values", "must be a 1-D integer array", shown)
        if len(values) and not in_range and not within(values, self.inputs):
            raise DomainError("values", f"must be integers in 0..{self.inputs - 1}")
        count = len(values)
        if out is None:
            out = np.empty((count, *self.shape), dtype=self.dtype)
        flat = out.reshape(-1)
        expected = count * self.words_per_value
        run = self._interpret if count == 1 or expected <= PURE_WORDS else self._in_bulk
        given = buffer
        if buffer is None:
            buffer = np.empty(0, dtype=np.uint64)
        at_once = max(CHUNK_WORDS, len(buffer) // 9 * 8)
        # What counts words of the source is halved where each of them is two words of the kernel.
        parts = 2 if self.word_bits == HALF else 1
        done = held = spent = 0
        try:
            while done < count:
                want = min(at_once, (count - done) * self.words_per_value)
                have = held + -(-max(want, self.words_per_value) // parts)
                if have > len(buffer):
                    small = buffer
                    buffer = buffer_for(have)
                    buffer[:held] = small[:held]
                    small[...] = 0
                source.fill(buffer[held:have])
                if parts == 1 and self.word_bits < 64:
                    buffer[held:have] >>= np.uint64(64 - self.word_bits)
                words = (_halves(buffer[:have]) if parts == 2 else buffer[:have])[spent:]
                # These are all the values that the words can serve.
                chunk = np.ascontiguousarray(
                    values[done : done + len(words) // self.least_words], dtype=np.int64
                )
                if not chunk.flags.writeable:  # one compiled form for all
                    chunk = chunk.copy()
                row = done * self.columns
                rows = flat[row : row + len(chunk) * self.columns]
                reports, used = run(chunk, rows, words)
                done += reports
                first, spent = divmod(spent + used, parts)
                held = have - first
                buffer[:held] = buffer[first:have]
        finally:
            if buffer is not given:
                buffer[...] = 0
        return out

    @property
    def constants(self) -> tuple[Any, tuple[int, ...]]:
        """The kernel's constants as its last two arguments, when it runs as plain Python."""
        return (self.table, self.cuts) if self.table else self.cuts, self.sizes

    @cached_property
    def arrays(self) -> tuple[Any, NDArray[np.int64]]:
        """The kernel's constants as its last two arguments, when it is compiled."""
        cuts = np.array(self.cuts, dtype=np.uint64)
        table = np.frombuffer(self.table, dtype=np.uint8)
        return (table, cuts) if self.table else cuts, np.array(self.sizes, dtype=np.int64)

    def _in_bulk(
        self, values: NDArray[np.int64], out: NDArray[Any], words: NDArray[np.unsignedinteger[Any]]
    ) -> tuple[int, int]:
        if machine_code():
            given: DrawnColumn = values.view(np.uint64) if self.unsigned else values
            return compiled(self.fill)(given, out, words, *self.arrays)
        if self.vectorised is not None:
            return self.vectorised(values, out, words, *self.arrays)
        # NumPy's numbers are not those that the kernels are written for.
        return self._interpret(values, out, words)

    def _interpret(
        self, values: NDArray[np.int64], out: NDArray[Any], words: NDArray[np.unsignedinteger[Any]]
    ) -> tuple[int, int]:
        slots = [0] * len(out)
        done, used = self.fill(values.tolist(), slots, words.tolist(), *self.constants)
        out[: done * self.columns] = slots[: done * self.columns]
        return done, used


def buffer_for(words: int) -> NDArray[np.uint64]:
    """Memory for so many words, and an eighth more: for what is left over, which differs."""
    return np.empty(words + words // 8, dtype=np.uint64)


def _halves(words: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The halves of words, the lower ones first: the same memory, but on big-endian machines."""
    return words.astype("<u8", copy=False).view("<u4").astype(np.uint32, copy=False)


def within(values: NDArray[np.integer[Any]], size: int) -> bool:
    """Return whether one or more integers are all in 0..size-1, for sizes up to 2^63."""
    if values.dtype == np.int64 and values.dtype.isnative:
        return int(values.view(np.uint64).max()) < size  # a negative number is huge there
    return int(values.max()) < size and (values.dtype.kind == "u" or int(values.min()) >= 0)


def smallest_dtype(count: int) -> np.dtype[Any]:
    """The smallest unsigned dtype that holds 0..count-1."""
    return np.dtype(np.min_scalar_type(count - 1))


def check_width(width: int, most: int = 64) -> None:
    """Refuse a width of words or thresholds outside 1..most."""
    if not 1 <= width <= most:
        raise ParameterError("width", f"must be in 1..{most}", width)


def check_threshold(name: str, threshold: int, low: int, high: int) -> None:
    """Refuse a threshold outside low..high."""
    if not low <= threshold <= high:
        raise ParameterError(name, f"must be in {low}..{high}", threshold)
