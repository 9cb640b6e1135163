"""Rank of a table of numbers modulo a prime; without sympy.

A square part whose determinant is not 0 modulo a prime has a determinant that is not 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


LARGEST_PRIME = 2**21
"""Below it a product and a sum of residues stay exact in 64 bits, with room to spare."""


def full_rank(
    tops: Sequence[int], bottoms: Sequence[int], index: NDArray[np.int32], prime: int
) -> bool:
    """Return whether the rows of the table are shown to be independent.

    Args:
        tops, bottoms: numerators and denominators of the distinct entries.
        index: which of them stands where.
        prime: nothing is shown where it is not a prime below 2^21, or divides a denominator.
    """
    if not 2 < prime < LARGEST_PRIME or any(prime % d == 0 for d in range(2, int(prime**0.5) + 1)):
        return False
    upper = np.array([top % prime for top in tops], np.int64)
    lower = np.array([bottom % prime for bottom in bottoms], np.int64)
    if not lower.all():
        return False
    residues = upper * _inverses(lower, prime) % prime
    return _independent(residues[index], prime)


def _inverses(values: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """Fermat's little theorem, for many residues at once."""
    result, power, exponent = np.ones_like(values), values.copy(), prime - 2
    while exponent:
        if exponent & 1:
            result = result * power % prime
        power = power * power % prime
        exponent >>= 1
    return result


def _independent(work: NDArray[np.int64], prime: int, block: int = 32) -> bool:
    """Gaussian elimination by blocks of rows, over the residues.

    A row without a pivot among all columns depends on those before it.
    """
    inputs, outputs = work.shape
    if inputs > outputs:
        return False
    for start in range(0, inputs, block):
        rows = work[start : start + block]
        pivots: list[int] = []
        for i in range(len(rows)):
            places = np.flatnonzero(rows[i])
            if not len(places):
                return False
            at = int(places[0])
            rows[i] = rows[i] * pow(int(rows[i, at]), -1, prime) % prime
            factors = rows[:, at].copy()
            factors[i] = 0
            rows -= factors[:, None] * rows[i]
            rows %= prime
            pivots.append(at)
        rest = work[start + block :]
        if len(rest):
            # Exact in doubles: 32 products below 2^42 sum to less than 2^53.
            product = rest[:, pivots].astype(np.float64) @ rows.astype(np.float64)
            rest -= product.astype(np.int64)
            rest %= prime
    return True
