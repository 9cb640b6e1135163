"""Protocols in which each user sends two reports: one that finds values, and one that counts them.

Each has half of epsilon. The first is about some part of the value, which a public group says; the
second is about the whole value, and has no say in which values are published.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.uniform import uniform_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.hashed_groups import HashedGroups


class FoundAndCounted(GroupedHashing):
    """The shared part of such protocols: groups of users, and both reports of each."""

    @property
    def reports_per_user(self) -> int:
        """Two reports of a user: one that finds, one that counts."""
        return 2

    @property
    def in_group(self) -> bool:
        """A user is in one of the groups that find, and counts too."""
        return True

    @property
    def user_groups(self) -> int:
        """The number of groups that users are in, those that find."""
        return self.levels

    def of_reports(self, groups: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The user's group, then the one that counts, for each user in turn."""
        counts = np.full(len(groups), self.levels, dtype=np.uint8)
        return np.stack([groups, counts], axis=1).reshape(-1)

    def draw_groups(self, n: int, source: WordSource) -> NDArray[np.uint8]:
        """The group of each of n users, uint8 (n,), uniform, drawn without looking at any value.

        Args:
            n: number of users. source: of random words.
        """
        return uniform_numbers(n, self.levels, source).astype(np.uint8)

    @property
    def _asked(self) -> HashedGroups:
        return replace(super()._asked, coins=(1, 1))

    def level_users(self, n: int, chance: float) -> int:
        """A number of reports that no group that finds falls below, but for this chance.

        Args:
            n: number of users.
            chance: in (0, 1), of all these groups together.
        """
        return self.fewest_drawn(n, 1 / self.levels, chance / self.levels)
