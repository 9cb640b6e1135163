"""Sampling from a table of probabilities: one word per value, one row of cuts per input."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_width, smallest_dtype

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

    Table = Iterable[Iterable[SupportsIndex]]


def categorical(
    values: NDArray[np.integer[Any]], thresholds: Table, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """The output y of a word w is the number of cuts in the value's row that are <= w.

    So P(y|x) = (thresholds[x, y] - thresholds[x, y-1]) / 2^width, with 0 before the first cut and
    2^width after the last.

    Args:
        values: integers in 0..d-1, shape (n,).
        thresholds: integers, shape (d, m-1) with m >= 2 outputs; each row is non-decreasing and
            within 0..2^width (an array must have object dtype where a cut is 2^64).
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        Outputs, shape (n,), in the smallest unsigned dtype that holds m - 1.

    Raises:
        ParameterError: if thresholds or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return categorical_sampler(thresholds, width).draw(values, source)


def categorical_sampler(thresholds: Table, width: int = 64) -> Sampler:
    """The sampler that `categorical` draws from (same thresholds and width)."""
    check_width(width)
    rows = [[operator.index(cut) for cut in row] for row in thresholds]
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise ParameterError("thresholds", "must be (d, m-1) with d >= 1, m >= 2", rows)
    cuts: list[int] = []
    for row in rows:
        ends = [0, *row, 2**width]
        if ends != sorted(ends):
            rule = f"rows must be non-decreasing and within 0..{2**width}"
            raise ParameterError("thresholds", rule, row)
        # A cut may be 0 or 2^64, so a row is kept as the last word of each output; `sizes` has
        # the first output that has a word at all.
        cuts += [max(end - 1, 0) for end in ends[1:]]
    outputs = len(rows[0]) + 1
    return Sampler(
        fill=categorical_fill,
        inputs=len(rows),
        cuts=tuple(cuts),
        sizes=(outputs, *(row.count(0) for row in rows)),
        shape=(),
        dtype=smallest_dtype(outputs),
        word_bits=width,
    )


def categorical_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: count the outputs of the value's row whose last word is below w."""
    outputs = sizes[0]
    done = min(len(values), len(words))
    for i in range(done):
        word = words[i]
        row = values[i] * outputs
        output = sizes[1 + values[i]]
        for place in range(row + output, row + outputs - 1):
            if cuts[place] < word:
                output += 1
        out[i] = output
    return done, done
