"""Local hashing: a public uniform function, then k-ary randomized response over its g buckets."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.run.aggregate.layouts import HashLayout
from ldp_verified.run.kernels.family import (
    MOST_BUCKETS,
    MOST_VALUES,
    digit_base,
    digit_count,
    evaluate,
)
from ldp_verified.run.kernels.hashing import coefficients_per_word, local_hash_sampler
from ldp_verified.run.kernels.packed_hashing import lanes_for
from ldp_verified.run.program.schemes import local_hashing
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.tables.best_size import best_between
from ldp_verified.run.realize.tables.table import TableDraw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.tables.realization import Realization


class HashedRandomizer(ProgrammedTable):
    """A function of the balanced digit family (collisions exactly 1/g), then a word for the bucket.

    Thresholds: (lie,), each wrong bucket's share of 2^64. Reports: shape (n, m + 1), uint8 for
    g <= 256, else uint16: the function's m coefficients in 0..g-1, then the reported bucket. A
    report supports the values that its function sends to its bucket. Cells: (inside, outside),
    P(bucket | function) of the own bucket and of each other.

    Attributes:
        g: the number of buckets; None picks the integer in 2..65536 with the smallest ideal
            variance at f = 0.
    """

    g: int | None

    cell_sizes: ClassVar[tuple[str, ...]] = ("g",)
    support_sizes: ClassVar[tuple[str, ...]] = ("g",)

    @property
    def buckets(self) -> int:
        """The number g of buckets."""
        assert self.g is not None
        return self.g

    def _check_sizes(self) -> None:
        super()._check_sizes()
        check_integer("k", self.k, 2, MOST_VALUES)
        if self.g is not None:
            check_integer("g", self.g, 2, MOST_BUCKETS)
        object.__setattr__(self, "g", self._best_buckets() if self.g is None else int(self.g))

    def _best_buckets(self) -> int:
        """The integer of least variance at f = 0."""
        return best_between(lambda g: self._ideal_at_zero(g=g), 2, MOST_BUCKETS, self._in_balls)

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        return cells[1:]

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        yield TableDraw.one_truth(lies, Fraction(lies[0], 1 << width), self.buckets)

    @cached_property
    def layout(self) -> HashLayout:
        """A function and a bucket per report."""
        return HashLayout(self.k, self.buckets)

    @property
    def bits_per_report(self) -> int:
        """Bits of m coefficients and a bucket."""
        return (self._digits + 1) * (self.buckets - 1).bit_length()

    @cached_property
    def _digits(self) -> int:
        return digit_count(self.k, self.buckets)

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """A uniform function, then one word for the bucket."""
        chosen = self._realization if realization is None else realization
        return local_hash_sampler(self.k, self.buckets, chosen.thresholds[0], chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """Words for the function's coefficients, then one for the bucket."""
        chosen = self._realization if realization is None else realization
        g, width = self.buckets, chosen.width
        lanes = lanes_for(g, width)
        per_word = 0 if lanes else coefficients_per_word(self._digits, g, width)
        return local_hashing(
            *(self.name, self.k, g, chosen.thresholds[0], self._digits, digit_base(g)),
            (lanes, per_word),
            width,
        )

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report: m coefficients and a bucket as in one row of `Reports.data`.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        report = self._one_report(y)
        value = np.array([self._one_value(x)])
        bucket = evaluate(report[np.newaxis, :-1], value, self.buckets)
        cell: Fraction = self.p if int(bucket.reshape(-1)[0]) == int(report[-1]) else self.q
        functions: int = self.buckets**self._digits
        return cell / functions
