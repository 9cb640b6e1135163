"""Designs whose sampler throws one coin: is the reported block to hold the value, or not?

Given that, the block is uniform among those that hold the value, or among the others.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.run.realize.tables.numbers import Number, convert
from ldp_verified.run.realize.tables.table import RoundedTable, TableDraw

if TYPE_CHECKING:
    from collections.abc import Iterator


class CoinRandomizer(RoundedTable):
    """One word decides whether the report's block holds the value.

    Thresholds: (deny,), the share of 2^64 for the blocks without the value together. Cells:
    (inside, outside), P(y|x) times the number r of blocks that hold a given value: so inside is the
    probability that the report holds the value.
    """

    @property
    @abstractmethod
    def odds(self) -> Fraction:
        """Blocks without a given value for each block with it, (b - r)/r."""

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        _, outside = cells
        return (outside * convert(self.odds, outside),)

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        (deny,) = lies
        denied = Fraction(deny, 1 << width)
        yield TableDraw(lies, deny, 1 - denied, denied / self.odds)
