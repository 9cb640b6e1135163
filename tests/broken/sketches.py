"""Wrong kernels and servers of sketches: each has one flaw."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ldp_verified.run.kernels.prefix_bits import bits_fill
from ldp_verified.run.kernels.sketch_reports import (
    coefficients,
    sketch_bits_sampler,
    sketch_sign_fill,
    sketch_sign_sampler,
)
from tests.broken.spoil import spoiled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.kernels.draw import DrawnColumn, Sampler, Slots


ONE, ROWS, EACH_ROW, FUNCTIONS = 0, 13, 16, 22
"""Places in the constants of bits."""


def first_row_for_the_bucket(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: Any, sizes: DrawnColumn
) -> tuple[int, int]:
    """The bucket is that of row 0, whatever row is named."""
    changed = [*cuts[1]]
    changed[EACH_ROW] = 0
    return bits_fill(values, out, words, (cuts[0], changed), sizes)


def own_bit_as_the_others(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: Any, sizes: DrawnColumn
) -> tuple[int, int]:
    """The bit of the bucket is kept with a threshold that is off by one."""
    changed = [*cuts[1]]
    changed[ONE] -= 1
    return bits_fill(values, out, words, (cuts[0], changed), sizes)


def unused_rows_folded(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: Any, sizes: DrawnColumn
) -> tuple[int, int]:
    """A word that is no row is taken modulo their number: some rows come twice as often."""
    changed = [*cuts[1]]
    rows, each, first = changed[ROWS], changed[EACH_ROW], changed[FUNCTIONS]
    more = 1 << (rows - 1).bit_length()
    changed += changed[first : first + (more - rows) * each]
    changed[ROWS] = more
    done, used = bits_fill(values, out, words, (cuts[0], changed), sizes)
    columns = 1 + sizes[0]
    for i in range(done):
        out[i * columns] = out[i * columns] % rows
    return done, used


def last_row_for_the_bucket(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The bucket is that of the last row, whatever row is named."""
    changed = [cuts[i] for i in range(len(cuts))]
    changed[10], changed[11] = 0, cuts[11] + (cuts[4] - 1) * cuts[10]
    return sketch_sign_fill(values, out, words, changed, sizes)


def _bits() -> Sampler:
    return sketch_bits_sampler(3, 3, coefficients(3, 3, None, 0), 5, 2, 3, 3)


def _signs() -> Sampler:
    return sketch_sign_sampler(4, 2, coefficients(4, 2, None, 0), 3, 4)


SIGN_FLAWS = {
    "coefficient from the bits of the coin": ("both & bucket", "word & bucket"),
    "coin from the bits of the coefficient": ("word & last_left", "word >> 1 & last_left"),
    "last bits of the threshold left out": ("words[cursor] >> left < deny_rest", "True"),
    "last bits one too many": (">> left < deny_rest", ">> left <= deny_rest"),
    "first bits one too many": ("first < deny_first", "first <= deny_first"),
    "the last bits are of the next report too": (
        "deny_rest\n        cursor += 1",
        "deny_rest\n        if first != deny_first:\n            cursor += 1",
    ),
    "even coefficients": ("both = word >> left", "both = word >> left ^ (word >> left & unit)"),
}
"""A step of the kernel of signs, and what stands in its place."""

WIDE_SIGN_FLAWS = {
    "the ninth bit left out": ("common >> 8", "common >> 9"),
    "the fifth bit left out": ("common >> 4", "common >> 5"),
    "the fourth bit left out": ("common & 15", "common & 7"),
    "the last bucket left out": ("bucket & last_bucket", "bucket & last_bucket >> 1"),
}
"""Flaws that need as many bits of a bucket, which no table small enough to enumerate has."""


def _spoiled(wrong: str) -> Sampler:
    return replace(_signs(), fill=spoiled(sketch_sign_fill, *SIGN_FLAWS[wrong]))


PLANTED: dict[str, tuple[Callable[[], Sampler], Callable[[], Sampler]]] = {
    "first row": (_bits, lambda: replace(_bits(), fill=first_row_for_the_bucket)),
    "threshold off by one": (_bits, lambda: replace(_bits(), fill=own_bit_as_the_others)),
    "rows folded": (_bits, lambda: replace(_bits(), fill=unused_rows_folded)),
    "last row": (_signs, lambda: replace(_signs(), fill=last_row_for_the_bucket)),
    **{wrong: (_signs, partial(_spoiled, wrong)) for wrong in SIGN_FLAWS},
}
"""What is wrong -> (the right sampler, the wrong one)."""
