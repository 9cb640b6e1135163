"""Choose the mechanism that counts a group's values with the least declared variance.

Where the sum of all counts is known, what matters is how counts differ: the variance of a count
less the covariance of two. That is half the variance of a difference; and it is what least squares
uses, as whatever all counts have in common changes no fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.combined import covariances
from ldp_verified.run.mechanisms import GRR, HRR, OUE, SUE, SubsetSelection
from ldp_verified.run.realize.parameters import check_epsilon, check_integer

if TYPE_CHECKING:
    from ldp_verified.run.realize.tables.table import RoundedTable

MOST_BITS = 1 << 14
"""Bits of a report, at most: two kilobytes."""


def spread(made: RoundedTable) -> float:
    """Variance of a count less the covariance of two, of one user, where all values are alike.

    Args:
        made: a mechanism whose covariances are the same for all pairs of values.
    """
    found = covariances(made.oracle, np.full(made.k, 1 / made.k))
    assert found is not None  # of the mechanisms that are looked at
    return float(found.variances[0] - found.common - 2 * found.mixed / made.k)


@dataclass(frozen=True)
class BestResponse:
    """Makes the mechanism of the smallest `spread`, of those whose reports are short enough.

    Looked at are k-ary response, subset selection, both unary encodings and one-bit Hadamard
    response; of two with the same spread, the one with the shorter report is taken.

    Attributes:
        longest: bits of a report, at most, 1..2^14; longer ones are made where none is as short.

    Raises:
        ParameterError: `longest` is out of range.
    """

    longest: int = 4096

    def __post_init__(self) -> None:
        """Check the number of bits."""
        object.__setattr__(self, "longest", check_integer("longest", self.longest, 1, MOST_BITS))

    def __call__(self, epsilon: float, k: int) -> RoundedTable:
        """Make the mechanism of the smallest `spread` for so many values.

        Args:
            epsilon: of a report. k: the number of values.

        Raises:
            ParameterError: they are out of range.
        """
        return _best(check_epsilon(epsilon), check_integer("k", k, 2, 1 << 24), self.longest)


@lru_cache(maxsize=1024)
def _best(epsilon: float, k: int, longest: int) -> RoundedTable:
    response = GRR(epsilon, k)
    tried: list[RoundedTable] = [response, HRR(epsilon, k)]
    if k <= longest:
        tried += [SubsetSelection(epsilon, k), OUE(epsilon, k), SUE(epsilon, k)]
    short = [made for made in tried if made.bits_per_report <= longest]
    return min(short or [response], key=lambda made: (spread(made), made.bits_per_report))
