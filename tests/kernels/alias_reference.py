"""What a table of noise stands for, and what words give: by fractions, not as the kernel does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler


@dataclass(frozen=True)
class Law:
    """What a table stands for, in fractions, and not as the kernel has it.

    Attributes:
        masses: of the outcomes, tails included. start: what outcome 0 adds. middle: the first
            outcome above. stretch: of the tails. cells: between the ends. period: of staircase
            noise, or 0.
    """

    masses: list[Fraction]
    start: int
    middle: int
    stretch: int
    cells: int
    period: int = 0


def geometric(m: int, reach: int, share: int, base: int, count: int) -> Law:
    """P(-n) = q (1 - a) a^n, P(1 + n) = q (1 - a) a^(n + 1)."""
    a = Fraction(share, 1 << base)
    q = Fraction(math.floor(Fraction(1 << base) / (1 + a)), 1 << base)
    side = [q * (1 - a) * a**n for n in range(count)] + [q * a**count]
    masses = [*reversed(side), *(a * mass for mass in side)]
    return Law(masses, reach - 1 - count, count + 1, count, m + 2 * reach - 1)


def staircase(m: int, w: int, periods: int, share: int, base: int, count: int) -> Law:
    """Cells of weight b^k, and b^(k + 1) from the w-th on."""
    b = Fraction(share, 1 << base)
    whole = 2 * (w + (m - w) * b)
    more = (math.floor(whole * (1 << base))).bit_length()
    q = Fraction(math.floor((1 << (base + more)) / (whole * (1 << base))), 1 << more)
    side = [q * (1 - b) * b ** (z // m + (z % m >= w)) for z in range(count * m)]
    side.append(q * whole / 2 - sum(side))
    start = periods * m - 1 - count * m
    return Law([*reversed(side), *side], start, count * m + 1, count * m, (2 * periods + 1) * m, m)


@dataclass(frozen=True)
class Column:
    """Below the limit is the owner, from there on the alias: outcomes of `Law`, or -1 for none."""

    limit: Fraction
    owner: int
    alias: int


def table_of(sampler: Sampler, outcomes: int) -> list[Column]:
    """The columns that a sampler's constants hold, to the last digit of each limit."""
    guide, spans, last, field_at, edge_at, own = sampler.cuts[:6]
    regular, tail = sampler.cuts[7:9]
    named = [tail, *range(regular - outcomes + 2, regular), tail + 1, tail + 2]
    numbers = [*range(outcomes), -1]
    meaning = dict(zip(named, numbers, strict=True))
    columns = []
    for at in range(last + 1):
        entry = sampler.cuts[guide + at]
        digits = sampler.cuts[sampler.cuts[spans + at] : sampler.cuts[spans + at + 1]]
        whole = entry >> edge_at
        for digit in digits:
            whole = whole << sampler.word_bits | digit
        bits = sampler.word_bits - field_at + sampler.word_bits * len(digits)
        owner, alias = (entry >> own) % (1 << own), entry % (1 << own)
        columns.append(Column(Fraction(whole, 1 << bits), meaning[owner], meaning[alias]))
    return columns


def masses_of(columns: list[Column], outcomes: int) -> list[Fraction]:
    """The mass of each outcome, and last that of none."""
    found = [Fraction(0)] * (outcomes + 1)
    for column in columns:
        found[column.owner] += column.limit / len(columns)
        found[column.alias] += (1 - column.limit) / len(columns)
    return found


def reference(
    tape: list[int], width: int, x: int, law: Law, columns: list[Column]
) -> tuple[int, int]:
    """(report, words read), by comparing fractions.

    A word's last bits are the column; its first ones, as many as the field has, are the first
    digits of the number that is compared with the limit.
    """
    words: Iterator[int] = iter(tape)
    read = 0
    places = (len(columns) - 1).bit_length()
    field = min(width - places, 64 - 2 * numbers_of(law))
    side, size, found = 0, 0, -1
    while found < 0:
        word = next(words)
        read += 1
        column = columns[word % len(columns)]
        value, unit = Fraction(word >> (width - field), 1 << field), Fraction(1, 1 << field)
        while value < column.limit < value + unit:
            unit /= 1 << width
            value += next(words) * unit
            read += 1
        j = column.owner if value < column.limit else column.alias
        if j < 0 or (side < 0 and j >= law.middle) or (side > 0 and j < law.middle):
            continue
        if j in (0, len(law.masses) - 1):
            side = 1 if j else -1
            size += law.stretch
            continue
        found = j
    at = x + law.start + found + side * size
    if 0 <= at < law.cells:
        return at, read
    if not law.period:
        return law.cells + (at >= 0), read
    phase = (-1 - at if at < 0 else at - law.cells) % law.period
    fair = (1 << width) // law.period
    while (word := next(words)) >= fair * law.period:
        read += 1
    far = word // fair < phase
    return law.cells + ((0 if far else 1) if at < 0 else (3 if far else 2)), read + 1


def numbers_of(law: Law) -> int:
    """The bits of the largest number of an outcome in a table."""
    return (len(law.masses) + (law.start + 1 if law.period else 0)).bit_length()
