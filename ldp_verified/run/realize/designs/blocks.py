"""Designs over explicit blocks: the report is a block, likelier if it holds the value."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

from ldp_verified.run.aggregate.layouts import BlockLayout
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.realize.simulate import outputs_reported
from ldp_verified.run.realize.tables.table import RoundedTable, TableDraw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.realize.simulate import Binomial, Counts
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.tables.realization import Realization


class BlockRandomizer(RoundedTable):
    """One word per value, compared with cumulative cuts, one for each block.

    Thresholds: (inside, outside), the shares of 2^64 that each block with the value and each
    without it has; outside is rounded up until the blocks with the value can share what is left
    equally. Reports: shape (n,), indices of blocks in the narrowest unsigned dtype. Cells:
    (inside, outside).

    Attributes:
        blocks: the values of each block; every value is in equally many, and every two are.
    """

    blocks: ClassVar[tuple[tuple[int, ...], ...]]

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        return cells[1:]

    @property
    def containing(self) -> int:
        """Return how many blocks hold a given value."""
        return sum(0 in block for block in self.blocks)

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        r = self.containing
        for outside in range(lies[0], lies[0] + r):
            inside, left = divmod((1 << width) - (len(self.blocks) - r) * outside, r)
            if not left:
                p, q = Fraction(inside, 1 << width), Fraction(outside, 1 << width)
                yield TableDraw((inside, outside), outside, p, q)

    def table(self, realization: Realization | None = None) -> list[list[int]]:
        """table[x][y]: how many of the 2^width words make value x report block y."""
        chosen = self._realization if realization is None else realization
        inside, outside = chosen.thresholds
        return [[inside if x in block else outside for block in self.blocks] for x in range(self.k)]

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler that compares one word per value with its row of cumulative cuts."""
        width = (self._realization if realization is None else realization).width
        cuts = [list(accumulate(row))[:-1] for row in self.table(realization)]
        return categorical_sampler(cuts, width)

    @cached_property
    def layout(self) -> BlockLayout:
        """The layout: one block per report."""
        return BlockLayout(self.k, self.blocks)

    @property
    def bits_per_report(self) -> int:
        """Bits of the index of a block."""
        return (len(self.blocks) - 1).bit_length()

    def _simulated(self, true_counts: Counts, binomial: Binomial) -> Counts:
        return outputs_reported(true_counts, self.table(), binomial)

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report, the index of a block.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        block = self.blocks[int(self._one_report(y))]
        return self.p if self._one_value(x) in block else self.q
