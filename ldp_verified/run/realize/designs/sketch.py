"""Apple's sketches use rows of hash functions, one row for each report.

Two choices of the rows, and two claims:

- All functions of the family (`rows=None`). Any two values collide in exactly 1/buckets of the
  rows, so estimates are unbiased for these fixed rows, and have the variance that is proved of the
  table. There are buckets^digits of them: few where `buckets` is a prime near the square root of k
  or above.
- A number of rows drawn once (`rows=1024, seed=7`). A report's table is that of the spec only over
  the draw: so are unbiasedness and variance. For the rows as they came out, the estimate of v is
  off by a sum over the other values x of n_x times what the share of rows in which x and v collide
  exceeds 1/buckets by. Users of one value share rows, which adds

      sum over x != v of n_x (n_x - 1) / (rows (buckets - 1))

  to the variance; values that differ do not, since any three are balanced where `buckets` is a
  power of two (`run/kernels/sketch_reports.py`). For an estimator that is unbiased for the rows as
  they are: `ldp_verified.protocols.FixedRows`.

Epsilon does not depend on the rows, nor on how they were chosen.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.sketch_oracles import (
    BitSketchLayout,
    SignSketchLayout,
    SketchOracle,
)
from ldp_verified.run.kernels.family import MOST_BUCKETS, MOST_VALUES, digit_base
from ldp_verified.run.kernels.sketch_reports import (
    MOST_ROWS,
    sketch_bits_sampler,
    sketch_sign_sampler,
)
from ldp_verified.run.program import sketches
from ldp_verified.run.realize.designs.coin_designs import CoinRandomizer
from ldp_verified.run.realize.designs.onehot import BitTable
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer, check_share
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.simulate import added_up, rows_reported
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.simulate import Binomial, Counts, Encoder
    from ldp_verified.run.realize.tables.realization import Realization

LARGEST_SEED = (1 << 64) - 1


class SketchRandomizer(RoundedTable):
    """The common base of both sketches.

    Attributes:
        buckets: the number of buckets of each function, 2..65536; a power of two where rows are
            drawn.
        rows: how many functions are drawn, 1..65536; None for the whole family.
        seed: what they are drawn from, public and fixed before anybody reports.
    """

    buckets: int
    rows: int | None
    seed: int

    support_sizes: ClassVar[tuple[str, ...]] = ("buckets",)

    def _check_sizes(self) -> None:
        super()._check_sizes()
        check_integer("k", self.k, 2, MOST_VALUES)
        put = object.__setattr__
        put(self, "buckets", check_integer("buckets", self.buckets, 2, MOST_BUCKETS))
        if self.rows is not None:
            put(self, "rows", check_integer("rows", self.rows, 1, MOST_ROWS))
        put(self, "seed", check_integer("seed", self.seed, 0, LARGEST_SEED))
        if self.rows is None and self.seed:
            raise ParameterError("seed", "must be left out where no rows are drawn", self.seed)
        _ = self.layout.functions  # refuses what cannot be drawn or written out

    @property
    def layout(self) -> BitSketchLayout | SignSketchLayout:
        """The layout: rows, and what a report says of one."""
        raise NotImplementedError

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.layout.height

    @property
    def shared(self) -> Fraction:
        """Return 1/(rows (buckets - 1)), what pairs with one value add; 0 for a whole family."""
        if self.rows is None:
            return Fraction(0)
        return Fraction(1, self.rows * (self.buckets - 1))

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Return the table's oracle, with the variance of collisions added if rows are drawn."""
        plain = super().oracle
        if self.rows is None:
            return plain
        known = {each.name: getattr(plain, each.name) for each in fields(plain)} | {"fresh": False}
        return SketchOracle(**known, shared=float(self.shared))

    def variance(
        self, n: int, f: float | Fraction = 0.0, squares: float | Fraction | None = None
    ) -> float:
        """Variance of the estimated count of a value that a share f of n users holds.

        By the realized table; over the draw of the rows where they are drawn.

        Args:
            n: number of users.
            f: the share of the value.
            squares: the sum of the squared shares of all other values, in 0..(1 - f)^2. None for
                the largest, where all others hold one value. Of no effect for a whole family.

        Raises:
            ParameterError: a number is out of range.
        """
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        most = (1 - share) ** 2
        each = most if squares is None else check_share("squares", squares)
        if each > most:
            raise ParameterError("squares", f"must be at most (1 - f)^2 = {float(most)}", squares)
        alone = users * self.variance_per_user(self.p_star, self.q_star, share)
        pairs = max(users**2 * each - users * (1 - share), Fraction(0))
        return float(alone + self.shared * pairs)


class BitSketchRandomizer(ProgrammedTable, SketchRandomizer, BitTable):
    """A uniform row, then one bit per bucket, each drawn on its own.

    Thresholds: (one, zero), the shares of 2^64 with which the bit of the bucket, and any other bit,
    is reported as 1. Reports: shape (n, 1 + ceil(buckets/64)), uint64: the row, then bit b in bit
    b % 64 of word 1 + b // 64. Cells: (one, zero).
    """

    @cached_property
    def layout(self) -> BitSketchLayout:
        """A row and bits."""
        return BitSketchLayout(self.k, self.buckets, self.rows, self.seed)

    @property
    def bits_per_report(self) -> int:
        """The bits of a report: one per bucket, and those of the row."""
        return self.buckets + (self.height - 1).bit_length()

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler of words for the row, then of those of one-hot bits."""
        chosen = self._realization if realization is None else realization
        one, zero = chosen.thresholds
        functions = self.layout.functions
        return sketch_bits_sampler(self.k, self.buckets, functions, one, zero, chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """The program that draws words for the row, then those of one-hot bits."""
        chosen = self._realization if realization is None else realization
        return sketches.sketch_bits(
            *(self.name, self.k, self.buckets, digit_base(self.buckets)),
            *(self.layout.functions.tolist(), *chosen.thresholds, chosen.width),
        )

    def _simulated(self, true_counts: Counts, binomial: Binomial) -> Counts | None:
        """Users by row, and each row's bits; costs as much as rows times values and buckets."""

        def encoder(buckets: Counts) -> Encoder:
            return lambda users: added_up(users, buckets, self.buckets)

        encoders = map(encoder, self.layout.value_buckets())
        cells = (self.p, self.q)
        reports, ones = rows_reported(true_counts, encoders, self.height, cells, binomial)
        return np.concatenate([ones.reshape(-1), reports])

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table with these rows, exactly.

        Args:
            y: a report as in one row of `Reports.data`.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        words = self._one_report(y)
        own = bool(self.layout.holds(words[np.newaxis], self._one_value(x))[0])
        others = sum(int(word).bit_count() for word in words[1:]) - own
        rest = self.q**others * (1 - self.q) ** (self.buckets - 1 - others)
        return (self.p if own else 1 - self.p) * rest / self.height


class SignSketchRandomizer(ProgrammedTable, SketchRandomizer, CoinRandomizer):
    """A uniform row, a uniform coefficient l, and the sign H[l, bucket], turned or not.

    Thresholds: (deny,), the share of 2^64 with which the sign is turned. Reports: shape (n,),
    2 (row buckets + l) for +1 and one more for -1, the narrowest unsigned dtype. `buckets` is a
    power of two. Cells: (inside, outside), P(y|x) times rows times buckets.
    """

    def _check_sizes(self) -> None:
        buckets = check_integer("buckets", self.buckets, 2, MOST_BUCKETS)
        if buckets & (buckets - 1):
            raise ParameterError("buckets", "must be a power of two", buckets)
        super()._check_sizes()

    @cached_property
    def layout(self) -> SignSketchLayout:
        """A row, a coefficient and a sign."""
        return SignSketchLayout(self.k, self.buckets, self.rows, self.seed)

    @property
    def odds(self) -> Fraction:
        """The ratio of outputs without a value to outputs with it, 1."""
        return Fraction(1)

    @property
    def bits_per_report(self) -> int:
        """The sign, and the bits of the row and of the coefficient."""
        return (self.buckets - 1).bit_length() + (self.height - 1).bit_length() + 1

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """A word for the row, the coefficient and most of the sign's coin, and seldom another."""
        chosen = self._realization if realization is None else realization
        functions = self.layout.functions
        return sketch_sign_sampler(
            self.k, self.buckets, functions, chosen.thresholds[0], chosen.width
        )

    def program(self, realization: Realization | None = None) -> Program:
        """A word for the row, the coefficient and most of the sign's coin, and seldom another."""
        chosen = self._realization if realization is None else realization
        return sketches.sketch_sign(
            *(self.name, self.k, self.buckets, self.layout.functions.tolist()),
            *(chosen.thresholds[0], chosen.width),
        )

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table with these rows, exactly.

        Args:
            y: a report, an index.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        held = self.layout.holds(self._one_report(y)[np.newaxis], self._one_value(x))[0]
        cell: Fraction = self.p if held else self.q
        return cell / (self.height * self.buckets)
