"""Variance of an estimated count against eps or k, for every mechanism that has one in eps and k.

A further integer parameter (the g of OLH) is set to the better of the two integers around the value
that is derived as best at f = 0, for every point anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from scipy.optimize import brentq

from ldp_verified.derive import Facts
from ldp_verified.errors import ParameterError
from ldp_verified.language import f, n

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.language import Mechanism

SIZE = "k"


@dataclass(frozen=True)
class Crossing:
    """Where another mechanism becomes the one of least variance.

    Attributes:
        at: the value of eps or k. variance: per user, there. before, after: the mechanisms.
    """

    at: float
    variance: float
    before: str
    after: str


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
        """Where the mechanism of least variance changes, between the points too.

        Two changes between neighbouring points are not seen.
        """
        names = list(self.values)
        table = np.array([self.values[name] for name in names])
        best = table.argmin(axis=0)
        found = []
        for i in np.flatnonzero(best[1:] != best[:-1]):
            before, after = names[best[i]], names[best[i + 1]]
            low, high = float(self.points[i]), float(self.points[i + 1])

            def gap(x: float, before: str = before, after: str = after) -> float:
                return self.evaluate[before](x) - self.evaluate[after](x)

            at = low if gap(low) == 0 else float(brentq(gap, low, high, xtol=1e-12))
            found.append(Crossing(at, self.evaluate[after](at), before, after))
        return tuple(found)


def variance_curves(
    mechanisms: Iterable[Mechanism], against: str, points: Any, fixed: float, share: float = 0.0
) -> VarianceCurves:
    """Evaluate the derived variance of every mechanism that has one in eps and k alone.

    Args:
        mechanisms: those without eps, without k or with further real parameters are left out.
        against: "epsilon" or "k".
        points: increasing values of it, shape (m,); eps > 0, k >= 2.
        fixed: the value of the other one.
        share: f, the share of users who hold the value.

    Raises:
        ParameterError: a value out of range, or no mechanism is left.
    """
    grid = np.asarray(points, dtype=np.float64)
    if against not in ("epsilon", SIZE):
        raise ParameterError("against", "must be epsilon or k", against)
    if grid.ndim != 1 or len(grid) < 2 or np.any(np.diff(grid) <= 0):
        raise ParameterError("points", "must be at least two increasing numbers", points)
    epsilons, sizes = (grid, [fixed]) if against == "epsilon" else ([fixed], grid)
    if not all(0 < e < 300 for e in epsilons):
        raise ParameterError("epsilon", "must lie between 0 and 300", [*epsilons])
    if not all(size >= 2 for size in sizes):
        raise ParameterError(SIZE, "must be at least 2", [*sizes])
    if not 0 <= share <= 1:
        raise ParameterError("share", "must lie in [0, 1]", share)
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
    value = facts.variance.subs({n: 1, f: sympy.Rational(share)})
    u, k = mechanism.generator.symbol, names[SIZE]
    tuned = sorted(value.free_symbols - {u, k}, key=str)
    if any(s not in facts.optimal_parameters or not s.domain.integer for s in tuned):
        return None
    plain = sympy.lambdify([u, k, *tuned], value, "math")
    best = [sympy.lambdify([u, k], facts.optimal_parameters[s], "math") for s in tuned]
    root = mechanism.generator.root

    def evaluate(epsilon: float, size: float) -> float:
        at = float(np.exp(epsilon / root))
        choices: list[tuple[float, ...]] = [()]
        for symbol, found in zip(tuned, best, strict=True):
            real = found(at, size)
            near = [float(np.floor(real)), float(np.ceil(real))]
            given = {k: sympy.Float(size), u: sympy.Float(at)}
            inside = [x for x in near if _contains(symbol, x, given)]
            choices = [(*c, x) for c in choices for x in inside or near[:1]]
        return min(float(plain(at, size, *choice)) for choice in choices)

    return evaluate


def _contains(symbol: Any, value: float, given: dict[Any, Any]) -> bool:
    return bool(symbol.domain.contains(sympy.Integer(int(value)), given))
