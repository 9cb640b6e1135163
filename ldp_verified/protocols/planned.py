"""Plans of protocols on values that nobody can list: what is found by how many users."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.distinct import check_held_share
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.search import fewest

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST_N = 1 << 40
"""Users that a plan is made for, at most."""


NAMED_SHARES = (0.1, "a tenth"), (0.5, "half")
"""Shares that messages speak of, in this order."""


def share_of(needed: float) -> float:
    """A share that is needed; `inf` where it is more than all users."""
    return needed if needed <= 1 else math.inf


class Planned(ABC):
    """Protocols that say beforehand which share of the users a value needs."""

    epsilon: float

    searches: ClassVar[bool] = True
    """Whether it finds values by itself; a frequency oracle has to be asked about each."""

    @abstractmethod
    def detectable_share(self, n: int, miss: float = 1e-3) -> float:
        """A share of the users that a value needs to be found; `inf` where none is enough.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed, in (0, 1).
        """

    def predicted_share(self, n: int) -> float | None:
        """A share of the users that is found about every second time: no bound.

        It is found by a search without further arguments, `heavy_hitters()` or `mine`: at most 16
        values, and none that does not stand out. It is by stated variances and the normal law, see
        `predicted`.

        Args:
            n: number of users.

        Returns:
            `inf` where no share is found as often; None where a protocol has no prediction, as one
            has that does not say otherwise.

        Raises:
            ParameterError: n is no positive integer.
        """
        self.check_plan(n, 0.5)
        return None

    def users_needed(self, share: float, miss: float = 1e-3) -> int:
        """The least n at which a value of this share stands out, by `detectable_share`.

        Args:
            share: of the users that the value has, in (0, 1].
            miss: chance, at most, that such a value is missed, in (0, 1).

        Raises:
            ParameterError: share or miss is out of range, or 2^40 users are too few.
        """
        held = check_held_share(share)
        return self._fewest_users(lambda n: self.detectable_share(n, miss), held)

    @staticmethod
    def _fewest_users(needed: Callable[[int], float], share: float) -> int:
        found = fewest(lambda n: needed(n) <= share, LARGEST_N)
        if found is None:
            raise ParameterError("share", "must be found with at most 2^40 users", share)
        return found

    def hoped_share(self, n: int, miss: float = 1e-3) -> float:
        """A share below which there is no use in asking: what `refuse_hopeless` goes by.

        It is `detectable_share` where a protocol does not say otherwise.

        Args:
            n: number of users.
            miss: chance of a miss that is hoped for, in (0, 1).
        """
        return self.detectable_share(n, miss)

    def check_plan(self, n: object, miss: float) -> int:
        """The number of users of a plan.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed, in (0, 1).

        Raises:
            ParameterError: it is no positive integer, or miss is not between 0 and 1.
        """
        users = check_integer("n", n, 1, LARGEST_N)
        check_level(miss, "miss")
        return users

    @staticmethod
    def fewest_drawn(n: int, share: float, chance: float) -> int:
        """A size that a group drawn from n users falls below with at most this chance.

        Each user is drawn independently; by Bernstein's inequality.

        Args:
            n: number of users. share: the chance that a user is drawn, in (0, 1].
            chance: in (0, 1).
        """
        third = -math.log(chance) / 3
        below = third + math.sqrt(third * third + 6 * third * n * share * (1 - share))
        return max(0, math.floor(n * share - below)) if share < 1 else n

    def one_in_ten(self) -> str:
        """Say of how many users a value that a tenth of them hold stands out."""
        if self.detectable_share(LARGEST_N) > 0.1:
            return f"do not surely stand out even of 2^40 at epsilon = {self.epsilon}"
        return f"stands out of {self.users_needed(0.1)}"

    def refuse_hopeless(self, n: int) -> None:
        """Say so before anything is drawn where not even a value that all hold can be found.

        Args:
            n: number of users.

        Raises:
            ParameterError: with the number of users that would do for a share of one in ten, or of
                a half where collisions under few public functions hide smaller ones.
        """
        if n >= 1 and self.hoped_share(n) <= 1:
            return
        surely = self.hoped_share(LARGEST_N)
        named = [(share, who) for share, who in NAMED_SHARES if surely <= share]
        if not named:
            rule = "must be larger: not even a value that half of 2^40 users hold is found for sure"
            raise ParameterError("epsilon", rule, self.epsilon)
        share, who = named[0]
        rule = (
            f"must be users enough for something to be found at epsilon = {self.epsilon}: "
            f"{self._fewest_users(self.hoped_share, share)} for a value that {who} of them hold"
        )
        raise ParameterError("n", rule, n)
