"""Randomizers whose report is one of the values."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.realize.simulate import values_reported
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from fractions import Fraction

    from ldp_verified.run.realize.simulate import Binomial, Counts


class ValueRandomizer(RoundedTable):
    """The true value with probability p, each other one with q.

    Reports: shape (n,), values 0..k-1 in the narrowest unsigned dtype.
    """

    @cached_property
    def layout(self) -> OutputLayout:
        """The layout: one value per report."""
        return OutputLayout(self.k, self.k)

    @property
    def bits_per_report(self) -> int:
        """Bits of a value."""
        return (self.k - 1).bit_length()

    def _simulated(self, true_counts: Counts, binomial: Binomial) -> Counts:
        return values_reported(true_counts, self.q, binomial)

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report, 0..k-1.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        return self.p if self._one_report(y) == self._one_value(x) else self.q
