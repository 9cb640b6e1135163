"""The program of noise from a table of weights: a number to the grid, then a number of two words.

It reads the words of `run.kernels.rounding`, then two for the noise, always, so that how many are
read tells nothing. The law is that of `run.kernels.lattice`, which reads other words.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Draw, Program, Store, Variable
from ldp_verified.run.program.grid import BITS, rounded
from ldp_verified.run.program.parts import word_of
from ldp_verified.run.program.search import cuts_passed

if TYPE_CHECKING:
    from collections.abc import Sequence


def rounded_lattice(
    name: str, m: int, weights: Sequence[int], width: int = 64, bits: int = BITS
) -> Program:
    """A grid point x of 0..m, then x + j, where P(j) = weights[j]/2^(2 width).

    Args:
        name: of the mechanism.
        m: steps of the grid.
        weights: positive integers, two or more, that add up to 2^(2 width).
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word, point = word_of(width), Variable("point", m + 1)
    first, second = Variable("first", 1 << width), Variable("second", 1 << width)
    steps, passed = cuts_passed([*accumulate(weights[:-1])], (first, second), width)
    body = (
        *(*rounded(word, point, m, width, bits), Draw(first), Draw(second), *steps),
        Store(Constant(0), point + passed),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, m + len(weights), body))
