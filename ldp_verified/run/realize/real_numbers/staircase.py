"""Staircase noise on a grid: the number to a grid point, the report a cell.

A period of the noise is the width of the interval, m cells. Cells far out are folded: two reports
on each side stand for numbers a period apart, and share what is beyond so that its mean is kept for
every input. So a report is unbiased, though it is one of finitely many.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil, exp
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.alias_noise import staircase_noise_sampler
from ldp_verified.run.kernels.noise import BASE, MOST_CELLS
from ldp_verified.run.kernels.staircase import staircase_sampler
from ldp_verified.run.program.staircase import staircase_noise
from ldp_verified.run.realize.programmed import ProgrammedNumber
from ldp_verified.run.realize.real_numbers.geometric import FAR, rate_of
from ldp_verified.run.realize.tables import balls

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.divergence import Masses

LEAST_STEPS, MOST_STEPS = 64, 1 << 26
"""Steps of the grid."""


class StaircaseRandomizer(ProgrammedNumber):
    """Staircase noise at the g of least variance, to a multiple of 1/m."""

    unbounded_noise = True

    _m: int
    _w: int
    _periods: int
    _share: int

    def _realize(self) -> None:
        share = balls.decide(
            lambda: balls.ceil_scaled((-balls.ball(self.epsilon)).exp(), BASE),
        )
        if share >= 1 << BASE:
            raise ParameterError("epsilon", f"must be at least 2^-{BASE}", self.epsilon)
        rate = rate_of(share)
        # At least 3 periods: so what is beyond weighs nothing even beside the least variance.
        periods = max(3, ceil(FAR / rate))
        room = (MOST_CELLS - 4) // (2 * periods + 1)
        m = min(room, MOST_STEPS, max(LEAST_STEPS, ceil(32 * exp(min(rate, 44) / 3))))
        if m < 2:
            raise ParameterError("epsilon", "must be at least 2^-24", self.epsilon)
        w = min(m - 1, max(1, round(best_step(exp(-rate)) * m)))
        for name, value in (("_m", m), ("_w", w), ("_periods", periods), ("_share", share)):
            object.__setattr__(self, name, value)

    @property
    def steps(self) -> int:
        """The number m of steps of the grid of inputs."""
        return self._m

    @property
    def g(self) -> Fraction:
        """The share of a period with the higher density."""
        return Fraction(self._w, self._m)

    @property
    def decay(self) -> Fraction:
        """The factor by which noise is less likely that is a period larger."""
        return Fraction(self._share, 1 << BASE)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """m, w, periods before noise is folded, and the decay in units of 2^-63."""
        return self._m, self._w, self._periods, self._share

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(y|x)/P(y|x'), 1/decay."""
        return 1 / self.decay

    @cached_property
    def decoding(self) -> Decoding:
        """Middles of cells, then far below, below, above and far above."""
        m, far, h = self._m, self._periods, Fraction(2, self._m)
        cells = (2 * far + 1) * m
        beyond = 2 * self.decay / (1 - self.decay)
        high = 2 * far + 1 + h / 2 + beyond
        return Decoding(cells, -2 * far - 1 + h / 2, h, (-high - 2, -high, high, high + 2))

    def _mass(self, y: int, i: int) -> Fraction:
        # Where noise is folded, sums over a period.
        cells, m = self.decoding.cells, self._m
        if y < cells:
            return self._cell(y - self._periods * m - i)
        # By symmetry, the noise above m - i is that below i.
        start = m * (self._periods + 1) - (i if y >= cells + 2 else m - i)
        far = y in (cells, cells + 3)
        masses = [self._cell(start + j) / (1 - self.decay) for j in range(m)]
        shares = (Fraction(j if far else m - j, m) for j in range(m))
        return sum((p * s for p, s in zip(masses, shares, strict=True)), Fraction(0))

    def _cell(self, place: int) -> Fraction:
        """The mass of one cell of noise; cells 0, 1, ... are above, -1, -2, ... below."""
        b, g = self.decay, self.g
        periods, rest = divmod(place if place >= 0 else -1 - place, self._m)
        first = (1 - b) / (2 * self._m * (g + (1 - g) * b))
        return first * b ** (periods + (rest >= self._w))

    def losses(self) -> tuple[Masses, ...]:
        """The two ends, a period apart.

        Take noise that is symmetric and falls away from its centre. The excess of each output on
        the input's side of the middle grows with the distance of the other input. Other outputs add
        nothing to delta, so the ends are worst. Where noise is folded, one ratio is.
        """
        m, w, b = self._m, self._w, self.decay
        high, low = self._cell(0), self._cell(m - 1)
        own, half = min(w, m - w), Fraction(1, 2)
        rest = (m - 2 * own) * (high if w > m - w else low)
        above = own * high + half, own * low + half * b
        return ((above, (rest, rest), above[::-1]),)

    def sampler(self) -> Sampler:
        """The sampler: an alias table, or what `plain_sampler` makes where it were too large."""
        return staircase_noise_sampler(self._m, self._w, self._periods, self._share)

    def plain_sampler(self) -> Sampler:
        """Side, periods, cell, end: the words of `program`, but for the one that rounds."""
        return staircase_sampler(self._m, self._w, self._periods, self._share)

    def program(self) -> Program:
        """A word for rounding, then side, periods, cell, end."""
        plain = self.plain_sampler()
        cuts, sizes = plain.cuts, plain.sizes
        inner, weight, kept = cuts[5:8]
        grid = (self._m, self._w, self._periods)
        return staircase_noise(self.name, grid, (inner, weight, kept), cuts[8:], sizes[4:])

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """e^epsilon and g of the spec."""
        return (1 / self.decay, self.g)

    @property
    def _lost(self) -> Fraction:
        # The spread within a cell. Folding moves the variance by less than a share 2^-60.
        return self.decoding.step**2 / 12

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        return (0,)  # the same for all


def best_step(b: float) -> float:
    """The g of least variance at decay b: Geng, Kairouz, Oh, Viswanath (2015), in double precision.

    Any g is as private, and its variance is stated as it is: this one only makes it small.
    """
    if b > 0.99:
        return 0.5 - (1 - b) / 12  # the formula cancels there
    cube = (b - 2 * b**2 + 2 * b**4 - b**5) / 2
    return float((-b * (1 - b) + cube ** (1 / 3)) / (1 - b) ** 2)
