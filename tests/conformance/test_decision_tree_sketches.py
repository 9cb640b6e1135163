"""Link 6 for sketches: the kernel's exact law is the table, for every word that it may read."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels.sketch_reports import (
    coefficients,
    sketch_bits_sampler,
    sketch_sign_sampler,
)
from tests.broken.sketches import PLANTED

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler

Table = dict[tuple[int, ...], Fraction]


def bucket_of(functions: list[list[int]], row: int, x: int, g: int) -> int:
    """Written from the definition: base is the smallest prime factor of g."""
    base = next(d for d in range(2, g + 1) if g % d == 0)
    bucket: int = sum(a * (x // base**i % base) for i, a in enumerate(functions[row])) % g
    return bucket


def bits_table(
    x: int, g: int, functions: list[list[int]], one: int, zero: int, width: int
) -> Table:
    """A uniform row; one bit per bucket, in one number."""
    table: Table = {}
    for row in range(len(functions)):
        own = bucket_of(functions, row, x, g)
        for bits in product((0, 1), repeat=g):
            mass = Fraction(1, len(functions))
            for b, bit in enumerate(bits):
                chance = Fraction(one if b == own else zero, 2**width)
                mass *= chance if bit else 1 - chance
            table[row, sum(bit << b for b, bit in enumerate(bits))] = mass
    return table


def signs_table(x: int, g: int, functions: list[list[int]], deny: int, width: int) -> Table:
    """A uniform row and coefficient, and a sign."""
    table: Table = {}
    denied = Fraction(deny, 2**width)
    for row in range(len(functions)):
        own = bucket_of(functions, row, x, g)
        for coefficient in range(g):
            truth = (coefficient & own).bit_count() % 2
            for sign in (0, 1):
                mass = 1 - denied if sign == truth else denied
                place = 2 * (row * g + coefficient) + sign
                table[(place,)] = mass / (len(functions) * g)
    return table


BITS = [(2, 2, None, 3, 1, 2), (4, 2, None, 2, 1, 2), (3, 3, None, 5, 2, 3), (5, 2, 3, 3, 1, 2)]
"""k, g, rows, one, zero, width; as many lanes as buckets."""


@pytest.mark.parametrize(("k", "g", "rows", "one", "zero", "width"), BITS)
@pytest.mark.parametrize("machine_code", [False, True], ids=["python", "machine"])
def test_bits(
    k: int, g: int, rows: int | None, one: int, zero: int, width: int, machine_code: bool
) -> None:
    functions = coefficients(k, g, rows, 1)
    sampler = sketch_bits_sampler(k, g, functions, one, zero, width, g)
    horizon = 3 + width
    for x in range(k):
        law = exact_distribution(sampler, x, horizon, machine_code=machine_code)
        assert law.unresolved == 0
        assert law.probabilities == bits_table(x, g, functions.tolist(), one, zero, width)


SIGNS = [
    (2, 2, None, 3, 4),
    (4, 2, None, 1, 4),
    (5, 4, 3, 7, 4),
    (4, 4, None, 5, 6),
    (2, 2, None, 6, 3),
]


@pytest.mark.parametrize(("k", "g", "rows", "deny", "width"), SIGNS)
@pytest.mark.parametrize("machine_code", [False, True], ids=["python", "machine"])
def test_signs(k: int, g: int, rows: int | None, deny: int, width: int, machine_code: bool) -> None:
    functions = coefficients(k, g, rows, 1)
    sampler = sketch_sign_sampler(k, g, functions, deny, width)
    for x in range(k):
        law = exact_distribution(sampler, x, 4, machine_code=machine_code)
        assert law.unresolved == 0
        assert law.probabilities == signs_table(x, g, functions.tolist(), deny, width)


def law_of(sampler: Sampler, x: int) -> Table:
    horizon = 6 if sampler.shape else 4
    return dict(exact_distribution(sampler, x, horizon).probabilities)


@pytest.mark.parametrize("wrong", PLANTED)
def test_planted_kernels_are_seen(wrong: str) -> None:
    right, made = PLANTED[wrong]
    values = range(right().inputs)
    assert [law_of(right(), x) for x in values] != [law_of(made(), x) for x in values]


@pytest.mark.parametrize("machine_code", [False, True], ids=["python", "machine"])
def test_a_word_that_the_next_report_takes_too_is_not_resolved(machine_code: bool) -> None:
    """Each report has the right law alone, but two of them are not independent.

    One bit of four is left for the coin, and it is that of the threshold half of the time.
    """
    right, made = PLANTED["the last bits are of the next report too"]
    assert exact_distribution(right(), 1, 4, machine_code=machine_code).unresolved == 0
    found = exact_distribution(made(), 1, 4, machine_code=machine_code)
    assert found.unresolved == Fraction(1, 2)
