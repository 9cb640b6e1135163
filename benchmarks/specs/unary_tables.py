"""Unary encoding of three values, symmetric and optimized, each written out: 3 rows of 8 cells."""

from itertools import product
from typing import Any

from ldp_verified.language import LDP, Matrix, Mechanism, Rational, Unbiased, exp, real

eps = real("eps", above=0)
s = exp(eps / 2)


def written_out(one: Any, zero: Any) -> Matrix:
    """A row for each value: its own bit is 1 with probability `one`, another with `zero`."""
    rows = []
    for x in range(3):
        ones = [one if place == x else zero for place in range(3)]
        columns = product((False, True), repeat=3)
        rows.append([_product(ones, bits) for bits in columns])
    return Matrix(rows)


def _product(ones: list[Any], bits: tuple[bool, ...]) -> Any:
    cell = Rational(1)
    for one, bit in zip(ones, bits, strict=True):
        cell *= one if bit else 1 - one
    return cell


symmetric = Mechanism(
    "symmetric",
    parameters=[eps],
    table=written_out(s / (s + 1), 1 / (s + 1)),
    claims=[LDP(eps, tight=True), Unbiased()],
)

optimized = Mechanism(
    "optimized",
    parameters=[eps],
    table=written_out(Rational(1, 2), 1 / (exp(eps) + 1)),
    claims=[LDP(eps, tight=True), Unbiased()],
)
