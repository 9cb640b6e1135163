"""Compute what one report adds to an estimate: a finite distribution, or one within bounds.

The estimate of a count, or of a sum of numbers, is a sum over users of independent contributions;
of them follow its mean, its variance and every tail bound in `tails`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import ParameterError
from ldp_verified.language import Density, Matrix
from ldp_verified.prove.density_enumeration import concrete
from ldp_verified.prove.expand import expand
from ldp_verified.prove.table_facts import LinearEstimator, SupportEstimator, estimator

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism


@dataclass(frozen=True)
class Contribution:
    """The distribution of what one user's report adds to the estimate.

    Attributes:
        atoms: (value, probability), by value; probabilities sum to 1.
    """

    atoms: tuple[tuple[Fraction, Fraction], ...]

    def __init__(self, atoms: Iterable[tuple[Fraction, Fraction]]) -> None:
        """Merge equal values.

        Raises:
            ParameterError: a probability below 0, or a sum other than 1.
        """
        merged: dict[Fraction, Fraction] = {}
        for value, chance in atoms:
            if chance < 0:
                raise ParameterError("atoms", "must have probabilities >= 0", str(chance))
            if chance:
                merged[value] = merged.get(value, Fraction(0)) + chance
        if sum(merged.values()) != 1:
            raise ParameterError("atoms", "must sum to 1", str(sum(merged.values())))
        object.__setattr__(self, "atoms", tuple(sorted(merged.items())))

    @property
    def mean(self) -> Fraction:
        """The expectation."""
        return sum((value * chance for value, chance in self.atoms), Fraction(0))

    @property
    def variance(self) -> Fraction:
        """The variance."""
        mean = self.mean
        return sum((chance * (value - mean) ** 2 for value, chance in self.atoms), Fraction(0))

    @property
    def width(self) -> Fraction:
        """The largest value less the smallest."""
        return self.atoms[-1][0] - self.atoms[0][0]

    @property
    def reach(self) -> Fraction:
        """The largest distance of a value from the mean."""
        return max(abs(value - self.mean) for value, _ in self.atoms)


@dataclass(frozen=True)
class Bounded:
    """A contribution with a density: not listed, but known to lie between two numbers.

    Attributes:
        mean, variance: exact. low, high: it lies between them.
    """

    mean: Fraction
    variance: Fraction
    low: Fraction
    high: Fraction

    @property
    def width(self) -> Fraction:
        """The largest value less the smallest."""
        return self.high - self.low

    @property
    def reach(self) -> Fraction:
        """The largest distance of a value from the mean."""
        return max(self.high - self.mean, self.mean - self.low)


def number_contribution(
    mechanism: Mechanism, point: Mapping[Any, Any], x: Fraction
) -> Contribution | Bounded:
    """Return what a report adds to the estimated sum of numbers: the number that it stands for.

    Args:
        mechanism: a declaration over a `Density` (a finite one such as Duchi's is listed).
        point: exact values of its variables, by symbol. x: the number.

    Raises:
        ParameterError: the reports have no bounds, or x is none of its inputs.
    """
    form = mechanism.algebraic_table
    if not isinstance(form, Density):
        raise ParameterError("mechanism", "must report numbers between two bounds", mechanism.name)
    if not form.value.domain.contains(sympy.Rational(x.numerator, x.denominator)):
        raise ParameterError("x", f"must be {form.value.domain.describe('x')}", str(x))
    found = concrete(form, point, x)
    if not found.pieces:
        return Contribution(found.atoms)
    ends = [end for low, high, _ in found.pieces for end in (low, high)]
    ends += [at for at, _ in found.atoms]
    return Bounded(found.mean, found.variance, min(ends), max(ends))


def contribution(mechanism: Mechanism, point: Mapping[Any, Any], x: int, v: int) -> Contribution:
    """Return what a report of value number x adds to the estimated count of value number v.

    Args:
        mechanism: a declaration with finitely many outputs and an unbiased estimator.
        point: exact values of its variables, as in `prove.expand`.
        x, v: positions among the inputs.

    Raises:
        ParameterError: there is no estimator.
        NotExpandableError: the table is too large to be written out there.
    """
    table = expand(mechanism, point)
    found = estimator(table, matrix=isinstance(mechanism.table, Matrix))
    if isinstance(found, SupportEstimator):
        atoms = []
        for column in table.columns:
            assert column.supports is not None
            value = found.supported if v in column.supports else found.otherwise
            atoms.append((value, column.multiplicity * table.probability(column, x)))
        return Contribution(atoms)
    if isinstance(found, LinearEstimator):
        return Contribution(
            (weight, column.multiplicity * table.probability(column, x))
            for weight, column in zip(found.weights[v], table.columns, strict=True)
        )
    raise ParameterError("mechanism", "must have an unbiased estimator", str(found))
