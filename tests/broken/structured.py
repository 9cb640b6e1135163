"""Wrong kernels of subsets, columns, signs, points and cohorts: each has one flaw.

They are the right kernels with a step spoiled, in plain Python; a check that misses one of them is
too weak.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.kernels.cohorts import cohort_hash_fill, cohort_hash_sampler
from ldp_verified.kernels.hadamard import (
    hadamard_column_fill,
    hadamard_column_sampler,
    hadamard_sign_fill,
    hadamard_sign_sampler,
)
from ldp_verified.kernels.hyperplanes import hyperplane_fill, hyperplane_sampler
from ldp_verified.kernels.subsets import subset_fill, subset_sampler

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.kernels.draw import Column, Fill, Sampler, Slots


def _list(column: Column) -> list[int]:
    return [column[i] for i in range(len(column))]


def next_free(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """Subsets of the others by trial and error: a value that is taken gives way to the next one.

    Every set has the right size, and the own value its right probability.
    """
    omega, used = sizes[0], 0
    for i in range(len(values)):
        if used + 1 + omega > len(words):
            return i, used
        own = values[i]
        k = cuts[4] + 1 + omega
        chosen: set[int] = set() if words[used] < cuts[0] else {own}
        for position in range(omega):
            value = words[used + 1 + position] % k
            while len(chosen) < omega and (value in chosen or value == own):
                value = (value + 1) % k
            if len(chosen) < omega:
                chosen.add(value)
        out[i] = sum(1 << v for v in chosen)
        used += 1 + omega
    return len(values), used


def one_range_for_all(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """Floyd's ranges begin one too late: the last of the others is always among them."""
    every = _list(cuts)
    shifted = [*every[:5], *every[7:], *every[-2:]]
    shifted[4] += 1
    return subset_fill(values, out, words, shifted, sizes)


def never_turned(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """The coin for the other sign comes up with half its probability."""
    return hadamard_column_fill(values, out, words, (cuts[0] // 2, cuts[1]), sizes)


def row_zero(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """Row x in the place of row x + 1: that of value 0 has no -1."""
    lower = [max(value - 1, 0) for value in _list(values)]
    return hadamard_column_fill(lower, out, words, cuts, sizes)


def same_word(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """One word for the column and for the coin, which are then not independent."""
    doubled = [word for word in _list(words) for _ in range(2)]
    done, used = hadamard_sign_fill(values, out, doubled, cuts, sizes)
    return done, used // 2


def nothing_rejected(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """No word is rejected for a point on a hyperplane: the last point has fewer words."""
    q, t = sizes[0], sizes[1]
    every = _list(cuts)
    biased = [every[0], every[1] + 1, 2**5 - 1, *every[3:]]
    done, used = hyperplane_fill(values, out, words, biased, sizes)
    for i in range(done):
        out[i] = out[i] % ((q**t - 1) // (q - 1))
    return done, used


def without_function(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
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
    "next free value": (
        "subsets",
        {"k": 4, "omega": 2, "deny": 3},
        3,
        lambda: _with(subset_sampler(4, 2, 3, 3), next_free),
    ),
    "one range for all": (
        "subsets",
        {"k": 4, "omega": 2, "deny": 3},
        3,
        lambda: _with(subset_sampler(4, 2, 3, 3), one_range_for_all),
    ),
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
    "no function": (
        "cohorts",
        {"k": 5, "g": 3, "lie": 8},
        6,
        lambda: _with(cohort_hash_sampler(5, 3, 8, 6), without_function),
    ),
}
"""What is wrong -> (form, parameters, width, the wrong sampler)."""
