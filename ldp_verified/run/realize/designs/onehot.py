"""Unary encoding: bit v says whether the value is v, and every bit is randomized on its own."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ldp_verified.run.aggregate.layouts import BitLayout
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.compiled import has_compiler
from ldp_verified.run.program.schemes import one_hot
from ldp_verified.run.realize.drawn_ahead import OneHotClient
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.simulate import bits_reported
from ldp_verified.run.realize.tables.table import RoundedTable, TableDraw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.client import ProgramClient
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.simulate import Binomial, Counts
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.tables.realization import Realization


class BitTable(RoundedTable):
    """Bits that are each drawn on their own: thresholds (one, zero), shares of 2^64."""

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        one, zero = cells
        return (1 - one, zero)

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        denied, invented = lies
        one = (1 << width) - denied
        p, q = Fraction(one, 1 << width), Fraction(invented, 1 << width)
        yield TableDraw((one, invented), min(lies), p, q)


class OneHotRandomizer(ProgrammedTable, BitTable):
    """One bit per value, k in all, each drawn on its own.

    Thresholds: (one, zero), the shares of 2^64 with which the own bit and any other bit is reported
    as 1. Reports: shape (n, ceil(k/64)), uint64; bit v is bit v % 64 of word v // 64, padding bits
    are zero. Cells: (one, zero), the probabilities of a 1 where the encoded bit is 1, and 0.
    """

    @cached_property
    def layout(self) -> BitLayout:
        """The layout: one bit per value, packed."""
        return BitLayout(self.k)

    @property
    def bits_per_report(self) -> int:
        """One bit per value."""
        return self.k

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """A word for the own bit; two for each 64 bits, and one more where look-ups tie."""
        chosen = self._realization if realization is None else realization
        one, zero = chosen.thresholds
        return one_hot_sampler(self.k, one, zero, chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """A word for the own bit, words of bit planes for the others."""
        chosen = self._realization if realization is None else realization
        one, zero = chosen.thresholds
        return one_hot(self.name, self.k, one, zero, chosen.width)

    def client(self) -> ProgramClient:
        """An object whose `report(value)` draws one report quickly, from secure words.

        It gives the plain numbers of a report, without the identity that `Reports` carries; the
        collector's `reports(array, simulated=False)` wraps an array of them. All bits but the
        value's own are drawn ahead, many reports at a time, if machine code draws them (numba).
        """
        if not has_compiler():
            return super().client()
        return OneHotClient(self.program(), self.thresholds, self._index_of, self._is_index())

    def _simulated(self, true_counts: Counts, binomial: Binomial) -> Counts:
        return bits_reported(true_counts, self.p, self.q, binomial)

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly; the product over all k bits.

        Args:
            y: a report: ceil(k/64) words as in one row of `Reports.data`.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        words = self._one_report(y)
        value = self._one_value(x)
        own = int(words[value // 64]) >> (value % 64) & 1
        others = sum(int(word).bit_count() for word in words) - own
        rest = self.q**others * (1 - self.q) ** (self.k - 1 - others)
        return (self.p if own else 1 - self.p) * rest
