"""The left inverse of a table of integers, exactly: the unbiased linear estimator of all counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq, fmpq_mat

from ldp_verified.run.aggregate.linear import LeftInverse

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.linear import Integers

LARGEST_WEIGHT = 1 << 32
"""A table whose inverse has larger entries is singular up to the rounding of its cells."""


def left_inverse(table: Integers, unit: int) -> LeftInverse | str:
    """B with sum over y of P(y|x) B[v, y] = 1 for v = x, else 0; a reason where there is none.

    Where there are several, the one of least variance if every input is equally frequent: with P
    the table and D the diagonal of its mean columns, B' = D^-1 P' (P D^-1 P')^-1.

    Args:
        table: the numerators of P, d rows of m.
        unit: their common denominator.
    """
    d, m = len(table), len(table[0])
    channel = fmpq_mat(d, m, [fmpq(value, unit) for row in table for value in row])
    rank = channel.rank()
    if rank < d:
        return f"the {d} x {m} table has rank {rank} < {d}"
    if m == d:
        inverse = channel.inv()
    else:
        means = [fmpq(sum(column), d * unit) for column in zip(*table, strict=True)]
        entries = [fmpq(row[y], unit) / means[y] for y in range(m) for row in table]
        scaled = fmpq_mat(m, d, entries)  # D^-1 P'
        inverse = scaled * (channel * scaled).inv()
    numerators, denominator = inverse.transpose().numer_denom()
    whole = int(denominator)
    rows = tuple(tuple(int(value) for value in row) for row in numerators.tolist())
    if max(abs(value) for row in rows for value in row) > LARGEST_WEIGHT * whole:
        return f"the {d} x {m} table has dependent rows, up to the rounding of its cells"
    return LeftInverse(rows, whole)
