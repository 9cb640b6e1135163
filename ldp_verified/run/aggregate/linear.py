"""Oracles of tables without support: an estimate is a linear function of how often outputs came.

A left inverse B of the table P satisfies: sum over y of P(y|x) B[v, y] is 1 for v = x, else 0. So
the sum over y of B[v, y] times the count of y is an unbiased estimate of the count of v.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.population import of_counts

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.layouts import OutputLayout
    from ldp_verified.run.aggregate.oracle import Counters, Floats

Integers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class LeftInverse:
    """A left inverse: report y adds numerators[v][y] / denominator to the estimated count of v.

    Attributes:
        numerators: integers of shape (values, outputs).
        denominator: a positive integer.
    """

    numerators: Integers
    denominator: int


@dataclass(frozen=True)
class LinearOracle:
    """A table and a left inverse of it, both exact.

    Attributes:
        identity: which reports belong to it.
        layout: how they lie in an array.
        table: table[x][y] / unit is P(y|x) of the code that runs.
        unit: the common denominator.
        inverse: a left inverse of that very table; or, in words, why there is none.
        labels: of the values, in order; None for 0, 1, ...

    Raises:
        ParameterError: `inverse` is no left inverse of the table, so estimates would be biased.
    """

    identity: Identity
    layout: OutputLayout
    table: Integers
    unit: int
    inverse: LeftInverse | str
    labels: tuple[str | int, ...] | None = None
    exclusive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check that the estimator is unbiased: an equation between integers for each (x, v)."""
        if isinstance(self.inverse, str):
            return
        whole = self.unit * self.inverse.denominator
        for x, row in enumerate(self.table):
            for v, weights in enumerate(self.inverse.numerators):
                mean = sum(p * w for p, w in zip(row, weights, strict=True))
                if mean != (whole if x == v else 0):
                    rule = f"must be unbiased, but a user with value {x} adds to the count of {v}"
                    raise ParameterError("inverse", rule, float(Fraction(mean, whole)))

    @property
    def k(self) -> int:
        """The number of values."""
        return self.layout.k

    @property
    def no_estimator(self) -> str | None:
        """The reason why there is no left inverse; None where there is one."""
        return self.inverse if isinstance(self.inverse, str) else None

    def _known(self) -> LeftInverse:
        if isinstance(self.inverse, str):
            raise ParameterError("estimator", f"does not exist: {self.inverse}")
        return self.inverse

    def implausible(self, n: int, counters: Counters) -> None:
        """Return None: that every report is counted once is all that is asked."""
        del n, counters

    def estimated(self, n: int, counters: Counters) -> Floats:
        """The left inverse applied to the counts of outputs; exact up to the last rounding."""
        del n
        inverse, seen = self._known(), counters.tolist()
        sums = (sum(w * c for w, c in zip(row, seen, strict=True)) for row in inverse.numerators)
        return np.array([total / inverse.denominator for total in sums])

    @cached_property
    def variances(self) -> tuple[tuple[Fraction, ...], ...]:
        """[x][v]: the variance of what one user with value x adds to the estimated count of v."""
        inverse = self._known()
        whole = self.unit * inverse.denominator**2
        return tuple(
            tuple(
                Fraction(sum(p * w * w for p, w in zip(row, weights, strict=True)), whole)
                - (1 if x == v else 0)
                for v, weights in enumerate(inverse.numerators)
            )
            for x, row in enumerate(self.table)
        )

    @cached_property
    def floats(self) -> tuple[Floats, Floats]:
        """P(y|x), float64 (k, outputs), and what report y adds to the count of v, of that shape."""
        inverse = self._known()
        weights = [[w / inverse.denominator for w in row] for row in inverse.numerators]
        return np.array([[p / self.unit for p in row] for row in self.table]), np.array(weights)

    @cached_property
    def _variance_floats(self) -> Floats:
        return np.array([[float(value) for value in row] for row in self.variances])

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The exact variance of a population with the shares, which are made to add up to 1."""
        del n
        return of_counts(shares, self._variance_floats)

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """The variance line if the rest hold whatever value makes the variance largest: a bound.

        Args:
            n: number of users.
        """
        del n
        return self._line

    @cached_property
    def _line(self) -> tuple[Floats, Floats]:
        held = np.diagonal(self._variance_floats)
        others = np.where(np.eye(self.k, dtype=bool), -np.inf, self._variance_floats)
        absent = np.asarray(others.max(axis=0))
        return absent, held - absent

    @cached_property
    def half_step(self) -> Floats:
        """Half of the difference between the largest and the smallest weight of a value."""
        inverse = self._known()
        twice = 2 * inverse.denominator
        return np.array([(max(row) - min(row)) / twice for row in inverse.numerators])
