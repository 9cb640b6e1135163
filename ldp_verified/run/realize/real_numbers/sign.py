"""Duchi's mechanism on integers: a sign that may be turned."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.program.grid import rounded_sign
from ldp_verified.run.realize.programmed import ProgrammedNumber
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import WIDTH

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.divergence import Masses


@dataclass(frozen=True)
class Sign:
    """Two outputs, -B and +B: the value rounded to one end, then turned with a small probability.

    Attributes:
        lie: of 2^64 words, those that turn the sign.
    """

    lie: int

    @classmethod
    def of(cls, epsilon: float) -> Sign:
        """The sign mechanism of this epsilon, or of one just below it.

        Raises:
            ParameterError: words are too coarse for so small an epsilon.
        """
        lie = _lie(epsilon)
        if 2 * lie >= 1 << WIDTH:
            raise ParameterError("epsilon", "must be at least 2^-60", epsilon)
        return cls(lie)

    @property
    def ratio(self) -> Fraction:
        """u: truth to lie."""
        return Fraction((1 << WIDTH) - self.lie, self.lie)

    @property
    def b(self) -> Fraction:
        """B = (u + 1)/(u - 1)."""
        return (self.ratio + 1) / (self.ratio - 1)

    @property
    def decoding(self) -> Decoding:
        """Report 0 is -B, report 1 is +B."""
        return Decoding(0, Fraction(0), Fraction(0), (-self.b, self.b))

    @property
    def masses(self) -> Masses:
        """Return the probabilities of both reports, under the lower end and the upper one."""
        return tuple((self.mass(y, 0), self.mass(y, 1)) for y in (0, 1))

    def mass(self, y: int, i: int) -> Fraction:
        """P(report y | end i)."""
        lie = Fraction(self.lie, 1 << WIDTH)
        return 1 - lie if y == i else lie

    def sampler(self) -> Sampler:
        """The sampler, which is that of binary randomized response."""
        return grr_sampler(2, self.lie)


class NumberSignRandomizer(ProgrammedNumber):
    """Duchi's mechanism: a `Sign` and nothing else."""

    unbounded_noise = False

    _sign: Sign

    def _realize(self) -> None:
        object.__setattr__(self, "_sign", Sign.of(self.epsilon))

    @property
    def steps(self) -> int:
        """The grid has the two ends only."""
        return 1

    @property
    def thresholds(self) -> tuple[int, ...]:
        """Return the threshold: the number of words, of 2^64, that flip the sign."""
        return (self._sign.lie,)

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(y|x)/P(y|x'), which is that of truth to lie."""
        return self._sign.ratio

    @cached_property
    def decoding(self) -> Decoding:
        """The numbers that reports stand for, -B and +B."""
        return self._sign.decoding

    def _mass(self, y: int, i: int) -> Fraction:
        return self._sign.mass(y, i)

    def losses(self) -> tuple[Masses, ...]:
        """The two ends; the sign told right, and told wrong."""
        return (self._sign.masses,)

    def sampler(self) -> Sampler:
        """The sampler, which is that of binary randomized response."""
        return self._sign.sampler()

    def program(self) -> Program:
        """A word for rounding, a word for the sign."""
        return rounded_sign(self.name, self._sign.lie)

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """Return where the spec is instantiated."""
        return (self.worst_ratio,)

    @property
    def _lost(self) -> Fraction:
        return Fraction(0)

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        return (1,)  # a grid of two; the choice between them comes on top


def _lie(epsilon: float) -> int:
    """ceil(2^64/(e^epsilon + 1))."""

    def attempt() -> int | None:
        t = (-balls.ball(epsilon)).exp()
        return balls.ceil_scaled(t / (1 + t), WIDTH)

    return balls.decide(attempt)
