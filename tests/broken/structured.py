"""Wrong kernels of columns, signs, points and cohorts: each has one flaw.

They are the right kernels with a step spoiled, in plain Python; a check that misses one of them is
too weak.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.run.kernels.cohorts import cohort_hash_fill, cohort_hash_sampler
from ldp_verified.run.kernels.hadamard import (
    hadamard_column_fill,
    hadamard_column_sampler,
    hadamard_sign_fill,
    hadamard_sign_sampler,
)
from ldp_verified.run.kernels.hyperplanes import block_sampler, hyperplane_fill, hyperplane_sampler

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.kernels.draw import DrawnColumn, Fill, Sampler, Slots


def _list(column: DrawnColumn) -> list[int]:
    return [column[i] for i in range(len(column))]


def never_turned(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The coin for the other sign comes up with half its probability."""
    return hadamard_column_fill(values, out, words, (cuts[0] // 2, cuts[1]), sizes)


def row_zero(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Row x in the place of row x + 1: that of value 0 has no -1."""
    lower = [max(value - 1, 0) for value in _list(values)]
    return hadamard_column_fill(lower, out, words, cuts, sizes)


def same_word(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """One word for the column and for the coin, which are then not independent."""
    doubled = [word for word in _list(words) for _ in range(2)]
    done, used = hadamard_sign_fill(values, out, doubled, cuts, sizes)
    return done, used // 2


def nothing_rejected(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """No word is rejected for a point on a hyperplane: the last point has fewer words."""
    q, t = sizes[0], sizes[1]
    every = _list(cuts)
    biased = [every[0], every[1] + 1, 2**5 - 1, *every[3:]]
    done, used = hyperplane_fill(values, out, words, biased, sizes)
    for i in range(done):
        out[i] = out[i] % ((q**t - 1) // (q - 1))
    return done, used


def own_block_again(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The own block is not left out where another one is drawn: the last one comes too rarely."""
    q, t, size = sizes[0], sizes[1], sizes[3]
    block = (q**t - 1) // (q - 1)
    done, used = hyperplane_fill(values, out, words, cuts, sizes)
    for i in range(done):
        if out[i] // block > values[i] // size:
            out[i] = out[i] - block
    return done, used


def without_function(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The bucket of a truth is the value mod g, whatever the function."""
    done, used = cohort_hash_fill(values, out, words, cuts, sizes)
    for i in range(done):
        function, bucket = divmod(out[i], sizes[0])
        truths = [0]
        cohort_hash_fill([values[i]], truths, [function * cuts[2], 2**6 - 1], cuts, sizes)
        if bucket == truths[0] % sizes[0]:
            out[i] = function * sizes[0] + values[i] % sizes[0]
    return done, used


def _with(sampler: Sampler, fill: Fill) -> Sampler:
    return replace(sampler, fill=fill)


PLANTED: dict[str, tuple[str, dict[str, int], int, Callable[[], Sampler]]] = {
    "half the coin": (
        "columns",
        {"k": 3, "deny": 10},
        5,
        lambda: _with(hadamard_column_sampler(3, 10, 5), never_turned),
    ),
    "row of another value": (
        "columns",
        {"k": 3, "deny": 10},
        5,
        lambda: _with(hadamard_column_sampler(3, 10, 5), row_zero),
    ),
    "one word for two": (
        "signs",
        {"k": 4, "deny": 10},
        5,
        lambda: _with(hadamard_sign_sampler(4, 10, 5), same_word),
    ),
    "remainders": (
        "hyperplane",
        {"k": 7, "prime": 2, "deny": 7},
        5,
        lambda: _with(hyperplane_sampler(7, 2, 7, 5), nothing_rejected),
    ),
    "the own block for another one": (
        "blocks",
        {"k": 14, "prime": 2, "t": 3, "blocks": 2, "deny": 9},
        5,
        lambda: _with(block_sampler(14, 2, 3, 2, 9, 5), own_block_again),
    ),
    "no function": (
        "cohorts",
        {"k": 5, "g": 3, "lie": 8},
        6,
        lambda: _with(cohort_hash_sampler(5, 3, 8, 6), without_function),
    ),
}
"""What is wrong -> (form, parameters, width, the wrong sampler)."""
