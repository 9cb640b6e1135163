"""The tables that the wrong kernels have, worked out from their flaws; for `samplers.py`."""

from __future__ import annotations

import itertools
from fractions import Fraction

from tests.conformance import tables
from tests.conformance.tables import Table


def overlap(low: int, high: int, start: int, end: int) -> int:
    """Return how many integers lie in both half-open intervals."""
    return max(0, min(high, end) - max(low, start))


def of_masses(masses: dict[int, Fraction]) -> Table:
    """A table of single values, without its zeros."""
    return {(y,): mass for y, mass in masses.items() if mass}


def grr_with_one_lie_too_many(x: int, k: int, lie: int, width: int) -> Table:
    """The first word of the truth reports k - 1."""
    masses = dict.fromkeys(range(k), Fraction(lie, 2**width))
    masses[k - 1] += Fraction(1, 2**width)
    masses[x] += Fraction(2**width - k * lie - 1, 2**width)
    return of_masses(masses)


def grr_in_first_slot(_x: int, k: int, lie: int, width: int) -> Table:
    """Everybody's truth is 0."""
    return tables.singletons(0, k, lie, width)


def grr_that_moves_on(x: int, k: int, lie: int, width: int) -> Table:
    """The lies that are the truth go to its successor."""
    table = tables.singletons(x, k, lie, width)
    table[x,] -= Fraction(lie, 2**width)
    table[(x + 1) % k,] += Fraction(lie, 2**width)
    return table


def grr_one_way(x: int, k: int, lie: int, width: int) -> Table:
    """The lies below the truth become the truth."""
    q = Fraction(lie, 2**width)
    return of_masses({x: 1 - (k - 1 - x) * q, **dict.fromkeys(range(x + 1, k), q)})


def wide_grr_by_remainder(x: int, k: int, mix: int, width: int) -> Table:
    """The remainders below 2^width mod k come up once more often."""
    masses = {y: Fraction((2**width - 1 - y) // k + 1, 2**width) for y in range(k)}
    chance = Fraction(mix, 2**width)
    mixed = {y: chance * mass for y, mass in masses.items()}
    mixed[x] += 1 - chance
    return of_masses(mixed)


def wide_grr_with_one_word(x: int, k: int, mix: int, width: int) -> Table:
    """Return the law of k-RR from one word: words below mix in shares, the last too large."""
    share = 2**width // k
    ends = [*(y * share for y in range(k)), 2**width]
    masses = {y: Fraction(overlap(0, mix, ends[y], ends[y + 1]), 2**width) for y in range(k)}
    masses[x] += Fraction(2**width - mix, 2**width)
    return of_masses(masses)


def bits_with_or(x: int, k: int, one: int, zero: int, width: int, lanes: int = 64) -> Table:
    """The own bit is 0 only if it and its noise are."""
    p, q = Fraction(one, 2**width), Fraction(zero, 2**width)
    return tables.independent_bits([p + q - p * q if v == x else q for v in range(k)], lanes)


def bits_in_first_slot(_x: int, k: int, one: int, zero: int, width: int, lanes: int = 64) -> Table:
    """Everybody's own bit is bit 0."""
    return tables.one_hot(0, k, one, zero, width, lanes)


def bits_one_way(
    x: int,
    k: int,
    one: int,
    zero: int,  # noqa: ARG001  (that is the flaw)
    width: int,
    lanes: int = 64,
) -> Table:
    """A 0 stays 0."""
    return tables.one_hot(x, k, one, 0, width, lanes)


def bits_of_one_word(x: int, k: int, one: int, zero: int, width: int, lanes: int = 64) -> Table:
    """All other bits are the same bit, and they and the own bit are cuts of one word."""
    table: Table = {}
    ends = sorted({0, one, zero, 2**width})
    for low, high in itertools.pairwise(ends):
        bits = [int(low < one) if v == x else int(low < zero) for v in range(k)]
        report = tables.pack(bits, lanes)
        table[report] = table.get(report, Fraction(0)) + Fraction(high - low, 2**width)
    return table


def bits_with_padding(x: int, k: int, one: int, zero: int, width: int, lanes: int = 64) -> Table:
    """The lanes beyond k hold noise as well.

    More than eight of them are too many to list: they are shown as one, set if any is.
    """
    padding = -k % lanes
    q = Fraction(zero, 2**width)
    chances = [Fraction(one, 2**width) if v == x else q for v in range(k)]
    noise = [q] * padding if padding <= 8 else [1 - (1 - q) ** padding]
    return tables.independent_bits(chances + noise, lanes)


def reverse(number: int, width: int) -> int:
    """The number whose `width` bits are those of `number` in reverse order."""
    return int(f"{number:0{width}b}"[::-1], 2)


def bits_from_the_low_end(
    x: int, k: int, one: int, zero: int, width: int, lanes: int = 64
) -> Table:
    """The threshold's bits are used in reverse order."""
    return tables.one_hot(x, k, one, reverse(zero, width), width, lanes)


def hash_with_one_lie_too_many(x: int, k: int, g: int, lie: int, width: int) -> Table:
    """The first word of the truth reports bucket g - 1."""
    count = tables.digit_count(k, g)
    table: Table = {}
    for function in itertools.product(range(g), repeat=count):
        truth = tables.bucket(function, x, g)
        for (y,), mass in grr_with_one_lie_too_many(truth, g, lie, width).items():
            table[*function, y] = mass / g**count
    return table


def hash_in_first_slot(x: int, k: int, g: int, lie: int, width: int) -> Table:
    """The true bucket is always 0."""
    return tables.hashed(x, k, g, lie, width, hash_value=lambda _a, _x, _g: 0)


def hash_in_base_g(x: int, k: int, g: int, lie: int, width: int) -> Table:
    """Values are written in base g, prime or not."""
    return tables.hashed(
        x, k, g, lie, width, hash_value=lambda a, v, base: tables.bucket(a, v, base, base)
    )


def hash_by_remainder(x: int, k: int, g: int, lie: int, width: int) -> Table:
    """Coefficients are words mod g."""
    chances = [Fraction((2**width - 1 - a) // g + 1, 2**width) for a in range(g)]
    table: Table = {}
    for report, mass in tables.hashed(x, k, g, lie, width).items():
        weight = mass
        for a in report[:-1]:
            weight *= chances[a] * g
        table[report] = weight
    return table


def hash_with_one_word(x: int, k: int, g: int, lie: int, width: int) -> Table:
    """The last coefficient's word also says whether to lie; it is one of the g equal shares."""
    share = 2**width // g
    count = tables.digit_count(k, g)
    table: Table = {}
    for function in itertools.product(range(g), repeat=count):
        low, high = function[-1] * share, (function[-1] + 1) * share
        masses = {y: overlap(low, high, y * lie, (y + 1) * lie) for y in range(g)}
        masses[tables.bucket(function, x, g)] += overlap(low, high, g * lie, g * share)
        for y, mass in masses.items():
            if mass:
                table[*function, y] = Fraction(mass, g * share) / g ** (count - 1)
    return table
