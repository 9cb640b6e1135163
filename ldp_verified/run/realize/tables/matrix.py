"""Explicit k x k tables with one truth and one lie: p on the diagonal, q everywhere else."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.program.designs import table_of_cuts
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.tables.table import TableDraw
from ldp_verified.run.realize.value_reports import ValueRandomizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.tables.realization import Realization


class MatrixRandomizer(ProgrammedTable, ValueRandomizer):
    """One word per value, compared with cumulative cuts.

    Thresholds: (lie,), the share of 2^64 that each lie has. Cells: (truth, lie).
    """

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        return cells[1:]

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        yield TableDraw.one_truth(lies, Fraction(lies[0], 1 << width), self.k)

    def cuts(self, realization: Realization | None = None) -> list[list[int]]:
        """Return for each x and y < k-1 how many of 2^width words make x report at most y."""
        chosen = self._realization if realization is None else realization
        (lie,) = chosen.thresholds
        truth = (1 << chosen.width) - (self.k - 1) * lie
        return [
            [lie * y + (truth if x <= y else lie) for y in range(self.k - 1)] for x in range(self.k)
        ]

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler that compares one word per value with its row of cumulative cuts."""
        width = (self._realization if realization is None else realization).width
        return categorical_sampler(self.cuts(realization), width)

    def program(self, realization: Realization | None = None) -> Program:
        """The program that compares one word with the cuts of its row."""
        width = (self._realization if realization is None else realization).width
        return table_of_cuts(self.name, self.cuts(realization), width)
