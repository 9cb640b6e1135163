"""A distribution on the line -> words of a table on a grid: rounding that keeps the mean.

A number between two nodes of the grid counts as one of them, by a draw that keeps its mean. The
probability of a node is then a second difference of H, the integral of the distribution function.
So what is rounded is H, at every node: rows sum up to all words whatever the rounding, and the mean
of a row is read off the last H. Where the mean of the distribution is affine in the input, that one
is set to an affine integer: the mean of what is drawn is affine exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GUARD = 64
"""Bits that are kept below a word while polynomials are evaluated."""


class NoDistributionError(Exception):
    """The numbers are no distribution of the kind that is asked for; the message says why."""


@dataclass(frozen=True)
class Measure:
    """A distribution: density `levels[j]` between `ends[j]` and `ends[j + 1]`, and atoms.

    Attributes:
        ends: from left to right; empty where there are atoms only. levels: one less.
        places, masses: of the atoms, from left to right.
    """

    ends: tuple[Fraction, ...]
    levels: tuple[Fraction, ...]
    places: tuple[Fraction, ...] = ()
    masses: tuple[Fraction, ...] = ()

    def check(self) -> None:
        """See that this is a distribution on one interval, or on atoms.

        Raises:
            NoDistributionError: it is none, or an atom lies outside the interval.
        """
        if any(low > high for low, high in pairwise(self.ends)):
            raise NoDistributionError("an end of a piece lies beyond the next one")
        if any(level <= 0 for level in self.levels):
            raise NoDistributionError("a level is not positive")
        if any(mass <= 0 for mass in self.masses):
            raise NoDistributionError("the mass of an atom is not positive")
        if any(low >= high for low, high in pairwise(self.places)):
            raise NoDistributionError("atoms do not stand from left to right")
        if self.ends and any(not self.ends[0] <= a <= self.ends[-1] for a in self.places):
            raise NoDistributionError("an atom lies outside the interval of the pieces")
        total = sum(self.masses, Fraction(0))
        for (low, high), level in zip(pairwise(self.ends), self.levels, strict=True):
            total += (high - low) * level
        if total != 1:
            raise NoDistributionError(f"the whole has mass {float(total):.9g}, not 1")


@dataclass(frozen=True)
class MeasuredTable:
    """rows[i][y]: how many of the 2^width words make grid input i report y.

    Attributes:
        rows: see there. first, step: report y stands for first + y step...
        atoms: ... unless there are atoms: then for atoms[y].
        affine: whether the mean of a report is an affine function of i, exactly.
    """

    rows: tuple[tuple[int, ...], ...]
    first: Fraction
    step: Fraction
    atoms: tuple[Fraction, ...]
    affine: bool

    @property
    def worst_ratio(self) -> Fraction | None:
        """The largest P(y|i)/P(y|i'); None where one of them is 0."""
        worst = Fraction(1)
        for column in zip(*self.rows, strict=True):
            least = min(column)
            if least <= 0:
                return None
            worst = max(worst, Fraction(max(column), least))
        return worst

    def moments(self, i: int) -> tuple[Fraction, Fraction]:
        """Mean and mean square of what a report stands for, given grid input i."""
        row = self.rows[i]
        total = sum(row)
        if self.atoms:
            parts = [Fraction(words, total) for words in row]
            return (
                sum((p * a for p, a in zip(parts, self.atoms, strict=True)), Fraction(0)),
                sum((p * a**2 for p, a in zip(parts, self.atoms, strict=True)), Fraction(0)),
            )
        one = Fraction(sum(words * y for y, words in enumerate(row)), total) * self.step
        two = Fraction(sum(words * y * y for y, words in enumerate(row)), total) * self.step**2
        return self.first + one, self.first**2 + 2 * self.first * one + two


def measured(laws: Sequence[Measure], cells: int, width: int) -> MeasuredTable:
    """The table of a distribution for every grid input 0..m.

    Args:
        laws: one distribution for each grid input, two at least.
        cells: the nodes are the ends of so many equal cells; atoms alone are their own nodes.
        width: words are numbers of so many bits.

    Raises:
        NoDistributionError: one is no distribution, or they are not all on the same interval.
    """
    for law in laws:
        law.check()
    first = laws[0]
    if any((law.ends[:1], law.ends[-1:]) != (first.ends[:1], first.ends[-1:]) for law in laws):
        raise NoDistributionError("the outer ends of the pieces depend on the input")
    if any(law.places != first.places for law in laws):
        raise NoDistributionError("the places of the atoms depend on the input")
    if not first.ends:
        if len(first.places) < 2:
            raise NoDistributionError("there is one output only")
        return _atoms(laws, width)
    low, high = first.ends[0], first.ends[-1]
    step = (high - low) / cells
    words = 1 << width
    exact = [_last(law, low, step, cells) for law in laws]
    goals = _affine([value * words for value in exact])
    rows = []
    for i, law in enumerate(laws):
        # H grows by one word per word to the right of the last node.
        change = Fraction(0) if goals is None else goals[i] - exact[i] * words
        heights = [0, 0, *_heights(law, low, step, cells, width, change)]
        if goals is not None:
            heights[-1] = goals[i]
        heights.append(heights[-1] + words)
        rows.append(
            tuple(heights[y] - 2 * heights[y + 1] + heights[y + 2] for y in range(len(heights) - 2))
        )
    return MeasuredTable(tuple(rows), low, step, (), goals is not None)


def _pieces(
    law: Measure, low: Fraction, step: Fraction
) -> Iterator[tuple[Fraction, Fraction, Fraction, Fraction, Fraction]]:
    """(from, to, H, its slope at the left, the density) between knots, in cells from `low`."""
    ends = [(end - low) / step for end in law.ends]
    atoms = {(place - low) / step: mass for place, mass in zip(law.places, law.masses, strict=True)}
    knots = sorted({*ends, *atoms})
    height, slope, piece = Fraction(0), Fraction(0), 0
    for left, right in pairwise(knots):
        slope += atoms.get(left, Fraction(0))
        while ends[piece + 1] <= left:
            piece += 1
        level = law.levels[piece] * step
        yield left, right, height, slope, level
        size = right - left
        height += slope * size + level * size**2 / 2
        slope += level * size


def _last(law: Measure, low: Fraction, step: Fraction, cells: int) -> Fraction:
    """H at the last node: the number of cells less the mean, counted in cells."""
    *_, (left, _, height, slope, level) = _pieces(law, low, step)
    size = cells - left
    return height + slope * size + level * size**2 / 2


def _heights(
    law: Measure, low: Fraction, step: Fraction, cells: int, width: int, change: Fraction
) -> list[int]:
    """H in words at nodes 1, ..., rounded; with a line from 0 to `change` words added."""
    scale = 1 << (width + GUARD)
    half = 1 << (GUARD - 1)
    drift = Fraction(change * (1 << GUARD)) / cells
    found: list[int] = []
    for left, right, height, slope, level in _pieces(law, low, step):
        # height + slope (y - left) + level/2 (y - left)^2, by powers of y.
        two = round(level / 2 * scale)
        one = round((slope - level * left) * scale + drift)
        none = round((height - slope * left + level / 2 * left**2) * scale)
        start = max(len(found) + 1, -(-left.numerator // left.denominator))
        stop = right.numerator // right.denominator
        found += [
            (none + y * (one + y * two) + half) >> GUARD for y in range(start, min(stop, cells) + 1)
        ]
    return found


def _affine(values: Sequence[Fraction]) -> list[int] | None:
    """Integers at and near numbers that are an affine function of their index; None if not."""
    many = len(values) - 1
    slope = (values[-1] - values[0]) / many
    if any(value != values[0] + i * slope for i, value in enumerate(values)):
        return None
    whole = round(slope)
    start = round(values[0] + (slope - whole) * many / 2)
    return [start + i * whole for i in range(many + 1)]


def _atoms(laws: Sequence[Measure], width: int) -> MeasuredTable:
    """Atoms alone: their distribution function is rounded, to affine integers where it is so."""
    words = 1 << width
    columns: list[list[int]] = []
    affine = True
    for place in range(len(laws[0].places) - 1):
        below = [sum(law.masses[: place + 1], Fraction(0)) * words for law in laws]
        goals = _affine(below)
        affine = affine and goals is not None
        columns.append([round(value) for value in below] if goals is None else goals)
    columns = [[0] * len(laws), *columns, [words] * len(laws)]
    rows = zip(
        *([b - a for a, b in zip(*two, strict=True)] for two in pairwise(columns)), strict=True
    )
    return MeasuredTable(tuple(rows), Fraction(0), Fraction(0), laws[0].places, affine)
