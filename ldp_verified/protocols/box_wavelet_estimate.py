"""Estimated counts of boxes of two ordered values, from Haar coefficients along both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.tabulated import TableRow, Tabulated, normal_columns, normal_row
from ldp_verified.run.aggregate.wavelet import WaveletFit
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Range = tuple[int, int]
    """(the first value, the one after the last)."""


@dataclass(frozen=True)
class Axis:
    """Weights of coefficients in ranges of one value: of the whole, then of each level.

    Attributes:
        fit: of the tree over the value.
    """

    fit: WaveletFit

    def squares(self, ends: Range) -> Floats:
        """The sum of the squared weights in a range, float64 (levels + 1,)."""
        first, past = (np.array([end]) for end in ends)
        whole = ((past - first) / self.fit.leaves) ** 2
        return np.concatenate([whole, self.fit.squares(first, past)[:, 0]])

    def reach(self, ends: Range) -> Floats:
        """The sum of the absolute weights in a range, float64 (levels + 1,)."""
        first, past = ends
        own = [float(each) for each in self.fit.reach(first, past)]
        return np.array([(past - first) / self.fit.leaves, *own])

    @cached_property
    def mean_squares(self) -> Floats:
        """The mean of `squares` over all ranges of one leaf or more."""
        d = self.fit.leaves
        lengths = np.arange(1, d + 1)
        whole = ((d + 1 - lengths) * (lengths / d) ** 2).sum() / (d * (d + 1) / 2)
        return np.array([whole, *map(float, self.fit.mean_squares)])


def axes_of(bits: tuple[int, int]) -> tuple[Axis, Axis]:
    """The axes of two values of so many bits."""
    one, other = (Axis(WaveletFit.of_levels(each)) for each in bits)
    return one, other


def range_of(name: str, ends: object, k: int) -> Range:
    """The first value of a range, and the one after the last.

    Raises:
        ParameterError: these are no values in order.
    """
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise ParameterError(name, "must be (first, last)", type(ends))
    first = check_integer(f"{name}[0]", ends[0], 0, k - 1)
    return first, check_integer(f"{name}[1]", ends[1], first, k - 1) + 1


@dataclass(frozen=True, eq=False, repr=False)
class WaveletBoxes(Tabulated):
    """The estimate of boxes of two values; its rows are all pairs, in order, the second fastest.

    Given how many users each two levels have, counts are unbiased; they may fall below 0. Boxes
    that make up another one sum to its count.

    Attributes:
        n: the number of users. sizes: the numbers of values.
        leaves: the estimated share of each pair, float64, of powers of two.
        variances: of coefficients of each two levels, that of the whole first.
        honesty: whether honest users send such reports.
    """

    n: int
    sizes: tuple[int, int]
    leaves: Floats
    variances: Floats
    honesty: Honesty = UNTESTED

    def __repr__(self) -> str:
        return f"<WaveletBoxes of {self.n:,} users: {self.sizes[0]} x {self.sizes[1]} values>"

    @property
    def names(self) -> tuple[str, ...]:
        """The pairs, as texts "first, second"."""
        first, second = self.sizes
        return tuple(f"{v}, {w}" for v in range(first) for w in range(second))

    @property
    def heading(self) -> str:
        """The number of users."""
        return f"{self.n:,} users{self.honesty.doubt}"

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts of pairs, errors and the ends of intervals, in users within 0..n.

        Args:
            level: of the intervals, in (0, 1).
            simultaneous: whether they hold for all rows at once.
        """
        first, second = self.sizes
        counts = self.n * self.leaves[:first, :second].reshape(-1)
        # A pair has the weights of any other one.
        error = self.count((0, 0), (0, 0)).std_error
        errors = np.full(len(counts), error)
        return normal_columns(counts, errors, level, simultaneous, (0.0, float(self.n)))

    def count(
        self, rows: tuple[int, int], columns: tuple[int, int], level: float = 0.95
    ) -> TableRow:
        """Estimate how many users lie in a box.

        Args:
            rows, columns: (first, last) of the two values, both included, fixed before the reports
                are looked at.
            level: of the interval, in (0, 1), by normal approximation.

        Returns:
            The count, a bound for its standard error, and the interval cut to 0..n.

        Raises:
            ParameterError: these are no values in order, or `level` is not in (0, 1).
        """
        ends = range_of("rows", rows, self.sizes[0]), range_of("columns", columns, self.sizes[1])
        shape = self.variances.shape
        one, other = axes_of((shape[0] - 1, shape[1] - 1))
        variance = float(one.squares(ends[0]) @ self.variances @ other.squares(ends[1]))
        every = ends == ((0, one.fit.leaves), (0, other.fit.leaves))  # all users lie in all leaves
        share = 1.0 if every else float(self.leaves[slice(*ends[0]), slice(*ends[1])].sum())
        label = " x ".join(f"{first}..{past - 1}" for first, past in ends)
        return normal_row(label, self.n * share, self.n * math.sqrt(variance), level, self.n)
