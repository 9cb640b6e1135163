"""Wrong kernels of subsets: the right one with one step spoiled in its text.

Most draw sets of the right size, and ask the coin about the own value as they should: a check that
misses one of them is too weak.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.run.kernels.subsets import subset_fill, subset_sampler
from tests.broken.spoil import spoiled

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Sampler, Slots

EXAMPLE: dict[str, Any] = {"k": 4, "omega": 2, "deny": 1, "width": 2, "lanes": 2, "share": (1, 1)}
"""Both walks, and more than one number in a report; a position for each word."""

LARGE: dict[str, Any] = {"k": 3, "omega": 2, "deny": 1, "width": 2, "lanes": 2, "share": (1, 1)}
"""A complement, and a word that stands for no position."""

TWO_SLICES: dict[str, Any] = {"k": 4, "omega": 2, "deny": 3, "width": 4}
"""No planes, and two positions for each word."""

QUARTER: dict[str, Any] = {"k": 2, "omega": 1, "deny": 1, "width": 2, "share": (1, 2)}
"""Two planes."""

FLAWS: dict[str, tuple[dict[str, Any], str, str]] = {
    "own value drawn": (EXAMPLE, "out[own_slot] = out[own_slot] | own_bit", "pass"),
    "own value counted": (EXAMPLE, "out[own_slot] = out[own_slot] & ~own_bit", "pass"),
    "even positions go out": (
        EXAMPLE,
        "position = product >> bits",
        "position = (product >> bits) & ~goes",
    ),
    "the last values go out first": (
        EXAMPLE,
        "hit = (ones >> lane ^ goes ^ unit) & unit",
        "hit = (ones >> lane ^ goes ^ unit) & unit & (ones != 3 or lane != 0 or goes == 0)",
    ),
    "own value in every other block": (EXAMPLE, "if joins:", "if joins or last == own ^ unit:"),
    "the last one comes from low positions": (
        EXAMPLE,
        "last = position",
        "last = position if out[slot] != 3 else position & ~unit",
    ),
    "unfair slices": (LARGE, "(product & last_slice) >= unfair and left != 0", "left != 0"),
    "coin of a complement": (LARGE, "(words[cursor] < deny) == turned", "words[cursor] >= deny"),
    "slices overlap": (TWO_SLICES, "rest = rest >> bits", "rest = rest >> unit"),
    "threshold off by one": (TWO_SLICES, "words[cursor] < deny", "words[cursor] <= deny"),
    "one too many": (QUARTER, "if count > size:", "if count > size + unit:"),
    "one too few": (EXAMPLE, "left = count - size\n", "left = count - size + unit\n"),
    "nothing goes out": (EXAMPLE, "left = count - size\n", "left = zero\n"),
}
"""What is wrong: parameters that show it, a step of the kernel, what stands in its place."""


def planted(wrong: str) -> Sampler:
    """The sampler with one step of its kernel replaced."""
    parameters, step, other = FLAWS[wrong]
    return replace(subset_sampler(**parameters), fill=spoiled(subset_fill, step, other))


def next_free(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Subsets of the others by trial and error: a value that is taken gives way to the next one.

    Every set has the right size, and the own value its right probability.
    """
    k, omega, used = cuts[7], cuts[11] + 1, 0
    if sizes[3]:
        raise AssertionError("for no complements")
    for i in range(len(values)):
        if used + 1 + omega > len(words):
            return i, used
        own = values[i]
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
