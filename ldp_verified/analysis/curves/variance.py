"""Variance of an estimated count against eps or k, for every mechanism that has one in eps and k.

A further size (the g of OLH, omega, a prime) is set to the best one at f = 0, for every point anew:
`analysis/curves/sizes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from scipy.optimize import brentq

from ldp_verified.analysis.curves.sizes import best_sizes
from ldp_verified.derive import Facts
from ldp_verified.errors import ParameterError
from ldp_verified.language import SameTable, f, n
from ldp_verified.run.realize.parameters import check_share, exact_number
from ldp_verified.run.realize.values import value_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.language import Mechanism

SIZE = "k"


SAME = 1e-9
"""Variances closer than this share are not told apart: many mechanisms have a table in common."""


@dataclass(frozen=True)
class Crossing:
    """A point where one mechanism's variance rises above another's.

    Attributes:
        at: the value of eps or k. variance: per user, there.
        before, after: the mechanism of less variance to the left, and to the right.
        best: whether they are the best of all there. once: whether the two cross nowhere else;
            sizes that are integers make some curves touch again and again.
    """

    at: float
    variance: float
    before: str
    after: str
    best: bool = True
    once: bool = True


@dataclass(frozen=True)
class VarianceCurves:
    """Variance per user of an estimated count.

    Attributes:
        against: "epsilon" or "k". points: its values, increasing, shape (m,). fixed: the value of
            the other. share: f.
        values: mechanism -> variance per user, shape (m,).
        evaluate: mechanism -> variance per user at one point.
    """

    against: str
    points: NDArray[np.float64]
    fixed: float
    share: float
    values: dict[str, NDArray[np.float64]]
    evaluate: dict[str, Callable[[float], float]]

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Return where two curves cross, between the points too: the changes of the best one first.

        Two crossings of one pair between neighbouring points are not seen.
        """
        lowest = np.array([*self.values.values()]).min(axis=0)
        found = []
        for one, other in combinations(self.values, 2):
            made = [*self._crossings(one, other, lowest)]
            found += [replace(each, once=len(made) == 1) for each in made]
        found.sort(key=lambda c: (not c.best, not c.once, c.variance))
        return tuple(found)

    def _crossings(self, one: str, other: str, lowest: NDArray[np.float64]) -> Iterator[Crossing]:
        """Yield the crossings of two curves, from left to right."""
        gaps = self.values[one] - self.values[other]
        apart = np.flatnonzero(np.abs(gaps) > SAME * self.values[one])
        for i, j in pairwise(apart):
            if (gaps[i] > 0) == (gaps[j] > 0):
                continue
            before, after = (one, other) if gaps[i] < 0 else (other, one)

            def gap(x: float, before: str = before, after: str = after) -> float:
                return self.evaluate[before](x) - self.evaluate[after](x)

            at = float(self.points[i + 1])
            if j == i + 1:
                at = float(brentq(gap, float(self.points[i]), at, xtol=1e-12))
            best = all(
                self.values[name][place] <= lowest[place] * (1 + SAME)
                for name, place in ((before, i), (after, j))
            )
            yield Crossing(at, self.evaluate[after](at), before, after, best)


def variance_curves(
    mechanisms: Iterable[Mechanism], against: str, points: Any, fixed: float, share: float = 0.0
) -> VarianceCurves:
    """Evaluate the derived variance of every mechanism that has one in eps and k alone.

    Args:
        mechanisms: those without eps, without k, with further parameters that are not sizes to
            choose, with a tight epsilon other than eps, or with the table of another mechanism are
            left out.
        against: "epsilon" or "k".
        points: increasing values of it, shape (m,); eps > 0, k >= 2.
        fixed: the value of the other one.
        share: f, the share of users who hold the value.

    Raises:
        ParameterError: a value out of range, or no mechanism is left.
    """
    grid = _increasing(points)
    if exact_number(fixed) is None:
        raise ParameterError("fixed", "must be a finite number", fixed)
    check_share("share", share)
    if against not in ("epsilon", SIZE):
        raise ParameterError("against", "must be epsilon or k", against)
    epsilons, sizes = (grid, [fixed]) if against == "epsilon" else ([fixed], grid)
    if not all(0 < e < 300 for e in epsilons):
        raise ParameterError("epsilon", "must lie between 0 and 300", [*epsilons])
    if not all(size >= 2 for size in sizes):
        raise ParameterError(SIZE, "must be at least 2", [*sizes])
    functions = {}
    for mechanism in mechanisms:
        made = _function(mechanism, share)
        if made is not None:
            functions[mechanism.name] = made
    if not functions:
        raise ParameterError("mechanisms", "must have a variance in eps and k", [*mechanisms])
    evaluate = {name: _along(made, against, fixed) for name, made in functions.items()}
    values = {name: np.array([g(x) for x in grid]) for name, g in evaluate.items()}
    return VarianceCurves(against, grid, fixed, share, values, evaluate)


def _increasing(points: Any) -> NDArray[np.float64]:
    rule = "must be at least two increasing numbers"
    grid = value_array(points, "points", ParameterError)
    if grid.dtype.kind not in "iuf" or grid.ndim != 1 or len(grid) < 2:
        raise ParameterError("points", rule, points)
    found = grid.astype(np.float64)
    if not np.all(np.diff(found) > 0):
        raise ParameterError("points", rule, points)
    return found


def _along(
    made: Callable[[float, float], float], against: str, fixed: float
) -> Callable[[float], float]:
    """The function of (eps, k) with one of them fixed."""
    if against == "epsilon":
        return lambda x: made(x, fixed)
    return lambda x: made(fixed, x)


def _function(mechanism: Mechanism, share: float) -> Callable[[float, float], float] | None:
    """(eps, k) -> variance per user at f = share."""
    facts = Facts(mechanism)
    eps = mechanism.generator.eps
    names = {p.name: p for p in mechanism.parameters}
    if eps is None or SIZE not in names or facts.variance is None:
        return None
    # Another name of a table in the catalogue, or another meaning of eps, is nothing to compare.
    if facts.epsilon != eps or any(isinstance(c, SameTable) for c in mechanism.claims):
        return None
    value = facts.variance.subs({n: 1, f: sympy.Rational(share)})
    u, k = mechanism.generator.symbol, names[SIZE]
    tuned = sorted(facts.variance.subs({n: 1}).free_symbols - {u, k, f}, key=str)
    arguments = [u, k, *tuned]
    plain = sympy.lambdify(arguments, value, "math")
    at_zero = sympy.lambdify(arguments, facts.variance.subs({n: 1, f: 0}), "math")
    sizes = best_sizes(facts, tuned, at_zero)
    if sizes is None:
        return None
    root = mechanism.generator.root

    def evaluate(epsilon: float, size: float) -> float:
        at = float(np.exp(epsilon / root))
        return float(plain(at, size, *sizes(at, size)))

    return evaluate
