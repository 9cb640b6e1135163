"""`--as` for mechanisms of numbers: the intervals of the line that tell two inputs apart best.

The line is cut where the density of either input changes; the sets are those of a likelihood-ratio
threshold over the pieces, for the pair of inputs and the threshold that promise the largest bound.
Densities are evaluated in floating point: they choose the event, the bound does not rest on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from ldp_verified.check.audit.bounds.bounds import Stake, predicted
from ldp_verified.check.audit.events.events import PairEvent
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ldp_verified.language.density import Density
    from ldp_verified.language.noise import Noise

    Floats = NDArray[np.float64]
    Values = Mapping[Any, float]

NEAR = 1e-9
"""Point masses are looked for this close to where they should be, in parts of their size."""

FAR = 1e-12
"""Noise is cut off where less than this is left."""

BETWEEN = 24
"""Cuts between the places where the density changes: likelihood ratios may vary there."""

FEW = 12
"""Inputs of which all pairs are compared; of more, these many from one end to the other."""

SAMPLES = 100_000
"""Events are compared at this many samples."""


@dataclass(frozen=True)
class LineLaw:
    """The outputs of one input.

    Attributes:
        corners: where the density changes or a point mass begins or ends, in order.
        below: P(y < t), for an array of t.
    """

    corners: tuple[float, ...]
    below: Callable[[Floats], Floats]


@dataclass(frozen=True)
class Scale:
    """Map places on the spec's line to places on the target's, and back.

    Attributes:
        start, end: the ends of the spec's inputs.
        low, high: the ends of the target's.
    """

    start: float
    end: float
    low: float
    high: float

    def there(self, value: Any) -> Any:
        """A place on the target's line."""
        share = (value - self.start) / (self.end - self.start)
        return self.low + share * (self.high - self.low)

    def back(self, value: Any) -> Any:
        """A place on the spec's line."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def best_intervals(
    law: Callable[[float], LineLaw], inputs: Sequence[Any], scale: Scale
) -> tuple[PairEvent, float, float]:
    """The event of the best pair and threshold, with the exact probabilities of its sides.

    Args:
        law: of the outputs of an input, on the spec's line.
        inputs: numbers on the target's line.
        scale: between the two.

    Raises:
        ParameterError: an input is no number, out of range, or no pair is told apart.
    """
    for value in inputs:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not scale.low <= value <= scale.high:
            rule = f"must be numbers in {scale.low:g}..{scale.high:g} (--set bounds=LOW..HIGH)"
            raise ParameterError("--inputs", rule, value)
    order = sorted(range(len(inputs)), key=lambda i: float(inputs[i]))
    places = np.unique(np.linspace(0, len(order) - 1, min(len(order), FEW)).round().astype(int))
    chosen = [order[i] for i in places.tolist()]
    laws = {i: law(float(scale.back(inputs[i]))) for i in chosen}
    best, found = -np.inf, None
    for x, x2 in combinations(chosen, 2):
        edges = _edges(laws[x], laws[x2])
        mass, mass2 = (_masses(laws[i], edges) for i in (x, x2))
        for yes, no in _sets(mass, mass2):
            plus = float(mass[yes].sum() + mass2[no].sum()) / len(inputs)
            minus = float(mass2[yes].sum() + mass[no].sum()) / len(inputs)
            at_once = np.array([plus * SAMPLES]), np.array([minus * SAMPLES])
            promise = float(predicted(*at_once, SAMPLES, Stake(), 0.01)[0])
            if promise > best:
                names = [frozenset(f"interval {i}" for i in side.tolist()) for side in (yes, no)]
                feature = "below:" + ",".join(float(scale.there(e)).hex() for e in edges.tolist())
                best, found = promise, (PairEvent(feature, x, x2, *names), plus, minus)
    if found is None:
        raise ParameterError("--inputs", "must be told apart by this mechanism", list(inputs))
    return found


def _edges(one: LineLaw, other: LineLaw) -> Floats:
    corners = np.unique([*one.corners, *other.corners])
    return np.unique(np.concatenate([corners, np.linspace(corners[0], corners[-1], BETWEEN)]))


def _masses(law: LineLaw, edges: Floats) -> Floats:
    """Return the masses of (-inf, first edge), [edge, next edge), ..., [last edge, inf)."""
    return np.diff(np.concatenate([[0.0], law.below(edges), [1.0]]))


def _sets(mass: Floats, mass2: Floats) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The pieces beyond each likelihood ratio that occurs, and those beyond its inverse."""
    some = (mass > NEAR) & (mass2 > NEAR)
    loss = np.zeros(len(mass))
    loss[some] = np.log(mass[some] / mass2[some])
    loss[(mass > NEAR) & (mass2 <= NEAR)] = np.inf
    loss[(mass <= NEAR) & (mass2 > NEAR)] = -np.inf
    bars = np.unique(np.abs(loss).round(9))
    return [
        (np.flatnonzero(loss >= bar - 1e-8), np.flatnonzero(loss <= -bar + 1e-8))
        for bar in bars.tolist()
        if bar > 1e-6
    ]


def of_density(form: Density, values: Values) -> Callable[[float], LineLaw]:
    """The outputs of a stepwise density with point masses.

    Args:
        form: the spec's table.
        values: of its parameters.
    """

    def law(x: float) -> LineLaw:
        def at(expression: Any) -> float:
            return float(expression.subs({**values, form.value: x}))

        pieces = [(at(p.low), at(p.high), at(p.level)) for p in form.pieces]
        atoms = [(at(a.location), at(a.mass)) for a in form.atoms]
        corners = [low for low, _, _ in pieces] + [high for _, high, _ in pieces[-1:]]
        heights = np.cumsum([0.0] + [(high - low) * level for low, high, level in pieces])
        reach = [NEAR * max(1.0, abs(place)) for place, _ in atoms]

        def below(t: Floats) -> Floats:
            found = np.interp(t, corners, heights) if corners else np.zeros(len(t))
            for place, mass in atoms:
                found = found + mass * (t > place)
            return np.asarray(found)

        ends = [p + s * r for (p, _), r in zip(atoms, reach, strict=True) for s in (-1, 1)]
        if not pieces:  # nothing else there: an atom may as well stand somewhere near
            ends = [(p + p2) / 2 for (p, _), (p2, _) in pairwise(atoms)]
        return LineLaw(tuple(sorted([*corners, *ends])), below)

    return law


def of_noise(form: Noise, values: Values) -> Callable[[float], LineLaw]:
    """The outputs of additive noise.

    Args:
        form: the spec's table, without an encoder.
        values: of its parameters.
    """
    from ldp_verified.language.noise import Exponential, Lattice, Normal

    def at(expression: Any) -> float:
        return float(expression.subs(values))

    if isinstance(form.law, Exponential):
        scale = at(form.law.scale)
        return lambda x: LineLaw((x,), lambda t: _laplace((t - x) / scale))
    if isinstance(form.law, Normal):
        scale = at(form.law.scale)
        return lambda x: LineLaw((x,), lambda t: np.asarray(ndtr((t - x) / scale)))
    if isinstance(form.law, Lattice):
        ends = None if form.ends is None else (at(form.ends.low), at(form.ends.high))
        return _lattice(at(form.law.decay), ends)
    pieces = [(at(p.low), at(p.high), at(p.level)) for p in form.law.pieces]
    period, decay = at(form.law.period), at(form.law.decay)
    turns = max(1, min(500, int(log(FAR) / log(decay)) + 1))
    steps = [
        (low + j * period, high + j * period, level * decay**j)
        for j in range(turns)
        for low, high, level in pieces
    ]
    right = [high for _, high, _ in steps]
    heights = np.cumsum([(high - low) * level for low, high, level in steps])
    corners = np.array([-r for r in reversed(right)] + [0.0, *right])
    total = np.concatenate([0.5 - heights[::-1], [0.5], 0.5 + heights])
    near = corners[np.abs(corners) <= 3 * period]

    return lambda x: LineLaw(tuple((x + near).tolist()), lambda t: np.interp(t, x + corners, total))


def _laplace(z: Floats) -> Floats:
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z < 0, tail, 1 - tail)


def _lattice(decay: float, ends: tuple[float, float] | None) -> Callable[[float], LineLaw]:
    """Whole numbers, cut between them; not beyond the ends, which may be written as any number."""

    def law(x: float) -> LineLaw:
        def below(t: Floats) -> Floats:
            z = np.ceil(t) - x  # P(y < t) = P(z <= ceil(t) - 1 - x)
            tail = decay ** np.where(z <= 0, 1 - z, z) / (1 + decay)
            return np.where(z <= 0, tail, 1 - tail)

        low, high = ends or (-inf, inf)
        return LineLaw(tuple(c for c in (x - 0.5, x + 0.5) if low < c < high), below)

    return law
