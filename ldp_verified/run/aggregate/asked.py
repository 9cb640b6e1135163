"""Estimates from a random part of the users: those who were asked, each with the same chance.

Who is asked adds what the oracle adds, divided by the chance; who is not adds nothing. The mean is
1 for the value held and 0 for others, so the estimate of the count among all users is unbiased, and
its variance counts the asking too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Counters, Estimator, Floats


@dataclass(frozen=True)
class AskedOracle:
    """The estimator of an oracle, for all users where only some were asked.

    Attributes:
        oracle: of those who were asked. asked: how many they were.
        chance: with which each user was asked, in (0, 1].
    """

    oracle: Estimator
    asked: int
    chance: Fraction

    @property
    def identity(self) -> Identity:
        """Return the identity of the reports that this estimator counts."""
        return self.oracle.identity

    @property
    def k(self) -> int:
        """The number of values."""
        return self.oracle.k

    @property
    def exclusive(self) -> bool:
        """Return whether every user holds exactly one of the values."""
        return bool(getattr(self.oracle, "exclusive", False))

    def estimated(self, n: int, counters: Counters) -> Floats:
        """The estimates among those who were asked, divided by the chance, float64 (k,)."""
        del n
        return np.asarray(self.oracle.estimated(self.asked, counters) / float(self.chance))

    def of_all(self, variance: Floats, square: Floats) -> Floats:
        """The variance per user, over all users, of what has this variance per user asked.

        Args:
            variance: of a number that each user asked adds. square: the mean over the users of the
                squared mean of that number.
        """
        chance = float(self.chance)
        return np.asarray((variance + square) / chance - square)

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The variance at the shares, clipped to [0, 1]."""
        return self.of_all(self.oracle.plug_in(shares, n), np.clip(shares, 0.0, 1.0))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """(a, b): at a share f the variance per user is at most a + b f."""
        absent, slope = self.oracle.variance_line(n)
        zero, one = np.zeros(()), np.ones(())
        return self.of_all(absent, zero), self.of_all(slope, one)

    @property
    def half_step(self) -> Floats:
        """Half of the most that one report in the place of another changes."""
        return np.asarray(self.oracle.half_step / float(self.chance))
