"""The server's side of `VotedMean`: it counts votes, asks for the mean, and publishes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.protocols.message_counts import MessageCounts
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, of_coins
from ldp_verified.run.aggregate.tabulated import Tabulated, normal_columns
from ldp_verified.run.aggregate.timeline import Line, timeline
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ldp_verified.protocols.voting import VotedMean

    Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class VotedMeans(Tabulated):
    """The published means, epoch by epoch.

    Attributes:
        means: float64 (epochs,), the mean published last; nan before the first one.
        updated: bool (epochs,), whether it was asked for in this epoch.
        std_error: float64 (epochs,), of the mean when it was asked for. It says nothing of how far
            the users have moved since then.
        honesty: whether answers are such as honest ones.
    """

    means: Floats
    updated: NDArray[np.bool_]
    std_error: Floats
    honesty: Honesty = UNTESTED

    quantity: ClassVar[str] = "average"

    @property
    def names(self) -> range:
        """The epochs."""
        return range(len(self.means))

    @property
    def heading(self) -> str:
        """Over how many epochs."""
        said = f"{len(self.means)} epochs, {int(self.updated.sum())} of them asked for a mean"
        return said + self.honesty.doubt

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Means, errors when asked for, -+ z of these: shares of a user's days; as `Tabulated`."""
        return normal_columns(self.means, self.std_error, level, simultaneous)

    def plot(self, top: int | None = None, level: float = 0.95) -> Figure:
        """Draw the means of all epochs as a line with a band of intervals, one for each epoch.

        Args:
            top: how many epochs, from the first on; None for all. level: of the intervals.

        Raises:
            ImportError: matplotlib is not installed. ParameterError: a number out of range.
        """
        last = len(self.names) if top is None else check_integer("top", top, 1, len(self.names))
        values, _, low, high = (column[:last] for column in self.columns(level))
        return timeline([Line("", values, low, high)], self.heading, "average", "epoch", level)


@dataclass(frozen=True)
class VotingState(MessageCounts):
    """Counts of messages: no and yes of every epoch, then the answers 0 and 1 of every epoch."""

    protocol: VotedMean

    kind: ClassVar[str] = "voting"

    def _pair(self, epoch: int) -> tuple[int, int]:
        zero, one = self.counts[2 * epoch : 2 * epoch + 2]
        return zero, one

    def implausibility(self) -> str:
        """Say that more epochs have answers than users give; empty if that is not so."""
        made = self.protocol
        asked = sum(map(self._asked, range(made.epochs)))
        return f"{asked} epochs have answers" if asked > made.updates else ""

    def wanted(self, epoch: int) -> bool:
        """Return whether the server asks for the mean after the votes of an epoch.

        The share of yes must exceed q by sqrt(ln(epochs/false_alarm)/(2n)). If all users vote no,
        that happens in any epoch with a chance of at most false_alarm (Hoeffding, 1963). The first
        epoch with votes is asked in any case.

        Raises:
            ParameterError: no such epoch.
        """
        made = self.protocol
        check_integer("epoch", epoch, 0, made.epochs - 1)
        no, yes = self._pair(epoch)
        before = sum(self._asked(earlier) for earlier in range(epoch))
        if no + yes == 0 or before >= made.updates:
            return False
        slack = math.sqrt(math.log(made.epochs / made.false_alarm) / (2 * (no + yes)))
        return before == 0 or yes / (no + yes) > float(made.vote.q) + slack

    def _asked(self, epoch: int) -> bool:
        return sum(self._pair(self.protocol.epochs + epoch)) > 0

    def mean(self, epoch: int) -> tuple[float, float]:
        """Return mean and standard error of the users' own means in an asked epoch; else nan.

        Unbiased. A user's answer is a coin with the chance q + m (p - q) at their own mean m. So
        the error is exact (up to the mean that is plugged in) where all users have the same mean,
        and above the true one elsewhere.

        Raises:
            ParameterError: no such epoch.
        """
        made = self.protocol
        check_integer("epoch", epoch, 0, made.epochs - 1)
        zero, one = self._pair(made.epochs + epoch)
        n = zero + one
        if n == 0:
            return math.nan, math.nan
        step = float(made.answer.p - made.answer.q)
        share = one / n
        mean = (share - float(made.answer.q)) / step
        return mean, math.sqrt(share * (1 - share) / n) / step

    def published(self, epoch: int) -> float:
        """The mean that users compare with in an epoch: the last one before it, cut to 0..1."""
        for earlier in reversed(range(epoch)):
            if self._asked(earlier):
                return min(1.0, max(0.0, self.mean(earlier)[0]))
        return math.nan

    def estimate(self) -> VotedMeans:
        """The published means of all epochs."""
        epochs = range(self.protocol.epochs)
        updated = np.array([self._asked(epoch) for epoch in epochs])
        means, errors = np.array([self.mean(epoch) for epoch in epochs]).T
        last = np.maximum.accumulate(np.where(updated, np.arange(len(updated)), -1))
        known = last >= 0
        shown = (np.where(known, each[last], np.nan) for each in (means, errors))
        return VotedMeans(next(shown), updated, next(shown), self.honesty())

    def honesty(self) -> Honesty:
        """Test whether honest answers and votes are so often 1, whatever users hold."""
        pairs = np.array(self.counts, dtype=np.int64).reshape(2, -1, 2)
        made = (("votes", self.protocol.vote), ("answers", self.protocol.answer))
        checks = []
        for counts, (name, coin) in zip(pairs, made, strict=True):
            some = counts[counts.sum(axis=1) > 0]
            if len(some):
                ends = np.array(float(coin.q)), np.array(float(coin.p))
                checks.append(of_coins(name, some.sum(axis=1), some[:, 1], *ends))
        return Honesty(tuple(checks))
