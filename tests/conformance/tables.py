"""The realized tables P(y|x), written down from the thresholds alone.

Nothing here comes from `ldp_verified.run.kernels`: digits, hashes and bits are worked out afresh,
in the slowest and plainest way.
"""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Report = tuple[int, ...]
Table = dict[Report, Fraction]


def matrix(x: int, thresholds: Sequence[Sequence[int]], width: int) -> Table:
    """One row of cumulative cuts."""
    ends = [0, *thresholds[x], 2**width]
    lengths = [high - low for low, high in itertools.pairwise(ends)]
    return {(y,): Fraction(length, 2**width) for y, length in enumerate(lengths) if length}


def singletons(x: int, k: int, lie: int, width: int) -> Table:
    """k-ary randomized response with one threshold."""
    q = Fraction(lie, 2**width)
    table: Table = {(y,): q for y in range(k) if y != x}
    if 1 - (k - 1) * q:
        table[x,] = 1 - (k - 1) * q
    return table


def singletons_wide(x: int, k: int, mix: int, width: int) -> Table:
    """k-ary randomized response as a mixture with the uniform distribution."""
    q = Fraction(mix, k * 2**width)
    return {(y,): 1 - (k - 1) * q if y == x else q for y in range(k)}


def pack(bits: Sequence[int], lanes: int) -> Report:
    """Bit v is bit v % lanes of number v // lanes."""
    numbers = [0] * (-(-len(bits) // lanes))
    for v, bit in enumerate(bits):
        numbers[v // lanes] += bit * 2 ** (v % lanes)
    return tuple(numbers)


def independent_bits(chances: Sequence[Fraction], lanes: int) -> Table:
    """Bit v is 1 with probability chances[v], whatever the others are."""
    table: Table = {}
    for bits in itertools.product((0, 1), repeat=len(chances)):
        mass = Fraction(1)
        for bit, chance in zip(bits, chances, strict=True):
            mass *= chance if bit else 1 - chance
        if mass:
            table[pack(bits, lanes)] = mass
    return table


def one_hot(x: int, k: int, one: int, zero: int, width: int, lanes: int = 64) -> Table:
    """Independent bits around a one-hot encoding."""
    chances = [Fraction(one if v == x else zero, 2**width) for v in range(k)]
    return independent_bits(chances, lanes)


@functools.cache
def smallest_prime_factor(g: int) -> int:
    """By trial."""
    return min(d for d in range(2, g + 1) if g % d == 0)


def digits(x: int, base: int, count: int) -> list[int]:
    """Digits of x, lowest first."""
    return [x // base**i % base for i in range(count)]


def digit_count(k: int, g: int) -> int:
    """Return how many digits the largest value has, at least one."""
    base = smallest_prime_factor(g)
    return max(1, *(i + 1 for i in range(32) if base**i <= k - 1))


def bucket(function: Sequence[int], x: int, g: int, base: int | None = None) -> int:
    """h_a(x), with digits in the smallest prime factor of g unless told otherwise."""
    places = digits(x, base or smallest_prime_factor(g), len(function))
    return sum(a * d for a, d in zip(function, places, strict=True)) % g


def hashed(
    x: int,
    k: int,
    g: int,
    lie: int,
    width: int,
    hash_value: Callable[[Sequence[int], int, int], int] = bucket,
) -> Table:
    """A uniform function of the family, then k-ary randomized response over its buckets."""
    count = digit_count(k, g)
    table: Table = {}
    for function in itertools.product(range(g), repeat=count):
        truth = hash_value(function, x, g)
        for (y,), p in singletons(truth, g, lie, width).items():
            table[*function, y] = p / g**count
    return table


FORMS: dict[str, Callable[..., Table]] = {
    "matrix": matrix,
    "singletons": singletons,
    "singletons_wide": singletons_wide,
    "onehot": one_hot,
    "hashed": hashed,
}
"""The table of each form: FORMS[form](x, **parameters, width=width)."""


def inputs(form: str, thresholds: Sequence[Sequence[int]] = (), k: int = 0) -> range:
    """The values that a form takes at these parameters."""
    return range(len(thresholds) if form == "matrix" else k)


def supports(form: str, report: Report, v: int, g: int = 0, lanes: int = 64) -> bool:
    """Return whether a report counts for the value v."""
    if form == "onehot":
        return bool(report[v // lanes] >> (v % lanes) & 1)
    if form == "hashed":
        return bucket(report[:-1], v, g) == report[-1]
    return report == (v,)
