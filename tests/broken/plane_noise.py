"""Noise on a grid that is not private by distance, as exact laws of a report."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

from ldp_verified.protocols import PlaneNoise
from ldp_verified.protocols.plane_noise import Cell

Law = Callable[[PlaneNoise, Cell], dict[Cell, Fraction]]


def grid(made: PlaneNoise) -> list[Cell]:
    """All cells."""
    return list(itertools.product(range(made.columns), range(made.rows)))


def honest(made: PlaneNoise, x: Cell) -> dict[Cell, Fraction]:
    """The package's own law."""
    return {y: made.pmf(y, x) for y in grid(made)}


def one_axis(made: PlaneNoise, x: Cell) -> dict[Cell, Fraction]:
    """Noise on the columns alone."""
    found: dict[Cell, Fraction] = {}
    for y, chance in honest(made, x).items():
        at = y[0], x[1]
        found[at] = found.get(at, Fraction(0)) + chance
    return found


def same_noise(made: PlaneNoise, x: Cell) -> dict[Cell, Fraction]:
    """One noise for both axes: reports lie on a diagonal of the place."""
    found: dict[Cell, Fraction] = {}
    a = made.axes[0].alpha
    for z in range(-made.columns, made.columns + 1):
        y = (
            min(max(x[0] + z, 0), made.columns - 1),
            min(max(x[1] + z, 0), made.rows - 1),
        )
        found[y] = found.get(y, Fraction(0)) + (1 - a) / (1 + a) * a ** abs(z)
    total = sum(found.values())
    return {y: chance / total for y, chance in found.items()}


def drawn_again(made: PlaneNoise, x: Cell) -> dict[Cell, Fraction]:
    """Draws until the report lies on the grid, so that edges show in how much is left."""
    a = made.axes[0].alpha
    found = {y: a ** (abs(x[0] - y[0]) + abs(x[1] - y[1])) for y in grid(made)}
    total = sum(found.values())
    return {y: chance / total for y, chance in found.items()}


def half_the_noise(made: PlaneNoise, x: Cell) -> dict[Cell, Fraction]:
    """Noise of twice epsilon."""
    return honest(PlaneNoise(2 * made.epsilon, made.columns, made.rows), x)


LEAKY: dict[str, Law] = {
    "one axis": one_axis,
    "the same noise": same_noise,
    "drawn again": drawn_again,
    "half the noise": half_the_noise,
}
"""What is wrong -> the law of a report."""
