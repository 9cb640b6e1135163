"""Compute the expected law of a numeric mechanism at a grid input, from its spec's table alone.

A `Density` is integrated over its pieces. `Noise` on a lattice is summed up term by term in double
precision; what is missing to 1 is shared by the two ends. A stepwise density is integrated over
its steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import sympy

from ldp_verified.language.density import Density
from ldp_verified.language.forms import Line
from ldp_verified.language.noise import Lattice, Noise, Steps
from ldp_verified.prove.enumeration import concrete_noise
from ldp_verified.prove.enumeration.concrete_density import ConcreteDensity, concrete
from ldp_verified.prove.enumeration.exact_values import evaluate
from ldp_verified.run.aggregate.moments import Decoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

Point = Mapping[Any, Fraction]


class NumericLaw(Protocol):
    """The expected distribution of what a report stands for."""

    @property
    def mean(self) -> float:
        """The mean of what a report stands for."""

    @property
    def square(self) -> float:
        """The mean square of what a report stands for."""

    def between(self, low: Fraction, high: Fraction) -> float:
        """The probability of an interval of cells, atoms apart."""

    def at(self, atom: Fraction) -> float:
        """The probability of an atom."""


def laws(
    form: Line, point: Point, decoding: Decoding, steps: int, share: Fraction
) -> list[tuple[Fraction, NumericLaw]]:
    """The laws of the two grid neighbours of an input, with their weights.

    Args:
        form: the spec's table. point: values of its variables.
        decoding: what reports stand for. steps: of the grid of inputs.
        share: where the input lies between the bounds, 0..1.
    """
    low, high = (
        evaluate(sympy.sympify(bound), point)
        for bound in (form.value.domain.lower, form.value.domain.upper)
    )
    whole, rest = divmod(share * steps, 1)
    parts = [(1 - rest, whole), (rest, whole + 1)]
    return [
        (weight, _law(form, point, decoding, low + (high - low) * i / steps))
        for weight, i in parts
        if weight
    ]


def _law(form: Line, point: Point, decoding: Decoding, x: Fraction) -> NumericLaw:
    if isinstance(form, Density):
        law = concrete(form, point, x)
        return NodesLaw(law, decoding) if decoding.nodes else DensityLaw(law, decoding.step)
    if isinstance(form.law, Lattice):
        low, high = (evaluate(sympy.sympify(b), point) for b in _bounds(form))
        return LatticeLaw(form, point, decoding, x, high - low)
    return StepsLaw(form, point, decoding, x)


def _bounds(form: Noise) -> tuple[Any, Any]:
    return form.value.domain.lower, form.value.domain.upper


@dataclass(frozen=True, eq=False)
class DensityLaw:
    """A concrete density, whose pieces are reported as middles of cells of width `step`."""

    law: ConcreteDensity
    step: Fraction

    @property
    def mean(self) -> float:
        """The mean of what a report stands for."""
        return float(self.law.mean)

    @property
    def square(self) -> float:
        """The mean square of reports: that of the density less the spread within cells."""
        lost = self.step**2 / 12 * (1 - sum(mass for _, mass in self.law.atoms))
        return float(self.law.variance + self.law.mean**2 - lost)

    def between(self, low: Fraction, high: Fraction) -> float:
        """The mass of the pieces in an interval."""
        return float(mass_between(self.law, low, high))

    def at(self, atom: Fraction) -> float:
        """The mass of one point."""
        return float(self.law.mass_at(atom))


def mass_between(law: ConcreteDensity, low: Fraction, high: Fraction) -> Fraction:
    """The mass of the pieces of a density in an interval."""
    return sum(
        (max(Fraction(0), min(b, high) - max(a, low)) * level for a, b, level in law.pieces),
        Fraction(0),
    )


@dataclass(frozen=True, eq=False)
class NodesLaw:
    """A concrete density and atoms, what lies between two nodes reported as one of them.

    Node j is chosen with probability 1 - |y - j| of an output y that is so many steps away, 0
    beyond one step. Atoms alone are reported as they are.
    """

    law: ConcreteDensity
    decoding: Decoding

    @cached_property
    def _nodes(self) -> Numbers:
        d = self.decoding
        return float(d.first) + float(d.step) * np.arange(d.cells)

    @cached_property
    def _masses(self) -> Numbers:
        d = self.decoding
        masses = np.zeros(d.cells)
        centres = np.arange(d.cells)
        for low, high, level in self.law.pieces:
            a, b = (float((end - d.first) / d.step) for end in (low, high))
            for side in (-1, 0):  # the rise to the node, the fall from it
                left, right = np.clip(a, centres + side, None), np.clip(b, None, centres + side + 1)
                near = 1 - np.abs((left + right) / 2 - centres)  # the mean of a linear function
                masses += float(level * d.step) * np.clip(right - left, 0, None) * near
        for place, mass in self.law.atoms if d.cells else ():
            near = 1 - np.abs(float((place - d.first) / d.step) - centres)
            masses += float(mass) * np.clip(near, 0, None)
        return masses

    @property
    def mean(self) -> float:
        """The mean of what a report stands for: that of the density."""
        return float(self.law.mean)

    @property
    def square(self) -> float:
        """The mean square of what a report stands for."""
        if not self.decoding.cells:
            return float(self.law.variance + self.law.mean**2)
        return float((self._masses * self._nodes**2).sum())

    def between(self, low: Fraction, high: Fraction) -> float:
        """The mass of the nodes in an interval."""
        within = (self._nodes >= float(low)) & (self._nodes < float(high))
        return float(self._masses[within].sum())

    def at(self, atom: Fraction) -> float:
        """The mass of one point."""
        return float(self.law.mass_at(atom))


@dataclass(frozen=True, eq=False)
class LatticeLaw:
    """Noise on the integers with ends; `scale` integers are one unit of the decoding."""

    form: Noise
    point: Point
    decoding: Decoding
    x: Fraction
    scale: Fraction

    @cached_property
    def _given(self) -> dict[str, Fraction]:
        return {n: evaluate(cell, self.point) for n, cell in self.form.cells().items()}

    @cached_property
    def _inner(self) -> tuple[Numbers, Numbers]:
        """The integers between the ends, and their masses."""
        given = self._given
        y = np.arange(int(given["end_low"]) + 1, int(given["end_high"]))
        return y, float(given["mass"]) * float(given["decay"]) ** np.abs(y - int(self.x))

    @cached_property
    def _ends(self) -> tuple[tuple[float, float], ...]:
        """(what an end stands for, its mass), for both ends."""
        given, x = self._given, self.x
        away = {"low": int(x - given["end_low"]), "high": int(given["end_high"] - x)}
        return tuple(
            (float(given[f"end_{name}_report"] / self.scale), self._tail(steps))
            for name, steps in away.items()
        )

    def _tail(self, steps: int) -> float:
        """P(z >= steps): half of what is not at 0, less what is nearer."""
        mass, decay = float(self._given["mass"]), float(self._given["decay"])
        if steps == 0:
            return (1 + mass) / 2
        nearer = float((mass * decay ** np.arange(1, steps)).sum())
        return max(0.0, (1 - mass) / 2 - nearer)

    def _moment(self, power: int) -> float:
        y, p = self._inner
        inner = float((p * (y / float(self.scale)) ** power).sum())
        return inner + sum(mass * at**power for at, mass in self._ends)

    @property
    def mean(self) -> float:
        """The mean of what a report stands for."""
        return self._moment(1)

    @property
    def square(self) -> float:
        """The mean square of what a report stands for."""
        return self._moment(2)

    def between(self, low: Fraction, high: Fraction) -> float:
        """The mass of the integers in an interval."""
        y, p = self._inner
        within = (y >= float(low * self.scale)) & (y < float(high * self.scale))
        return float(p[within].sum())

    def at(self, atom: Fraction) -> float:
        """The mass of an end."""
        return next(mass for end, mass in self._ends if abs(end - float(atom)) < 1e-9 * abs(end))


@dataclass(frozen=True, eq=False)
class StepsLaw:
    """Noise with a stepwise density, reported as middles of cells.

    What is folded at the ends is taken to be nothing: it is less than 2^-60 wherever this is used.
    """

    form: Noise
    point: Point
    decoding: Decoding
    x: Fraction

    @cached_property
    def _steps(self) -> tuple[Numbers, Numbers]:
        """Boundaries of the noise above 0, and the mass between 0 and each of them."""
        assert isinstance(self.form.law, Steps)
        found = concrete_noise.ConcreteNoise(self.form, self.point)
        period, decay = float(found.given["period"]), float(found.given["decay"])
        reach = float(self.decoding.first + self.decoding.cells * self.decoding.step)
        many = int(reach / period) + 3
        ends, masses = [0.0], [0.0]
        for j in range(many):
            for low, high, level in found.pieces():
                ends.append(j * period + float(high))
                masses.append(masses[-1] + float((high - low) * level) * decay**j)
        return np.array(ends), np.array(masses)

    def _below(self, z: float) -> float:
        """The mass between 0 and z, negative where z is."""
        ends, masses = self._steps
        return float(np.copysign(np.interp(abs(z), ends, masses), z))

    @property
    def mean(self) -> float:
        """The mean of what a report stands for."""
        return float(self.x)

    @property
    def square(self) -> float:
        """The mean square of reports: that of the noise less the spread within cells."""
        low, high = concrete_noise.ConcreteNoise(self.form, self.point).moments[1]
        return float((low + high) / 2 + self.x**2 - self.decoding.step**2 / 12)

    def between(self, low: Fraction, high: Fraction) -> float:
        """The mass of an interval."""
        return self._below(float(high - self.x)) - self._below(float(low - self.x))

    def at(self, atom: Fraction) -> float:  # noqa: ARG002  the same for every atom
        """The mass of an atom, of which there is none."""
        return 0.0
