"""Compute what one report adds to an estimate: a finite distribution, or one within bounds.

The estimate of a count, or of a sum of numbers, is a sum over users of independent contributions;
of them follow its mean, its variance and every tail bound in `tails`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, cast

import sympy

from ldp_verified.errors import ParameterError
from ldp_verified.language import Density, Matrix
from ldp_verified.prove.enumeration.concrete_density import concrete
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.table_facts import LinearEstimator, SupportEstimator, estimator
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism
    from ldp_verified.run.aggregate.oracle import Oracle


class Realized(Protocol):
    """An object that runs: a mechanism of the catalogue, or one's own."""

    @property
    def oracle(self) -> Oracle:
        """The estimator of its counts."""


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
        """The expectation of what one user adds."""
        return sum((value * chance for value, chance in self.atoms), Fraction(0))

    @property
    def variance(self) -> Fraction:
        """The variance of what one user adds."""
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


def contribution(
    mechanism: Mechanism | Realized,
    point: Mapping[Any, Any] | None = None,
    x: int = 0,
    v: int = 0,
) -> Contribution:
    """Return what a report of value number x adds to the estimated count of value number v.

    Args:
        mechanism: an object that runs, such as `GRR(1.0, 10)`, whose realized table counts; or a
            declaration with finitely many outputs. Either has an unbiased estimator.
        point: of a declaration, exact values of its variables, as in `prove.enumeration.expand`;
            None for an object.
        x, v: positions among the inputs.

    Raises:
        ParameterError: there is no estimator; not all reports of an object are new draws, so that
            contributions are not independent; a declaration has no point, or an object one.
        NotExpandableError: the table is too large to be written out there.
    """
    oracle = getattr(mechanism, "oracle", None)
    if oracle is not None:
        if point is not None:
            raise ParameterError("point", "must be left out: the object has its parameters")
        return _realized(mechanism, oracle, x, v)
    if point is None:
        raise ParameterError("point", "must be given for a declaration")
    return _declared(cast("Mechanism", mechanism), point, x, v)


def _realized(made: object, oracle: Oracle, x: int, v: int) -> Contribution:
    """The contribution of a report that the code draws."""
    for name, place in (("x", x), ("v", v)):
        check_integer(name, place, 0, oracle.k - 1)
    if isinstance(oracle, LinearOracle) and not isinstance(oracle.inverse, str):
        whole, row = oracle.inverse.denominator, oracle.inverse.numerators[v]
        chances = (Fraction(chance, oracle.unit) for chance in oracle.table[x])
        return Contribution(zip((Fraction(w, whole) for w in row), chances, strict=True))
    if not isinstance(oracle, FrequencyOracle) or not oracle.fresh:
        rule = "must have an unbiased estimator, and reports that are all new draws"
        raise ParameterError("mechanism", rule, type(made).__name__)
    p, q = oracle.p_star, oracle.q_star
    chance = p if x == v else q
    return Contribution([((1 - q) / (p - q), chance), (-q / (p - q), 1 - chance)])


def _declared(mechanism: Mechanism, point: Mapping[Any, Any], x: int, v: int) -> Contribution:
    """The contribution of a report of the declared table."""
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
