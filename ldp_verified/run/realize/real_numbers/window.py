"""A high step of cells that moves with the input, and the piecewise mechanism as one."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.window import window_sampler
from ldp_verified.run.program.grid import rounded_window
from ldp_verified.run.realize.programmed import ProgrammedNumber
from ldp_verified.run.realize.tables.divergence import of_windows
from ldp_verified.run.realize.tables.fraction_below import below

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.divergence import Masses

MOST_CELLS = (1 << 32) - 2
"""Cells of a window mechanism: reports are numbers of 32 bits."""


class WindowRandomizer(ProgrammedNumber):
    """A high step of w cells at the input, among m + w cells.

    The window has probability inside/total.
    """

    unbounded_noise = False

    _m: int
    _w: int
    _inside: int
    _total: int

    def _set(self, m: int, w: int, inside: int, total: int) -> None:
        for name, value in (("_m", m), ("_w", w), ("_inside", inside), ("_total", total)):
            object.__setattr__(self, name, value)

    @property
    def steps(self) -> int:
        """The number m of steps of the grid of inputs."""
        return self._m

    @property
    def window(self) -> int:
        """w, the cells of the high step."""
        return self._w

    @property
    def thresholds(self) -> tuple[int, ...]:
        """m, w, and the probability of the window as two integers."""
        return self._m, self._w, self._inside, self._total

    @property
    def worst_ratio(self) -> Fraction:
        """A cell of the window to another one."""
        return Fraction(self._inside * self._m, (self._total - self._inside) * self._w)

    def _mass(self, y: int, i: int) -> Fraction:
        if i <= y < i + self._w:
            return Fraction(self._inside, self._total * self._w)
        return Fraction(self._total - self._inside, self._total * self._m)

    def losses(self) -> tuple[Masses, ...]:
        """The two ends: what delta counts grows with the cells that are in one window only."""
        inside = Fraction(self._inside, self._total * self._w)
        outside = Fraction(self._total - self._inside, self._total * self._m)
        return (of_windows(self._m, self._w, inside, outside),)

    def sampler(self) -> Sampler:
        """The sampler, which draws a choice and a cell."""
        return window_sampler(self._m, self._w, self._inside, self._total)

    def program(self) -> Program:
        """A word for rounding, then choice and cell."""
        return rounded_window(self.name, self._m, self._w, self._inside, self._total)


class PiecewiseRandomizer(WindowRandomizer):
    """The piecewise mechanism at s = m/w: the window has probability m/(m + w)."""

    def _realize(self) -> None:
        found = below(self._power(2), MOST_CELLS)
        if found is None:
            raise ParameterError("epsilon", "must be at least 2^-30", self.epsilon)
        m, w = enlarged(*found, MOST_CELLS)
        self._set(m, w, m, m + w)

    @cached_property
    def s(self) -> Fraction:
        """m/w, at most e^(epsilon/2)."""
        return Fraction(self._m, self._w)

    @cached_property
    def decoding(self) -> Decoding:
        """Middles of m + w equal cells of [-C, C]."""
        return cells_of(self.s, self._m + self._w)

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """Return where the spec is instantiated."""
        return (self.s,)

    @property
    def _lost(self) -> Fraction:
        return self.decoding.step**2 / 12  # the spread within a cell

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        return (1,)


def cells_of(s: Fraction, cells: int) -> Decoding:
    """The middles of equal cells of [-C, C], with C = (s + 1)/(s - 1)."""
    c = (s + 1) / (s - 1)
    step = 2 * c / cells
    return Decoding(cells, -c + step / 2, step)


def enlarged(m: int, w: int, most: int) -> tuple[int, int]:
    """Multiply m and w by one factor, so that the grid is as fine as fits."""
    factor = most // (m + w)
    return m * factor, w * factor
