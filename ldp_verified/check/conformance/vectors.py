"""Protocols about vectors, against their spec: SHE's numbers, Duchi's corners, public directions.

`spec/she.py` has one number of a report, `spec/duchi_vector.py` corners of two signs and one
coordinate, and `spec/sphere_vector.py` the classes of two sets of directions. The tables are
written out here, for vectors of any length, from their definition.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from scipy.integrate import quad

from ldp_verified.check.conformance.numeric import NumericSubject
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)
from ldp_verified.language.forms import Line
from ldp_verified.language.loader import load
from ldp_verified.run.kernels.directions import normals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.protocols import SHE, DuchiVector, SphereVector

HELD = 0
"""What all users of SHE hold in the scene of whole reports."""


def she_subject(made: SHE) -> ProtocolSubject:
    """Numbers of the own bit and of another, k of them together, and sums."""
    number = _number(made)
    return ProtocolSubject(repr(made), (_sums(made, number),), (number,))


def _number(made: SHE) -> NumericSubject:
    """The number of value 0, of users who hold it (share 1) or the last value (share 0)."""
    spec = next(m for m in load("she") if m.name == "she_grid")
    form = spec.algebraic_table
    assert isinstance(form, Line)
    alpha, m, reach = made.number.variables
    values = {"alpha": alpha, "m": m, "L": reach, "k": Fraction(made.k)}
    point = {s: values[s.name] for s in spec.variables if s.name in values}

    def draw(shares: NDArray[np.float64], rng: np.random.Generator | None) -> NDArray[Any]:
        held = np.where(shares > 0, 0, made.k - 1)
        return made.privatize(held, rng).data[:, 0]

    ends = (Fraction(0), Fraction(1))
    return NumericSubject(
        repr(made), draw, form, point, made.number.steps, made.number.decoding, ends
    )


def _sums(made: SHE, number: NumericSubject) -> Scene:
    """Return the scene that counts which of a report's independent numbers exceed 1/2."""
    d = number.decoding
    chances, spreads = [], []
    for share in number.shares:
        ((_, mine),) = number.laws(share)
        above = mine.between(Fraction(1, 2), d.first + d.cells * d.step) + mine.at(d.atoms[1])
        chances.append(Fraction(above))
        spreads.append(mine.square - mine.mean**2)
    ups = [chances[v == HELD] for v in range(made.k)]
    masses = {}
    for bits in product((0, 1), repeat=made.k):
        pairs = zip(bits, ups, strict=True)
        masses["".join(map(str, bits))] = math.prod(p if b else 1 - p for b, p in pairs)
    look = law("numbers above 1/2, jointly", {k: Fraction(v) for k, v in masses.items()})
    names = [*(f"estimate of {v}" for v in range(made.k)), "standard error"]
    looks = (look, estimates_look(names))

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        reports = made.privatize(np.full(users, HELD), rng)
        ends = np.array([float(a) for a in d.atoms])
        given = reports.data.astype(np.int64)
        inner = float(d.first) + given * float(d.step)
        values = np.where(given < d.cells, inner, ends[np.clip(given - d.cells, 0, 1)])
        codes = ((values >= 0.5) << np.arange(made.k)[::-1]).sum(axis=1)
        valid = np.all(given < d.outputs, axis=1)
        estimate = made.aggregate(reports, simulated=reports.simulated).estimate()
        error = math.sqrt(users * spreads[0])
        found = [*estimate.counts.tolist(), float(estimate.std_error[0])]
        return [
            tallied(np.where(valid, codes, -1), look),
            differing(found, [*values.sum(axis=0), error], users),
        ]

    return Scene("sums", looks, run, BULK_SHARE, BULK_LIMIT)


def duchi_vector_subject(made: DuchiVector) -> ProtocolSubject:
    """Corners of vectors at the ends of the bounds and between, and means."""
    return ProtocolSubject(repr(made), (_corners(made),))


def corner_masses(d: int, u: Fraction, shares: tuple[Fraction, ...]) -> dict[str, Fraction]:
    """P(corner | vector): coordinate j lies shares[j] of the way between the bounds.

    A corner that agrees with the drawn signs in more than half of them has u times the chance of
    any other one. Corners are written lowest coordinate first, + for the upper bound.
    """
    signs = list(product((0, 1), repeat=d))
    near = [[2 * sum(a == b for a, b in zip(v, t, strict=True)) > d for t in signs] for v in signs]
    total = u * sum(near[0]) + 2**d - sum(near[0])
    found = dict.fromkeys(signs, Fraction(0))
    for v, row in zip(signs, near, strict=True):
        chance = math.prod(s if sign else 1 - s for sign, s in zip(v, shares, strict=True))
        for t, inside in zip(signs, row, strict=True):
            found[t] += chance * (u if inside else 1) / total
    return {"".join("-+"[s] for s in t): mass for t, mass in found.items()}


def _corners(made: DuchiVector) -> Scene:
    d, (low, high) = made.d, made.bounds
    vectors = (
        (Fraction(0),) * d,
        tuple(Fraction(j % 2) for j in range(d)),
        tuple(Fraction(2 * j + 1, 8) if 2 * j < 8 else Fraction(1, 2) for j in range(d)),
    )
    looks = [
        law(f"corners, coordinates at {', '.join(map(str, v))}", corner_masses(d, made.u, v))
        for v in vectors
    ]
    names = [f"{what} of coordinate {j}" for what in ("mean", "error") for j in range(d)]
    length = _length(made)
    estimates = estimates_look(names)

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found = []
        batches = []
        for look, vector in zip(looks, vectors, strict=True):
            place = np.array([low + (high - low) * float(s) for s in vector])
            batches.append(made.privatize(np.tile(place, (users, 1)), rng))
            data = batches[-1].data
            codes = (_bits(data, d) << np.arange(d)[::-1]).sum(axis=1)
            found.append(tallied(np.where(data >> np.uint64(d) == 0, codes, -1), look))
        reports = batches[-1]
        share = 2 * _bits(reports.data, d).mean(axis=0) - 1
        half = (high - low) / 2
        estimate = made.mean_estimate(reports, simulated=reports.simulated)
        means = low + half * (1 + length * share)
        # Beyond a bound, the error is that of users at the bound.
        known = np.clip(share, -1 / length, 1 / length)
        errors = length * half * np.sqrt((1 - known**2) / users)
        stated = [*estimate.means, *estimate.std_errors]
        return [*found, differing(stated, [*means, *errors], users)]

    return Scene("corners", (*looks, estimates), run, BULK_SHARE, BULK_LIMIT)


def _bits(data: NDArray[Any], d: int) -> Codes:
    """Coordinate j of each corner is bit j: 1 for the upper bound."""
    bits = data[:, np.newaxis] >> np.arange(d, dtype=np.uint64) & np.uint64(1)
    return np.asarray(bits.astype(np.int64))


def _length(made: DuchiVector) -> float:
    """B, by which one report of a corner becomes unbiased: 1/(P(+ | +) - P(- | +))."""
    own = corner_masses(made.d, made.u, (Fraction(1),) * made.d)
    up = sum((mass for corner, mass in own.items() if corner[0] == "+"), Fraction(0))
    return float(1 / (2 * up - 1))


def sphere_vector_subject(made: SphereVector) -> ProtocolSubject:
    """Test which direction is named, by nearness, of vectors of all lengths; and means."""
    return ProtocolSubject(repr(made), (_named(made),))


def rank_masses(ranks: int, favoured: int, u: Fraction, length: Fraction) -> dict[str, Fraction]:
    """P(the direction of this rank is named), of a vector that is `length` of the radius long.

    Ranks are by nearness to the vector. It is turned round with probability (1 - length)/2, and the
    nearest direction is the farthest one then.
    """
    total = favoured * u + ranks - favoured
    mine = [(u if rank < favoured else 1) / total for rank in range(ranks)]
    kept = (1 + length) / 2
    return {str(r): kept * mine[r] + (1 - kept) * mine[ranks - 1 - r] for r in range(ranks)}


def _named(made: SphereVector) -> Scene:
    d, ranks = made.d, 2 * int(made.lines or 1)
    first = np.eye(d)[0]
    axis = np.where(np.arange(d) % 2, -1.0, 2.0)
    axis /= np.linalg.norm(axis)
    lengths = (Fraction(1), Fraction(1, 4), Fraction(0))
    looks = [
        law(f"directions, length {x}", rank_masses(ranks, made.favoured, made.u, x))
        for x in lengths
    ]
    names = [f"{what} of coordinate {j}" for what in ("mean", "error") for j in range(d)]
    estimates, gain, square = estimates_look(names), _moment(made, 1), _moment(made, 2)
    across = (1 - square) / max(1, d - 1)

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found, batches, pointed = [], [], []
        for look, length in zip(looks, lengths, strict=True):
            held = np.tile(axis * made.radius * float(length), (users, 1))
            batches.append(made.privatize(held, rng))
            read = _read(batches[-1].data, ranks, d, axis if length else first)
            pointed.append(read[0])
            found.append(tallied(read[1], look))
        reports, sent = batches[-1], pointed[-1]
        estimate = made.mean_estimate(reports, simulated=reports.simulated)
        nearest = np.clip(sent.mean(axis=0) / gain, -1, 1)
        least = across + (square - across - gain**2) * nearest**2
        errors = np.sqrt(np.maximum(sent.var(axis=0), least) / users)
        stated = np.concatenate([estimate.means, estimate.std_errors]) / made.radius
        right = np.concatenate([sent.mean(axis=0), errors]) / gain
        return [*found, differing(stated.tolist(), right.tolist(), users)]

    return Scene("directions", (*looks, estimates), run, BULK_SHARE, BULK_LIMIT)


def _read(
    data: NDArray[Any], ranks: int, d: int, axis: NDArray[np.float64]
) -> tuple[NDArray[np.float64], Codes]:
    """The directions that reports name, and the rank of each by nearness to an axis; -1 if none."""
    seeds, chosen = data >> np.uint64(8), (data & np.uint64(255)).astype(np.int64)
    valid = chosen < ranks
    chosen = np.where(valid, chosen, 0)
    near = np.empty((len(data), ranks))
    pointed = np.zeros((len(data), d))
    for j in range(ranks // 2):
        units = _unit(seeds, j, d)
        near[:, 2 * j] = units @ axis
        near[:, 2 * j + 1] = -near[:, 2 * j]
        mine = chosen // 2 == j
        pointed[mine] = units[mine] * (1 - 2 * (chosen[mine] % 2))[:, np.newaxis]
    own = np.take_along_axis(near, chosen[:, np.newaxis], axis=1)
    return pointed, np.where(valid, (near > own).sum(axis=1), -1)


def _moment(made: SphereVector, power: int) -> float:
    """The mean inner product of a unit vector and what is named, or the mean of its square.

    It is made of that of a line and of the others' ranks. The square of an inner product is
    Beta(1/2, (d - 1)/2), and a line is favoured where at most m - 1 of the other lines are nearer.
    """
    lines = int(made.lines or 1)
    if made.d == 1:
        gain = float((made.u - 1) * made.favoured * made.pmf(2 * lines - 1))
        return gain if power == 1 else 1.0
    square = stats.beta(0.5, (made.d - 1) / 2)

    def held(t: float) -> float:
        others = stats.binom.cdf(made.favoured - 1, lines - 1, square.sf(t * t))
        return float(t**power * others * square.pdf(t * t) * 2 * t)

    total = quad(held, 0.0, 1.0, epsabs=1e-13, epsrel=1e-12, limit=500)[0]
    # Each direction is named with a small chance at least; of these only squares add up.
    every = 2 * lines / made.d if power == 2 else 0.0
    more = float(made.u - 1)
    return (more * lines * total + every) / (more * made.favoured + 2 * lines)


def _unit(seeds: NDArray[np.uint64], line: int, d: int) -> NDArray[np.float64]:
    """The unit vectors of one line of each seed, which are public."""
    own = normals(seeds, np.full(len(seeds), line, dtype=np.uint64), d).astype(np.float64)
    return np.asarray(own / np.linalg.norm(own, axis=1, keepdims=True))
