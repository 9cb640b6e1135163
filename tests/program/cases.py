"""Cases at small widths that no mechanism has as it stands: subsets in lanes, numbers on a grid."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.kernels.categorical import categorical_sampler
from ldp_verified.kernels.draw import Sampler
from ldp_verified.kernels.grr import grr_sampler
from ldp_verified.kernels.subsets import plan_of, subset_sampler
from ldp_verified.kernels.window import window_sampler
from ldp_verified.program.designs import table_of_cuts
from ldp_verified.program.grid import rounded_sign, rounded_window
from ldp_verified.program.subsets import subset

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.kernels.draw import Column, Slots
    from ldp_verified.program import Program

    Law = dict[tuple[int, ...], Fraction]


class Case(NamedTuple):
    """A program, the kernel beside it, words of a tape, and the table, found without both."""

    program: Program
    sampler: Sampler
    words: int
    table: Callable[[int], Law]


def subset_case(k: int, omega: int, deny: int, width: int, words: int, **more: Any) -> Case:
    """A subset of omega values; `more` as for `subset_sampler`."""
    lanes = more.get("lanes", 64)
    size, word_bits, (c, planes, _), (bits, slices, _) = plan_of(k, omega, width, **more)
    made = subset(
        *("subset", k, size, size < omega, deny, (c, planes), (bits, slices)),
        *((width, word_bits), lanes),
    )
    denied = Fraction(deny, 1 << width)

    def table(value: int) -> Law:
        sets = [number for number in range(1 << k) if number.bit_count() == omega]
        shares = (denied / comb(k - 1, omega), (1 - denied) / comb(k - 1, omega - 1))
        mask = (1 << lanes) - 1
        blocks = range(made.numbers)
        return {
            tuple(number >> (lanes * i) & mask for i in blocks): shares[number >> value & 1]
            for number in sets
        }

    return Case(made, subset_sampler(k, omega, deny, width, **more), words, table)


def with_rounding(inner: Sampler, m: int, bits: int, width: int = 64) -> Sampler:
    """A kernel that reads a word to round a position 0..2^bits to m steps, then runs another."""

    def fill(
        values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
    ) -> tuple[int, int]:
        if not len(words):
            return 0, 0
        whole, rest = divmod(int(values[0]) * m, 1 << bits)
        point = whole + ((int(words[0]) >> (width - bits)) < rest)
        done, used = inner.fill(
            [point], out, [int(words[i]) for i in range(1, len(words))], cuts, sizes
        )
        return done, used + 1 if done else 0

    return Sampler(
        *(fill, (1 << bits) + 1, inner.cuts, inner.sizes, (1,), np.dtype(np.uint64)),
        *(width, inner.words_per_value + 1, inner.least_words + 1),
    )


def number_case(
    program: Program, inner: Sampler, m: int, bits: int, words: int, pmf: Callable[..., Fraction]
) -> Case:
    """A number at 2^bits + 1 positions; pmf(y, point) is of the grid input."""

    def table(position: int) -> Law:
        whole, rest = divmod(position * m, 1 << bits)
        up = Fraction(rest, 1 << bits)
        return {
            (y,): (1 - up) * pmf(y, whole) + (up * pmf(y, whole + 1) if up else 0)
            for y in range(program.below)
        }

    return Case(program, with_rounding(inner, m, bits, program.width), words, table)


def _sign(width: int, lie: int, bits: int) -> Case:
    share = Fraction(lie, 1 << width)
    return number_case(
        rounded_sign("duchi", lie, width, bits),
        *(grr_sampler(2, lie, width), 1, bits, 3),
        lambda y, point: 1 - share if y == point else share,
    )


def _window(m: int, w: int, inside: int, total: int, width: int, bits: int) -> Case:
    near = Fraction(inside, total * w)
    far = Fraction(total - inside, total * m)
    return number_case(
        rounded_window("piecewise", m, w, inside, total, width, bits),
        *(window_sampler(m, w, inside, total, width), m, bits, 4),
        lambda y, point: near if point <= y < point + w else far,
    )


def _cuts() -> Case:
    """Three outputs, and rows that are no permutations of each other."""
    rows = [[3, 11], [1, 14], [9, 10], [5, 6]]
    table = [[3, 8, 5], [1, 13, 2], [9, 1, 6], [5, 1, 10]]
    return Case(
        table_of_cuts("cuts", rows, 4),
        *(categorical_sampler(rows, 4), 2),
        lambda value: {(y,): Fraction(mass, 16) for y, mass in enumerate(table[value])},
    )


MORE: dict[str, Case] = {
    "cuts": _cuts(),
    "subset_blocks": subset_case(3, 1, 3, 3, 3, lanes=2),
    "subset_turned": subset_case(4, 3, 5, 4, 3),
    "subset_planes": subset_case(2, 1, 1, 2, 5, share=(1, 1)),
    "duchi": _sign(4, 3, 2),
    "piecewise": _window(3, 2, 3, 5, 3, 2),
}
