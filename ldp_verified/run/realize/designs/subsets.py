"""Subset selection: a set of omega values, with the own one or not, else uniform."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from ldp_verified.run.aggregate.structured import SubsetLayout
from ldp_verified.run.kernels.subsets import plan_of, subset_sampler
from ldp_verified.run.program.subsets import subset
from ldp_verified.run.realize.designs.coin_designs import CoinRandomizer
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.tables.best_size import best_between

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.realization import Realization

LARGEST_K = 1 << 22
"""A report has k bits, and its words take the memory of some reports more."""


class SubsetRandomizer(ProgrammedTable, CoinRandomizer):
    """One word for the own value, then a uniform subset of the others.

    Reports: shape (n, ceil(k/64)), uint64; bit v is bit v % 64 of word v // 64, omega bits are 1.

    Attributes:
        omega: how many values are reported; None picks the integer in 1..k-1 with the smallest
            ideal variance at f = 0.
    """

    omega: int | None

    cell_sizes: ClassVar[tuple[str, ...]] = ("k", "omega")
    support_sizes: ClassVar[tuple[str, ...]] = ("k", "omega")

    def _check_sizes(self) -> None:
        super()._check_sizes()
        k = check_integer("k", self.k, 2, LARGEST_K)
        if self.omega is None:
            # At f = 0 the derivative is a quadratic over something positive, with one root at most.
            best = best_between(
                lambda omega: self._ideal_at_zero(k=k, omega=omega), 1, k - 1, self._in_balls
            )
            object.__setattr__(self, "omega", best)
        object.__setattr__(self, "omega", check_integer("omega", self.omega, 1, k - 1))

    @property
    def size(self) -> int:
        """The number omega of values in a report."""
        assert self.omega is not None
        return self.omega

    @property
    def odds(self) -> Fraction:
        """Subsets without a given value for each subset with it."""
        return Fraction(self.k - self.size, self.size)

    @cached_property
    def layout(self) -> SubsetLayout:
        """The layout: one bit per value, packed."""
        return SubsetLayout(self.k, self.size)

    @property
    def bits_per_report(self) -> int:
        """One bit per value."""
        return self.k

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler of a word for the own value, then of the words for the others."""
        chosen = self._realization if realization is None else realization
        return subset_sampler(self.k, self.size, chosen.thresholds[0], chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """A word for the own value, planes of lanes, then positions one at a time."""
        chosen = self._realization if realization is None else realization
        size, word_bits, (c, planes, _), (bits, slices, _) = plan_of(
            self.k, self.size, chosen.width
        )
        return subset(
            *(self.name, self.k, size, size < self.size, chosen.thresholds[0]),
            *((c, planes), (bits, slices), (chosen.width, word_bits)),
        )

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report: ceil(k/64) words as in one row of `Reports.data`.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        words, value = self._one_report(y), self._one_value(x)
        held = int(words[value // 64]) >> (value % 64) & 1
        return (self.p if held else self.q) / comb(self.k - 1, self.size - 1)
