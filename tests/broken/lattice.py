"""Table samplers of noise that a programmer could have got wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.run.kernels.alias import alias_fill
from ldp_verified.run.kernels.lattice import lattice_sampler

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Fill, Sampler, Slots


def one_word(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Limits are rounded down to one word: outputs of less than its share get all or nothing."""
    moved = [cuts[i] for i in range(len(cuts))]
    for each in range(moved[1], moved[1] + moved[2] + 2):
        moved[each] = moved[moved[1]]
    return alias_fill(values, out, words, moved, sizes)


def at_the_limit(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """A number that equals a limit counts as below it: one number in all goes to the wrong side."""
    moved = [cuts[i] for i in range(len(cuts))]
    for each in range(moved[moved[1]], len(moved)):
        moved[each] += 1
    return alias_fill(values, out, words, moved, sizes)


def same_word_twice(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The second digit is the first word again."""
    for i in range(len(values)):
        if i >= len(words):
            return i, i
        one = [0]
        alias_fill([values[i]], one, [words[i], words[i]], cuts, sizes)
        out[i] = one[0]
    return len(values), len(values)


def always_from_zero(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The input is added to noise that starts one later for input 0."""
    done, used = alias_fill(values, out, words, cuts, sizes)
    for i in range(done):
        if values[i] == 0:
            out[i] = out[i] + 1
    return done, used


WRONG = (one_word, at_the_limit, same_word_twice, always_from_zero)


def wrong_sampler(
    fill: Fill,
    m: int,
    weights: tuple[int, ...],
    bits: int,
    width: int,
) -> Sampler:
    """The true sampler with another kernel."""
    return replace(lattice_sampler(m, weights, bits, width), fill=fill)
