"""The mixture of a window and a sign, above the switch; below it the sign alone."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.window import hybrid_sampler
from ldp_verified.run.program.grid import rounded_hybrid, rounded_sign
from ldp_verified.run.realize.programmed import ProgrammedNumber
from ldp_verified.run.realize.real_numbers.sign import Sign
from ldp_verified.run.realize.real_numbers.window import cells_of, enlarged
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.divergence import of_windows
from ldp_verified.run.realize.tables.fraction_below import below

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.divergence import Masses

MOST_MIXED = 3_000_000_000
"""Cells at most: m^2 + w^2 must be below 2^64."""


class HybridRandomizer(ProgrammedNumber):
    """Piecewise with probability 1 - 1/s, else a random sign; the sign alone below the switch."""

    unbounded_noise = False

    _m: int
    _w: int
    _sign: Sign | None

    @property
    def mixed(self) -> bool:
        """Return whether the claimed epsilon is above the switch, so that there is a window."""
        return self._sign is None

    def _realize(self) -> None:
        mixed = mixing_is_better(self.epsilon)
        found = below(self._power(2), MOST_MIXED) if mixed else None
        m, w = (1, 1) if found is None else enlarged(*found, MOST_MIXED)
        sign = None if mixed else Sign.of(self.epsilon)
        for name, value in (("_m", m), ("_w", w), ("_sign", sign)):
            object.__setattr__(self, name, value)

    @property
    def instance_of(self) -> str:
        """The mechanism of the catalogue with this table: `hybrid`, or `duchi` below the switch."""
        return "hybrid" if self._sign is None else "duchi"

    @property
    def steps(self) -> int:
        """The number m of steps of the grid of inputs; 1 below the switch."""
        return self._m

    @property
    def thresholds(self) -> tuple[int, ...]:
        """m and w; below the switch, of 2^64 words, those that turn the sign."""
        return (self._m, self._w) if self._sign is None else (self._sign.lie,)

    @property
    def worst_ratio(self) -> Fraction:
        """s^2; truth to lie below the switch."""
        return self.s**2 if self._sign is None else self._sign.ratio

    @cached_property
    def s(self) -> Fraction:
        """m/w, at most e^(epsilon/2); 1 below the switch."""
        return Fraction(self._m, self._w)

    @cached_property
    def decoding(self) -> Decoding:
        """Middles of cells, then -B and +B."""
        if self._sign is not None:
            return self._sign.decoding
        b = (self.s**2 + 1) / (self.s**2 - 1)
        cells = cells_of(self.s, self._m + self._w)
        return Decoding(cells.cells, cells.first, cells.step, (-b, b))

    def _mass(self, y: int, i: int) -> Fraction:
        if self._sign is not None:
            return self._sign.mass(y, i)
        m, w = self._m, self._w
        if y >= m + w:
            turned, share = Fraction(w * w, m * m + w * w), Fraction(i, m)
            plus = share * (1 - turned) + (1 - share) * turned
            return Fraction(w, m) * (plus if y == m + w + 1 else 1 - plus)
        inside = i <= y < i + w
        cell = Fraction(m, (m + w) * w) if inside else Fraction(w, (m + w) * m)
        return Fraction(m - w, m) * cell

    def losses(self) -> tuple[Masses, ...]:
        """The masses of classes of reports under the two ends, which are the worst inputs.

        They are worst for the cells (see `WindowRandomizer`) and for the atoms: what delta counts
        of these is a convex function of the two inputs, and 0 where they are equal.
        """
        if self._sign is not None:
            return (self._sign.masses,)
        m, w = self._m, self._w
        cells = of_windows(m, w, self._mass(0, 0), self._mass(0, m))
        atoms = ((self._mass(y, 0), self._mass(y, m)) for y in (m + w, m + w + 1))
        return ((*cells, *atoms),)

    def sampler(self) -> Sampler:
        """Coin, then window or sign; the sign alone below the switch."""
        return hybrid_sampler(self._m, self._w) if self._sign is None else self._sign.sampler()

    def program(self) -> Program:
        """A word for rounding, then coin, and window or sign; the sign alone below the switch."""
        if self._sign is None:
            return rounded_hybrid(self.name, self._m, self._w)
        return rounded_sign(self.name, self._sign.lie)

    def _variance_at(self, x: Fraction) -> Fraction:
        if self._sign is not None:
            return self._sign.b**2 - x**2  # mean x, and the square is always B^2
        return super()._variance_at(x)

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """Return where the spec is instantiated."""
        return (self.s,) if self._sign is None else (self._sign.ratio,)

    @property
    def _lost(self) -> Fraction:
        return (1 - 1 / self.s) * self.decoding.step**2 / 12

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        return (1,)  # constant if mixed; else the choice between the ends comes on top


def mixing_is_better(epsilon: float) -> bool:
    """Return whether 3 s^3 - s^2 + s - 7 > 0 at s = e^(epsilon/2), by ball arithmetic."""

    def attempt() -> bool | None:
        s = (balls.ball(epsilon) / 2).exp()
        value = 3 * s**3 - s**2 + s - 7
        return True if value > 0 else False if value < 0 else None

    return epsilon > 2 or balls.decide(attempt)
