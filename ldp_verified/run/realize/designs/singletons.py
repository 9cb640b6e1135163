"""k-ary randomized response: the report is a value, the true one with p, each other with q."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.program.schemes import k_rr, k_rr_wide
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.tables.numbers import Number, convert
from ldp_verified.run.realize.tables.table import TableDraw
from ldp_verified.run.realize.value_reports import ValueRandomizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.realization import Realization

LARGEST_SINGLE = 1 << 20
"""The largest k for which one word decides both whether to lie and how."""


class SingletonRandomizer(ProgrammedTable, ValueRandomizer):
    """One word per value where that is accurate enough, else a mixing word and a uniform value.

    Thresholds: (lie,), each lie's share of 2^64, drawn with one word; or (mix, k), where a first
    word below mix replaces the value by a uniform one of k. Cells: (inside, outside), the
    probabilities of the truth and of each lie.
    """

    cell_sizes: ClassVar[tuple[str, ...]] = ("k",)

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        _, q = cells
        return (q, q * convert(self.k, q))

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        lie, mix = lies
        if self.k <= LARGEST_SINGLE:
            yield TableDraw.one_truth((lie,), Fraction(lie, 1 << width), self.k)
        yield TableDraw.one_truth((mix, self.k), Fraction(mix, self.k << width), self.k)

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler, with one word per value, or a mixing word and a uniform value."""
        chosen = self._realization if realization is None else realization
        first, *more = chosen.thresholds
        make = grr_wide_sampler if more else grr_sampler
        return make(self.k, first, chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """The program with one word for a report, or a mixing word and a uniform value."""
        chosen = self._realization if realization is None else realization
        first, *more = chosen.thresholds
        make = k_rr_wide if more else k_rr
        return make(self.name, self.k, first, chosen.width)
