"""The server's side of `ChangeTree`: how often each message came, and the counts of every day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.protocols.message_counts import MessageCounts
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, HonestyCheck, of_coins
from ldp_verified.run.aggregate.tabulated import Tabulated, normal_columns
from ldp_verified.run.aggregate.timeline import Line, timeline
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ldp_verified.protocols.change_tree import ChangeTree

    Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class TreeEstimate(Tabulated):
    """Estimated numbers of users whose bit is 1, day by day.

    Attributes:
        n: users who joined.
        counts: float64 (days,), unbiased where nobody has more changes than count and nobody
            stops; changes that are cut are missing. May fall below 0 or above n.
        std_error: float64 (days,), exact up to the count that is plugged in. Days are correlated.
        honesty: of the state.
    """

    n: int
    counts: Floats
    std_error: Floats
    honesty: Honesty = UNTESTED

    @property
    def shares(self) -> Floats:
        """`counts / n`: shares of the users, float64 (days,)."""
        return self.counts / self.n

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """(low, high) of each day, in users, by a normal approximation, clipped to 0..n.

        Args:
            level: the coverage asked for, in (0, 1), of one day that was fixed before.

        Raises:
            ParameterError: `level` is not between 0 and 1.
        """
        return self.columns(level)[2:]

    @property
    def names(self) -> range:
        """The labels of the rows, which are the days."""
        return range(len(self.counts))

    @property
    def heading(self) -> str:
        """The number of users."""
        return f"{self.n:,} users{self.honesty.doubt}"

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts, errors and the ends of `interval`, in users. Args and Raises: as `Tabulated`."""
        within = 0.0, float(self.n)
        return normal_columns(self.counts, self.std_error, level, simultaneous, within)

    def plot(self, top: int | None = None, level: float = 0.95) -> Figure:
        """Draw the counts of all days as a line with a band of intervals, one for each day.

        Args:
            top: how many days, from the first on; None for all. level: of the intervals.

        Raises:
            ImportError: matplotlib is not installed. ParameterError: a number out of range.
        """
        last = len(self.names) if top is None else check_integer("top", top, 1, len(self.names))
        values, _, low, high = (column[:last] for column in self.columns(level))
        return timeline([Line("", values, low, high)], self.heading, "users", "day", level)


@dataclass(frozen=True)
class TreeState(MessageCounts):
    """Counts of messages: - and + of every block, level by level, then joining at each level."""

    protocol: ChangeTree

    kind: ClassVar[str] = "change tree"

    @property
    def joined(self) -> tuple[int, ...]:
        """The numbers of users who joined at each level."""
        return self.counts[2 * self.protocol.firsts[-1] :]

    @property
    def n(self) -> int:
        """The number of users who joined."""
        return sum(self.joined)

    def estimate(self, through: int | None = None) -> TreeEstimate:
        """The counts of the days up to one of which all messages are in.

        Args:
            through: the last day, 1..days; None for all of them.

        Raises:
            ParameterError: no such day.
            ReportError: nobody has joined.
        """
        made = self.protocol
        last = check_integer("through", made.days if through is None else through, 1, made.days)
        n = self.n
        if n == 0:
            raise ReportError("state", "must hold messages", 0)
        signs = np.array(self.counts[: 2 * made.firsts[-1]], dtype=np.int64)
        sums = signs[1::2] - signs[0::2]
        counts = np.array([sums[self._blocks(day)].sum() for day in range(1, last + 1)])
        found = counts * made.scale
        clipped = [min(count, n) for count in np.maximum(found, 0).tolist()]
        squares = [made.variance(n, day, count) for day, count in enumerate(clipped, start=1)]
        return TreeEstimate(n, found, np.sqrt(np.maximum(squares, 0)), self.honesty())

    def honesty(self) -> Honesty:
        """Test whether honest users send such signs, one for a block, and join levels alike."""
        made, joined = self.protocol, np.array(self.joined, dtype=np.int64)
        checks = []
        if joined.sum() and len(joined) > 1:
            even = np.array(1 / len(joined))
            checks.append(of_coins("cohort balance", int(joined.sum()), joined, even, even))
        signs = np.array(self.counts[: 2 * made.firsts[-1]], dtype=np.int64).reshape(-1, 2)
        each = signs.sum(axis=1)
        for level, users in enumerate(self.joined):
            most = int(each[made.firsts[level] : made.firsts[level + 1]].max())
            if most > users:
                found = f"{most} for a block of level {level}, which {users} users joined"
                checks.append(HonestyCheck("signs of each user", 0.0, found))
        signs = signs[each > 0]
        if len(signs):
            ends = np.array(float(made.sign.q)), np.array(float(made.sign.p))
            checks.append(of_coins("signs of each block", signs.sum(axis=1), signs[:, 1], *ends))
        return Honesty(tuple(checks))

    def _blocks(self, day: int) -> list[int]:
        """The blocks that the days 1..day consist of: one for each binary digit 1 of `day`."""
        digits = (level for level in range(self.protocol.levels) if day >> level & 1)
        return [self.protocol.firsts[level] + (day >> level) - 1 for level in digits]
