"""Additive noise put down at an exact point: its cells, moments, and ratios in a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from sympy import sympify

from ldp_verified.language.noise import Exponential, Lattice, Noise, Normal, Steps
from ldp_verified.prove.enumeration.exact_values import Point, cell, evaluate
from ldp_verified.prove.enumeration.expanded import check_size
from ldp_verified.prove.enumeration.noise_integrals import exponential_moments, normal_moments
from ldp_verified.prove.enumeration.noise_sums import Interval, series
from ldp_verified.prove.enumeration.points import candidates
from ldp_verified.prove.enumeration.step_ratios import largest_step_ratio

WINDOW = 3
"""Periods (for a lattice, integers) beyond the inputs in which ratios are looked at."""


@dataclass(frozen=True)
class ConcreteNoise:
    """Noise at one point.

    Attributes:
        form, point: see there. more: inputs to look at beside its own, where they are any.
    """

    form: Noise
    point: Point
    more: tuple[Fraction, ...] = ()

    def _cell(self, name: str) -> Fraction:
        return cell(name, self.form.cells()[name], self.point)

    @cached_property
    def given(self) -> dict[str, Fraction]:
        """Every cell, exactly.

        Raises:
            UndefinedCellError: it divides by zero.
        """
        return {name: self._cell(name) for name in self.form.cells()}

    @cached_property
    def bounds(self) -> Interval:
        """The ends of the inputs."""
        domain = self.form.value.domain
        return evaluate(sympify(domain.lower), self.point), evaluate(
            sympify(domain.upper), self.point
        )

    @cached_property
    def inputs(self) -> tuple[Fraction, ...]:
        """Some inputs, both ends among them."""
        (low, high), whole = self.bounds, isinstance(self.form.law, Lattice)
        found = [low, high, *(x for x in self.more if low <= x <= high)]
        if whole:
            found += candidates(self.form.value.domain, dict(self.point), 4)
            return tuple(sorted({x for x in found if x.denominator == 1}))
        return tuple(sorted({*found, low + (high - low) / 3}))

    def pieces(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """(low, high, level) of the first period."""
        assert isinstance(self.form.law, Steps)
        parts = range(len(self.form.law.pieces))
        return [
            (self.given[f"low{i}"], self.given[f"high{i}"], self.given[f"level{i}"]) for i in parts
        ]

    @cached_property
    def moments(self) -> tuple[Interval, Interval]:
        """Intervals for the mass and the mean square of the noise."""
        g = self.given
        match self.form.law:
            case Exponential():
                return exponential_moments(g["level"], g["scale"])
            case Normal():
                return normal_moments(g["level"], g["scale"])
            case Lattice():
                ones, _, squares = series(g["decay"])
                mass = (g["mass"] * (2 * ones[0] - 1), g["mass"] * (2 * ones[1] - 1))
                return mass, (2 * g["mass"] * squares[0], 2 * g["mass"] * squares[1])
        period, sums = g["period"], series(g["decay"])
        masses, spreads = [Fraction(0)] * 2, [Fraction(0)] * 2
        for low, high, level in self.pieces():
            width, middle = high - low, (low + high) / 2
            # Within a piece: the square of its middle, and a twelfth of that of its width.
            around = middle**2 + width**2 / 12
            for side in (0, 1):
                zeroth, first, second = (s[side] for s in sums)
                masses[side] += 2 * level * width * zeroth
                far = around * zeroth + 2 * middle * period * first + period**2 * second
                spreads[side] += 2 * level * width * far
        return (masses[0], masses[1]), (spreads[0], spreads[1])

    @property
    def may_be_law(self) -> bool:
        """Return whether the mass may be 1, as far as its interval tells."""
        low, high = self.moments[0]
        return low <= 1 <= high

    def mean(self, x: Fraction) -> Interval:
        """An interval for the mean at input x without ends: x times the mass, which may not be 1.

        The noise is symmetric.
        """
        low, high = sorted(mass * x for mass in self.moments[0])
        return low, high

    def variance(self, x: Fraction) -> Interval:
        """An interval for the variance: with mass m and mean square s it is s + m (1 - m) x^2.

        m (1 - m) falls where m is above 1/2, as it is in an interval around 1.
        """
        (low, high), squares = self.moments
        return squares[0] + high * (1 - high) * x**2, squares[1] + low * (1 - low) * x**2

    def density(self, z: Fraction) -> Fraction:
        """The mass (lattice) or the density (steps) at z."""
        return self._density(abs(z))

    @cached_property
    def _density(self) -> Callable[[Fraction], Fraction]:
        return cache(self._density_at)  # Pairs of inputs ask for the same ones.

    def _density_at(self, size: Fraction) -> Fraction:
        g = self.given
        if isinstance(self.form.law, Lattice):
            on = size.denominator == 1
            return Fraction(g["mass"] * g["decay"] ** int(size)) if on else Fraction(0)
        periods, t = divmod(size, g["period"])
        level = next((lv for low, high, lv in self.pieces() if low <= t < high), Fraction(0))
        return Fraction(level * g["decay"] ** int(periods))

    def _check_window(self, outputs: int) -> None:
        """Refuse to write out so many outputs, the masses of which have as many digits.

        Raises:
            NotExpandableError: they are too many for every pair of inputs.
        """
        check_size(len(self.inputs), outputs, outputs * outputs)

    @cached_property
    def table(self) -> Callable[[Fraction], list[tuple[Fraction, Fraction]]]:
        """The table of a lattice with ends: input -> (what a report stands for, its mass)."""
        return cache(self._table_at)

    def _table_at(self, x: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The mass beyond an end is half of what is not at 0, less what lies before the end."""
        g = self.given
        first, last = int(g["end_low"]), int(g["end_high"])
        self._check_window(last - first)
        inner = [(Fraction(y), self.density(y - x)) for y in range(first + 1, last)]

        def beyond(steps: int) -> Fraction:
            if steps <= 0:
                return 1 - beyond(1 - steps)
            before = sum((self.density(Fraction(j)) for j in range(1, steps)), Fraction(0))
            return (1 - g["mass"]) / 2 - before

        bottom = (g["end_low_report"], beyond(int(x - first)))
        top = (g["end_high_report"], beyond(int(last - x)))
        return [bottom, *inner, top]

    def spots(self, x: Fraction, x2: Fraction) -> Iterator[tuple[str, Fraction, Fraction]]:
        """(output, density under x, density under x'), in a window around the inputs."""
        if self.form.ends is not None:
            for (y, own), (_, other) in zip(self.table(x), self.table(x2), strict=True):
                yield f"y = {y}", own, other
        elif isinstance(self.form.law, Lattice):
            first, last = (int(bound) for bound in self.bounds)
            self._check_window(last - first)
            for place in range(first - WINDOW, last + WINDOW + 1):
                yield f"y = {place}", self.density(place - x), self.density(place - x2)
        else:
            cuts = sorted({at + cut for at in (x, x2) for cut in self._cuts()})
            window = [c for c in cuts if abs(c) <= max(map(abs, self.bounds)) + self._width]
            for low, high in pairwise(window):
                middle = (low + high) / 2
                where = f"y between {low} and {high}"
                yield where, self.density(middle - x), self.density(middle - x2)

    @cached_property
    def _width(self) -> Fraction:
        low, high = self.bounds
        return high - low + WINDOW * self.given["period"]

    def _cuts(self) -> Iterator[Fraction]:
        """Boundaries of the noise, on both sides."""
        many = int(2 * self._width / self.given["period"]) + 2
        for j in range(many):
            for low, _, _ in self.pieces():
                yield low + j * self.given["period"]
                yield -(low + j * self.given["period"])

    @cached_property
    def worst(self) -> Worst:
        """The pair and output of the largest ratio; of no ratio, if only one input gives it."""
        if isinstance(self.form.law, Steps) and self.form.ends is None:
            return self._worst_step()
        found: Worst = (Fraction(0), {})
        for x in self.inputs:
            for x2 in self.inputs:
                for where, own, other in self.spots(x, x2) if x != x2 else ():
                    values = {"x": x, "x'": x2, "y": where, "P(y|x)": own, "P(y|x')": other}
                    if (own > 0) != (other > 0):
                        return None, values
                    assert found[0] is not None
                    if own > found[0] * other:
                        found = own / other, values
        return found

    def _worst_step(self) -> Worst:
        """The worst ratio over all pairs of inputs, which the few that are looked at may miss."""
        (low, high), g = self.bounds, self.given
        self._check_window(len(g) * int((high - low) / g["period"]))
        found = largest_step_ratio(self.pieces(), g["period"], g["decay"], high - low)
        if found is None:
            return Fraction(0), {}
        x = low + max(found.z2 - found.z, Fraction(0))
        values = {
            "x": x,
            "x'": x + found.z - found.z2,
            "y": f"y = {x + found.z}",
            "P(y|x)": found.own,
            "P(y|x')": found.other,
        }
        return (found.own / found.other if found.other else None), values


Worst = tuple[Fraction | None, dict[str, Any]]
