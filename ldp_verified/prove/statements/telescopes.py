"""Finding a polynomial on [0, 1]^n as a sum of steps from one monomial to a smaller one.

On the unit cube x^a >= x^b where b has no smaller exponent than a: their difference is a sum of
products x^c (1 - x_i), one for each power by which b exceeds a. So their number grows with the
degree, where the coefficients of a shifted form grow with its n-th power. Untrusted: the verifier
multiplies out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_verified.prove.certificates.polynomials import Exponents, Poly, add, moved
from ldp_verified.prove.statements.multipliers import Constraint

MOST_MONOMIALS = 64
"""Monomials of a polynomial that is looked at."""

MOST_SPLIT = 4
"""Variables in which a polynomial is cut in two, one after the other."""

Terms = dict[Exponents, int]
"""Powers of the constraints -> how often their product is taken."""


def telescoped(target: Poly, given: Sequence[Constraint]) -> dict[str, Any] | None:
    """Find what `multipliers.combination` finds, by steps; None where they do not make it up.

    Args:
        target: a polynomial over the same variables as the constraints.
        given: what is >= 0.
    """
    cube = _Cube.of(target, given)
    if cube is None or len(target) > MOST_MONOMIALS:
        return None
    for side in (1, -1):
        terms = cube.terms({exponents: side * c for exponents, c in target.items()}, MOST_SPLIT)
        if terms:
            listed = [[weight, [*powers]] for powers, weight in sorted(terms.items())]
            return {"sign": side, "scale": 1, "terms": listed}
    return None


@dataclass(frozen=True)
class _Cube:
    """The places of the constraints x >= 0 and 1 - x >= 0 of each variable among all of them.

    Attributes:
        low, high: place of a variable -> of its constraint; those without one are not there.
        order: the places of variables with both, those first that never reach 1.
        size: the number of constraints.
    """

    low: Mapping[int, int]
    high: Mapping[int, int]
    order: tuple[int, ...]
    size: int

    @classmethod
    def of(cls, target: Poly, given: Sequence[Constraint]) -> _Cube | None:
        """The places; None where a variable of the polynomial may be negative."""
        variables = len(next(iter(target), ()))
        zero = (0,) * variables
        units = [tuple(int(i == j) for j in range(variables)) for i in range(variables)]
        stated = [poly for poly, _ in given]
        low = {i: stated.index({e: 1}) for i, e in enumerate(units) if {e: 1} in stated}
        tops = {i: {zero: 1, e: -1} for i, e in enumerate(units) if i in low}
        high = {i: stated.index(top) for i, top in tops.items() if top in stated}
        if any(e and i not in low for exponents in target for i, e in enumerate(exponents)):
            return None
        order = tuple(sorted(high, key=lambda i: (not given[high[i]][1], i)))
        return cls(low, high, order, len(given))

    def terms(self, goal: Poly, splits: int) -> Terms | None:
        """The products that make up a polynomial; None where it is not seen to be >= 0."""
        found = self._steps(goal)
        if found is not None or splits == 0:
            return found
        # What is linear in x is (1 - x) times its value at 0, and x times its value at 1.
        for i in self.order:
            if max((exponents[i] for exponents in goal), default=0) != 1:
                continue
            at_zero = {exponents: c for exponents, c in goal.items() if not exponents[i]}
            rest = {moved(e, i, -1): c for e, c in goal.items() if e[i]}
            ends = (at_zero, self.high[i]), (add(at_zero, rest), self.low[i])
            parts = [(self.terms(poly, splits - 1), by) for poly, by in ends]
            if all(part is not None for part, _ in parts):
                return {
                    moved(powers, by, 1): weight
                    for part, by in parts
                    for powers, weight in (part or {}).items()
                }
        return None

    def _steps(self, goal: Poly) -> Terms | None:
        """Every monomial that is taken away is made up for by larger ones; None if that fails."""
        left = {exponents: c for exponents, c in goal.items() if c > 0}
        found: Terms = {}
        for lower in sorted((e for e, c in goal.items() if c < 0), key=sum):
            missing = -goal[lower]
            for upper in sorted((e for e in left if self._above(e, lower)), key=sum, reverse=True):
                moved = min(missing, left[upper])
                left[upper] -= moved
                missing -= moved
                for powers in self._path(upper, lower) if moved else ():
                    found[powers] = found.get(powers, 0) + moved
            if missing:
                return None
        for exponents, c in left.items():
            powers = self._powers(exponents)
            found[powers] = found.get(powers, 0) + c
        return {powers: weight for powers, weight in found.items() if weight}

    def _above(self, upper: Exponents, lower: Exponents) -> bool:
        """Return whether one monomial is at least the other on the whole cube."""
        pairs = zip(upper, lower, strict=True)
        return all(a == b or (a < b and i in self.high) for i, (a, b) in enumerate(pairs))

    def _path(self, upper: Exponents, lower: Exponents) -> Iterator[Exponents]:
        """The products x^c (1 - x_i) that sum to the difference of two monomials."""
        at = upper
        for i in self.order:
            for _ in range(lower[i] - upper[i]):
                yield moved(self._powers(at), self.high[i], 1)
                at = moved(at, i, 1)

    def _powers(self, exponents: Exponents) -> Exponents:
        """A monomial as powers of the constraints."""
        powers = [0] * self.size
        for i, e in enumerate(exponents):
            if e:
                powers[self.low[i]] = e
        return tuple(powers)
