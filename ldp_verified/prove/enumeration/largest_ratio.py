"""The largest ratio of a density over all pairs of inputs, exactly, where everything is affine.

A few inputs show that a ratio is reached, never that no others reach a larger one. Where ends,
levels and masses are affine in the input at a point, the pairs (x, x') at which two given pieces
share outputs are a convex polygon, and the ratio of their levels is largest at a corner of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.prove.enumeration.exact_values import evaluate

if TYPE_CHECKING:
    from ldp_verified.language.density import Density
    from ldp_verified.prove.enumeration.exact_values import Point

Pair = tuple[Fraction, Fraction]
"""Two inputs (x, x')."""

CLOSER = 60
"""How many times the way from inside a polygon to a corner of it is halved."""


@dataclass(frozen=True)
class Affine:
    """`slope` x + `constant`."""

    slope: Fraction
    constant: Fraction

    def at(self, x: Fraction) -> Fraction:
        """The value at an input."""
        return self.slope * x + self.constant


@dataclass(frozen=True)
class LargestRatio:
    """The least bound of all ratios P(y|x) / P(y|x').

    Attributes:
        own, other: its two sides; `other` is 0 where there is no bound.
        corner: the pair of inputs that has it, or that pairs with it come close to.
        inside: a pair beside it at which the same two pieces share outputs.
    """

    own: Fraction
    other: Fraction
    corner: Pair
    inside: Pair

    def exceeds(self, ratio: LargestRatio | None) -> bool:
        """Return whether this ratio is larger than another one."""
        if ratio is None or not ratio.other:
            return ratio is None
        return not self.other or self.own * ratio.other > ratio.own * self.other

    def beside(self) -> Iterator[Pair]:
        """Pairs of different inputs of the domain, ever closer to the corner."""
        for halvings in range(CLOSER):
            share = Fraction(1, 1 << halvings)
            x, x2 = (c + (i - c) * share for c, i in zip(self.corner, self.inside, strict=True))
            if x != x2:
                yield x, x2


class AffineDensity:
    """The parts of a density as polynomials in its input, to be put down at points.

    Args:
        form: algebraic, so its expressions are rational functions.
    """

    def __init__(self, form: Density) -> None:
        self._domain = form.value.domain
        self._pieces = [
            tuple(_coefficients(e, form.value) for e in (p.low, p.high, p.level))
            for p in form.pieces
        ]
        self._atoms = [
            tuple(_coefficients(e, form.value) for e in (a.location, a.mass)) for a in form.atoms
        ]

    def largest_ratio(self, point: Point) -> LargestRatio | None:
        """The largest ratio at a point of the parameters.

        None where a part is not affine there, the pieces do not join in this order or leave gaps,
        an atom moves, something is negative, or 0 is divided by 0.

        Raises:
            ZeroDivisionError: something divides by zero there.
        """
        ends = self._ends()
        pieces = _all_affine(self._pieces, point)
        atoms = _all_affine(self._atoms, point)
        if pieces is None or atoms is None or not _lawful(pieces, atoms, ends):
            return None
        low, high = ends
        box = [(low, low), (low, high), (high, high), (high, low)]
        found: LargestRatio | None = None
        for first, second in product(pieces, pieces):
            corners = _meeting(first, second, box)
            if corners is None or not any(first[2].at(x) for x in ends):
                continue
            best = _best(first[2], second[2], corners)
            if best is None:
                return None
            found = best if best.exceeds(found) else found
        for _, mass in atoms:
            if not any(mass.at(x) for x in ends):
                continue
            best = _best(mass, mass, box)
            if best is None:
                return None
            found = best if best.exceeds(found) else found
        return found

    def _ends(self) -> Pair:
        low, high = (Fraction(int(b.p), int(b.q)) for b in (self._domain.lower, self._domain.upper))
        return low, high


_Expressions = tuple[Any, ...]
_Parts = tuple[Affine, ...]


def _coefficients(expression: Any, x: Any) -> tuple[Any, ...] | None:
    """Return the coefficients of x^0, x^1, ...; None if it is no polynomial in x."""
    if x not in expression.free_symbols:
        return (expression,)
    try:
        listed = sympy.Poly(expression, x).all_coeffs()
    except sympy.PolynomialError:
        return None
    return tuple(reversed(listed))


def _all_affine(
    parts: Sequence[tuple[_Expressions | None, ...]], point: Point
) -> list[_Parts] | None:
    found: list[_Parts] = []
    for each in parts:
        values: list[Affine] = []
        for coefficients in each:
            if coefficients is None:
                return None
            at = [evaluate(c, point) for c in coefficients]
            if any(at[2:]):
                return None
            values.append(Affine(at[1] if len(at) > 1 else Fraction(0), at[0]))
        found.append(tuple(values))
    return found


def _lawful(pieces: Sequence[_Parts], atoms: Sequence[_Parts], ends: Pair) -> bool:
    """Whether one piece alone says the density at an output, and one atom the mass of a point."""
    if any(left[1] != right[0] for left, right in pairwise(pieces)):
        return False
    outer = [pieces[0][0], pieces[-1][1]] if pieces else []
    if any(end.slope for end in (*outer, *(location for location, _ in atoms))):
        return False
    if len({location.constant for location, _ in atoms}) < len(atoms):
        return False
    return all(
        high.at(x) >= low.at(x) and level.at(x) >= 0 for low, high, level in pieces for x in ends
    ) and all(mass.at(x) >= 0 for _, mass in atoms for x in ends)


def _meeting(first: _Parts, second: _Parts, box: Sequence[Pair]) -> list[Pair] | None:
    """The corners of the pairs at which a piece under x and one under x' share an interval."""

    def gaps(pair: Pair) -> list[Fraction]:
        lows = [first[0].at(pair[0]), second[0].at(pair[1])]
        highs = [first[1].at(pair[0]), second[1].at(pair[1])]
        return [high - low for high in highs for low in lows]

    corners = [*box]
    for which in range(4):
        corners = _clipped(corners, [gaps(c)[which] for c in corners])
    if not corners or min(gaps(_middle(corners))) <= 0:
        return None  # they share a point at most
    return corners


def _clipped(corners: Sequence[Pair], heights: Sequence[Fraction]) -> list[Pair]:
    """The part of a convex polygon where a function, affine and given at its corners, is >= 0."""
    found: list[Pair] = []
    for i, (corner, height) in enumerate(zip(corners, heights, strict=True)):
        if height >= 0:
            found.append(corner)
        after, beyond = corners[(i + 1) % len(corners)], heights[(i + 1) % len(corners)]
        if height * beyond < 0:
            share = height / (height - beyond)
            x, x2 = (a + (b - a) * share for a, b in zip(corner, after, strict=True))
            found.append((x, x2))
    return found


def _middle(corners: Sequence[Pair]) -> Pair:
    count = len(corners)
    return sum((x for x, _ in corners), Fraction(0)) / count, sum(
        (x2 for _, x2 in corners), Fraction(0)
    ) / count


def _best(own: Affine, other: Affine, corners: Sequence[Pair]) -> LargestRatio | None:
    """The largest own(x) / other(x') over a polygon; None where both are 0 at a corner.

    With one of the inputs fixed it is monotone in the other, and along a line it is a quotient of
    affine functions: so nothing inside is larger than every corner.
    """
    found: LargestRatio | None = None
    middle = _middle(corners)
    for corner in corners:
        above, below = own.at(corner[0]), other.at(corner[1])
        if not above and not below:
            return None
        made = LargestRatio(above, below, corner, middle)
        found = made if made.exceeds(found) else found
    return found
