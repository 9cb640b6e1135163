"""One user's device in `ChangeTree`: it is told the bit of every day, once, and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.change_tree import ChangeTree
from ldp_verified.protocols.day_client import DayClient
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.run.realize.values import encode_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Rng


class TreeClient(DayClient[ChangeTree]):
    """The device of one user. Args and Raises: as `DayClient`."""

    _protocol_class: ClassVar[type] = ChangeTree
    _kind: ClassVar[str] = "change tree client"
    _passed: ClassVar[str] = "day"
    _units: ClassVar[str] = "days"
    _after: ClassVar[str] = "device after days"

    def __init__(self, protocol: ChangeTree, *, new_user: bool, rng: Rng = None) -> None:
        super().__init__(protocol, new_user=new_user, rng=rng)
        self._level = uniform_below(protocol.levels, self._source)
        self._rank = uniform_below(protocol.changes, self._source)
        self._day = self._bit = self._seen = self._pending = 0

    @staticmethod
    def _ranges(protocol: ChangeTree) -> Mapping[str, tuple[int, int]]:
        return {
            "level": (0, protocol.levels - 1),
            "rank": (0, protocol.changes - 1),
            "day": (0, protocol.days),
            "bit": (0, 1),
            "seen": (0, protocol.changes),
            "pending": (-1, 1),
        }

    @property
    def level(self) -> int:
        """The user's level, public: signs come after every 2^level days."""
        return self._level

    @property
    def day(self) -> int:
        """The number of days that it was told the bit of."""
        return self._day

    def report(self, bit: int) -> Reports:
        """Take the bit of the next day; returns the messages of that day, perhaps none.

        The first day has a message that the user joined, with the level. How many messages a day
        has does not depend on any bit.

        Args:
            bit: the user's own, 0 or 1.

        Raises:
            DomainError: it is not 0 or 1; the day has not passed then.
            ParameterError: all days have passed.
        """
        made = self.protocol
        value = encode_one(bit, 2, None)
        if self._day == made.days:
            raise ParameterError("report", f"must be called for {made.days} days, no more")
        if value != self._bit:
            if self._seen == self._rank:
                self._pending = 1 - 2 * (self._rank % 2)
            self._seen = min(self._seen + 1, made.changes)
            self._bit = value
        self._day += 1
        sent = [2 * made.firsts[-1] + self._level] if self._day == 1 else []
        if self._day % (1 << self._level) == 0:
            own = np.array([self._pending])
            self._pending = 0
            block = made.firsts[self._level] + (self._day >> self._level) - 1
            sent.append(2 * block + int(made.drawn(own, self._source)[0]))
        return made.reports(np.array(sent, dtype=np.int64), simulated=self._simulated)
