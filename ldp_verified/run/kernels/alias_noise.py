"""Geometric and staircase noise as masses for `alias_sampler`.

The masses of such noise have a sum that is no binary fraction. All are multiplied by one that is,
so that hardly any word is of no noise.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.alias import Overflow, Tails, alias_sampler
from ldp_verified.run.kernels.draw import HALF
from ldp_verified.run.kernels.noise import BASE, MOST_CELLS, check_cells, check_decay
from ldp_verified.run.kernels.staircase import staircase_sampler

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler

MOST_DIGITS = 1 << 17
"""The most digits, about, that all limits of staircase noise may have for a table to be used."""

TAIL_BITS = 10
"""The tails beyond the table are left a share of about 2^-TAIL_BITS of the noise."""


@lru_cache(maxsize=8)
def alias_noise(
    m: int, reach: int, share: int, base: int = BASE, count: int | None = None, width: int = HALF
) -> Sampler:
    """x plus two-sided geometric noise, as `noise.geometric_sampler` has it.

    With a = share/2^base, noise of -n and of 1 + n has the masses q (1 - a) a^n and q (1 - a)
    a^(n + 1), where q is 1/(1 + a) rounded down. From n = `count` on it is drawn anew.

    Args:
        m: inputs are 0..m. reach: how far beyond them outputs may lie, at least 0.
        share, base: a = share/2^base.
        count: how many sizes the table has on each side; None for as many as are useful.
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_decay(share, base)
    check_cells(m, reach)
    one = 1 << base
    size = sizes_of(share, base) if count is None else count
    # In units of 2^-(base (size + 2)): powers are a^n 2^base (size + 1), and q has `base` bits.
    scale = one * one // (one + share)
    powers = [share**n << (base * (size + 1 - n)) for n in range(size + 2)]
    sizes = [scale * (power - after) for power, after in pairwise(powers)]
    masses = [scale * powers[size], *reversed(sizes[:-1]), *sizes[1:], scale * powers[-1]]
    ends = Overflow(m + 2 * reach - 1)
    tails = Tails(size + 1, size)
    return alias_sampler(m, masses, base * (size + 2), reach - 1 - size, tails, ends, width)


def sizes_of(share: int, base: int) -> int:
    """Return about the least n with (share/2^base)^n below 2^-10, and 2^10 at most.

    The choice of n changes the speed and not the law.

    Args:
        share, base: the decay is share/2^base.
    """
    size, power = 1, share
    while power >> (base - TAIL_BITS) and size < 1 << TAIL_BITS:
        size, power = size + 1, power * share >> base
    return size


def staircase_noise_sampler(m: int, w: int, periods: int, share: int) -> Sampler:
    """The fastest kernel of `staircase.staircase_sampler`'s law: by a table, unless too large.

    Args:
        m: inputs are 0..m, and a period has m cells. w: the cells of the high step, 1..m.
        periods: beyond the inputs, before noise is folded.
        share: b = share/2^63.

    Raises:
        ParameterError: something is outside its range.
    """
    check_decay(share, BASE)
    count = min(sizes_of(share, BASE), periods)
    if m * count * count > MOST_DIGITS:
        return staircase_sampler(m, w, periods, share)
    return alias_staircase(m, w, periods, share, count)


@lru_cache(maxsize=8)
def alias_staircase(
    m: int, w: int, periods: int, share: int, count: int, base: int = BASE, width: int = HALF
) -> Sampler:
    """x plus staircase noise in cells, as `staircase.staircase_sampler` has it.

    With b = share/2^base, noise of j + k m and of -1 - j - k m cells, j < m, has the mass
    q (1 - b) b^k each where j < w, else q (1 - b) b^(k + 1). Here q is the inverse of what these
    add up to without it, rounded down. From k = `count` on it is drawn anew.

    Args:
        m: inputs are 0..m, and a period has m cells. w: the cells of the high step, 1..m.
        periods: beyond the inputs, before noise is folded.
        share, base: b = share/2^base.
        count: how many periods the table has on each side, 1..periods.
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_decay(share, base)
    one = 1 << base
    cells = (2 * periods + 1) * m
    if not (0 < w <= m <= 1 << width and 0 < count <= periods and cells + 4 <= MOST_CELLS):
        rule = f"must give at most {MOST_CELLS} reports, and no more periods than these"
        raise ParameterError("m, w, periods, count", rule, (m, w, periods, count))
    both = 2 * (w * one + (m - w) * share)
    more = both.bit_length()  # so q has `base` bits, and what is left is below 2^-base
    scale = (1 << (base + more)) // both
    # In units of 2^-(more + base (count + 1)): powers are b^k (1 - b) 2^base (count + 2).
    powers = [share**k * (one - share) << (base * (count - k)) for k in range(count + 1)]
    side = [scale * powers[k + (j >= w)] for k in range(count) for j in range(m)]
    tail = scale * share**count * (w * one + (m - w) * share)
    masses = [tail, *reversed(side), *side, tail]
    bits = more + base * (count + 1)
    tails = Tails(count * m + 1, count * m)
    start = (periods - count) * m - 1
    return alias_sampler(m, masses, bits, start, tails, Overflow(cells, m), width)
