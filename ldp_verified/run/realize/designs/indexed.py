"""Designs whose reports are indices of blocks that arithmetic tells apart: matrices over fields."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import exp, isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.layouts import SupportLayout
from ldp_verified.run.aggregate.structured import (
    CohortLayout,
    ColumnLayout,
    PointLayout,
    SignLayout,
)
from ldp_verified.run.kernels import cohorts, hadamard, hyperplanes
from ldp_verified.run.program import designs, sketches
from ldp_verified.run.program import hyperplanes as hyperplane_programs
from ldp_verified.run.realize.designs.coin_designs import CoinRandomizer
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.programmed import ProgrammedTable
from ldp_verified.run.realize.tables.best_size import best_among, best_near
from ldp_verified.run.realize.tables.table import RoundedTable, TableDraw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.tables.realization import Realization


class IndexRandomizer(RoundedTable):
    """A report is the index of a block. Shape (n,), the narrowest unsigned dtype for them.

    Cells: (inside, outside), P(y|x) times the number of blocks that hold a given value.
    """

    @property
    @abstractmethod
    def layout(self) -> SupportLayout:
        """Return which blocks there are."""

    @property
    @abstractmethod
    def containing(self) -> int:
        """Return how many blocks hold a given value."""

    @property
    def bits_per_report(self) -> int:
        """Bits of the index of a block."""
        return (self.layout.counters - 1).bit_length()

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report, the index of a block.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        held = self.layout.holds(self._one_report(y)[np.newaxis], self._one_value(x))[0]
        return (self.p if held else self.q) / self.containing


class ColumnRandomizer(ProgrammedTable, IndexRandomizer, CoinRandomizer):
    """A column of Sylvester's matrix of order K: one word for the sign, one for the column.

    Reports: 0..K-1. The value v has the row v + 1.
    """

    def _check_sizes(self) -> None:
        super()._check_sizes()
        check_integer("k", self.k, 2, hadamard.MOST_VALUES - 1)

    @property
    def odds(self) -> Fraction:
        """The ratio of columns that do not support a value to columns that do, 1."""
        return Fraction(1)

    @property
    def containing(self) -> int:
        """The number of outputs with a value: half of the columns."""
        return self.layout.counters // 2

    @cached_property
    def layout(self) -> ColumnLayout:
        """The layout: one column per report."""
        return ColumnLayout(self.k)

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler, with two words per value."""
        chosen = self._realization if realization is None else realization
        return hadamard.hadamard_column_sampler(self.k, chosen.thresholds[0], chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """A word for the sign, a word for the column."""
        chosen = self._realization if realization is None else realization
        return designs.hadamard_column(self.name, self.k, chosen.thresholds[0], chosen.width)


class SignRandomizer(ProgrammedTable, IndexRandomizer, CoinRandomizer):
    """A uniform column j of Sylvester's matrix and a randomized sign: two words per value.

    Reports: 2 j for the sign +1, 2 j + 1 for -1. The value v has the row v.
    """

    def _check_sizes(self) -> None:
        super()._check_sizes()
        check_integer("k", self.k, 2, hadamard.MOST_VALUES >> 1)

    @property
    def odds(self) -> Fraction:
        """The ratio of reports that do not support a value to reports that do, 1."""
        return Fraction(1)

    @property
    def containing(self) -> int:
        """The number of outputs with a value: one sign of each column."""
        return self.layout.counters // 2

    @cached_property
    def layout(self) -> SignLayout:
        """The layout: one column and sign per report."""
        return SignLayout(self.k)

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler, with two words per value."""
        chosen = self._realization if realization is None else realization
        return hadamard.hadamard_sign_sampler(self.k, chosen.thresholds[0], chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """The program that draws a word for the column and a word for keeping its sign."""
        chosen = self._realization if realization is None else realization
        return designs.hadamard_sign(self.name, self.k, chosen.thresholds[0], chosen.width)


class PointRandomizer(ProgrammedTable, IndexRandomizer, CoinRandomizer):
    """A point of a projective space over Z_q: one word for the hyperplane, two for points.

    Reports: indices of points; value v is point v.

    Attributes:
        prime: q; None picks the prime with the smallest ideal variance at f = 0, among those below
            400, those next to e^eps + 1 and the least for which values are points of a line.
    """

    prime: int | None

    cell_sizes: ClassVar[tuple[str, ...]] = ("prime", "vectors")
    support_sizes: ClassVar[tuple[str, ...]] = ("prime", "vectors")

    def _check_sizes(self) -> None:
        super()._check_sizes()
        # So many points has the prime 2, and no prime has one more.
        k = check_integer("k", self.k, 2, hyperplanes.MOST_POINTS - 1)
        if self.prime is None:
            powers = {q: _vectors(k, q) for q in _primes(k, float(self.epsilon))}
            sizes = [q for q, vectors in powers.items() if vectors is not None]
            best = best_among(
                lambda q: self._ideal_at_zero(prime=q, vectors=powers[q] or 0),
                sizes,
                self._in_balls,
            )
            object.__setattr__(self, "prime", best)
        prime = check_integer("prime", self.prime, 2, hyperplanes.MOST_POINTS)
        hyperplanes.dimension(k, prime)
        object.__setattr__(self, "prime", prime)

    @property
    def field(self) -> int:
        """The number q of elements of the field."""
        assert self.prime is not None
        return self.prime

    @property
    def vectors(self) -> int:
        """The number Q = q^t of vectors."""
        return int(self.field**self.layout.dimension)

    @property
    def odds(self) -> Fraction:
        """Points off a hyperplane for each point on it."""
        return Fraction(self.layout.counters - self.containing, self.containing)

    @property
    def containing(self) -> int:
        """The number of outputs with a value: the points on a hyperplane."""
        return hyperplanes.points(self.field, self.layout.dimension - 1)

    @cached_property
    def layout(self) -> PointLayout:
        """The layout: one point per report."""
        return PointLayout(self.k, self.field)

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler, with three words per value, and more where one is rejected."""
        chosen = self._realization if realization is None else realization
        return hyperplanes.hyperplane_sampler(
            self.k, self.field, chosen.thresholds[0], chosen.width
        )

    def program(self, realization: Realization | None = None) -> Program:
        """A word for the hyperplane, words for the point."""
        chosen = self._realization if realization is None else realization
        return hyperplane_programs.hyperplane(
            *(self.name, self.k, self.field, self.layout.dimension),
            *(chosen.thresholds[0], chosen.width),
        )


def _primes(k: int, epsilon: float) -> list[int]:
    """Primes one of which is best, ascending.

    For t >= 3 the variance is close to (e^eps - 1 + q)^2/((q - 1)(e^eps - 1)^2), which falls until
    q = e^eps + 1, then rises. For t = 2 it rises with q.
    """
    most = isqrt(hyperplanes.MOST_VECTORS)
    near = min(int(exp(min(epsilon, 20.0))) + 1, most)
    below = (q for q in range(near, 1, -1) if cohorts.is_prime(q))
    above = (q for q in range(near + 1, most) if cohorts.is_prime(q))
    line = (q for q in range(k - 1, most) if cohorts.is_prime(q))
    found = [*islice(below, 4), *islice(above, 4), *islice(line, 1)]
    return sorted({*found, *(q for q in range(2, 400) if cohorts.is_prime(q))})


def _vectors(k: int, prime: int) -> int | None:
    """The number Q of vectors where they are few enough, else None."""
    try:
        return int(prime ** hyperplanes.dimension(k, prime))
    except ParameterError:
        return None


class CohortRandomizer(ProgrammedTable, IndexRandomizer):
    """A uniform linear function over Z_g, g a prime, then a word for the bucket.

    Thresholds: (lie,), each wrong bucket's share of 2^64. Reports: a g + b for function a and
    bucket b, below g^(m + 1) <= 2^24. Cells: (inside, outside), P(bucket | function) of the own
    bucket and of each other.

    Attributes:
        g: the number of buckets, a prime; None picks the prime with the smallest ideal variance at
            f = 0, among those that leave at most 2^24 counters.
    """

    g: int | None

    cell_sizes: ClassVar[tuple[str, ...]] = ("g",)
    support_sizes: ClassVar[tuple[str, ...]] = ("g",)

    def _check_sizes(self) -> None:
        super()._check_sizes()
        k = check_integer("k", self.k, 2, cohorts.MOST_OUTPUTS >> 1)
        if self.g is None:
            most = 1 + int(cohorts.MOST_OUTPUTS**0.5)
            sizes = [g for g in range(2, most) if cohorts.is_prime(g) and _fits(k, g)]
            best = best_near(lambda g: self._ideal_at_zero(g=g), sizes, self._in_balls)
            object.__setattr__(self, "g", best)
        g = check_integer("g", self.g, 2, cohorts.MOST_OUTPUTS)
        cohorts.coordinates(k, g)
        object.__setattr__(self, "g", g)

    @property
    def buckets(self) -> int:
        """The number g of buckets."""
        assert self.g is not None
        return self.g

    @property
    def containing(self) -> int:
        """The number of outputs with a value: one bucket of each function."""
        return self.layout.counters // self.buckets

    def _lies(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        return cells[1:]

    def _draws(self, lies: tuple[int, ...], width: int) -> Iterator[TableDraw]:
        yield TableDraw.one_truth(lies, Fraction(lies[0], 1 << width), self.buckets)

    @cached_property
    def layout(self) -> CohortLayout:
        """The layout: one function and bucket per report."""
        return CohortLayout(self.k, self.buckets)

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """A uniform function, then one word for the bucket."""
        chosen = self._realization if realization is None else realization
        return cohorts.cohort_hash_sampler(self.k, self.buckets, chosen.thresholds[0], chosen.width)

    def program(self, realization: Realization | None = None) -> Program:
        """The program that draws words for the function, then a word for the bucket."""
        chosen = self._realization if realization is None else realization
        digits = cohorts.coordinates(self.k, self.buckets)
        return sketches.hash_cohorts(
            self.name, self.k, self.buckets, digits, chosen.thresholds[0], chosen.width
        )


def _fits(k: int, g: int) -> bool:
    try:
        cohorts.coordinates(k, g)
    except ParameterError:
        return False
    return True
