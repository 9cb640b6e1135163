"""Intervals of differences that are too short: what a check of their coverage must reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.difference import Difference

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.tabulated import Floats


class OfOneGroup(Difference):
    """The earlier shares are taken to be known."""

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """The later interval, less the earlier estimate."""
        _, _, low, high = self.after.columns(level, simultaneous)
        n, earlier = self.after.n, self.before.shares
        return self.values, self.std_error, low / n - earlier, high / n - earlier


class OfTheseUsers(Difference):
    """The draw of the users is left out, though populations are meant."""

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """The intervals among these very users."""
        return Difference(self.before, self.after, population=False).columns(level, simultaneous)


class OfErrorsThatAdd(Difference):
    """The standard errors of both groups are added up, not their squares."""

    @property
    def std_error(self) -> Floats:
        """The sum of both."""
        return np.asarray(
            np.sqrt(self._variance(self.after)) + np.sqrt(self._variance(self.before))
        )
