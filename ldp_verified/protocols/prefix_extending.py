"""Prefix extending (PEM): heavy hitters among strings and wide integers.

Declared in `spec/protocols/prefix_extending.py`. A user is in one public group, with one report. It
consists of a random function of the balanced family of `run.kernels.wide` to g = 2^r buckets, and
k-ary randomized response on the bucket of the first bits of their value. That is OLH over prefixes,
with a family for values of 128 bits.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.protocols.grouped_hashing import COINS, LEVEL_COINS, GroupedHashing
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.predicted import (
    EVEN,
    FALSE_ALARM,
    evenly_found,
    level_candidates,
    noise_reaches,
    stage_of,
)
from ldp_verified.run.kernels.wide import MOST_EXTENSION, draw_seeds, in_places, prefixes
from ldp_verified.run.program.hashed_groups import HashedGroups
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.protocols.predicted import Stage
    from ldp_verified.run.kernels.randomness import WordSource

KEPT = 64
"""Prefixes that a plan keeps at a level."""


class PrefixHashing(GroupedHashing):
    """The base of protocols whose groups report on longer and longer prefixes of the value."""

    @property
    def kept(self) -> int:
        """The prefixes that a plan keeps at a level."""
        return KEPT

    @property
    @abstractmethod
    def lengths(self) -> tuple[int, ...]:
        """Bits of the prefixes of each group; the last group confirms."""

    @property
    def levels(self) -> int:
        """The number of groups that find values; the group of this number counts them."""
        return len(self.lengths) - 1

    def inputs(self, encoded: NDArray[np.uint64], group: int) -> NDArray[np.uint64]:
        """The prefixes of a group's length."""
        return prefixes(encoded, self.lengths[group])

    @property
    def _asked(self) -> HashedGroups:
        return HashedGroups(self.levels, (LEVEL_COINS, COINS), lengths=self.lengths)

    def draw_listed(
        self,
        groups: NDArray[np.uint8],
        source: WordSource,
        listed: Callable[[int, int], NDArray[np.uint64]],
    ) -> NDArray[np.uint64]:
        """The seed of each report's function, uint64 (n, 3), where levels have public lists.

        Where the group confirms, it is uniform in the whole family.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
            listed: level, number of users -> as many functions of its list.
        """
        members = [np.flatnonzero(groups == number) for number in range(self.groups)]
        found = [
            listed(number, len(own))
            if number < self.levels
            else draw_seeds(len(own), self.hash_bits, source)
            for number, own in enumerate(members)
        ]
        return in_places(members, found)

    def detectable_share(self, n: int, miss: float = 1e-3, keep: int | None = None) -> float:
        """A share of the users that a value needs to stand out at every level; `inf` if none does.

        Bernstein's inequality bounds the size of each group. Given who is in it, it bounds what its
        reports say of the value and of all candidates: by Hoeffding (1963), a sample without
        replacement is no worse than one with. It holds where each report has a function of its own,
        drawn from the whole family. A value that stands out is left out only where `keep` others at
        a level have larger estimates.

        Args:
            n: number of users.
            miss: chance, at most, that such a value does not stand out, in (0, 1). A half is of the
                sizes of groups.
            keep: prefixes that are kept at a level, for the number of candidates.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        users = self.check_plan(n, miss)
        kept = check_integer("keep", self.kept if keep is None else keep, 1, 1 << 20)
        m = self.level_users(users, miss / 2)
        if m == 0:
            return math.inf
        chance = miss / (4 * self.levels)
        steps = [end - begin for begin, end in pairwise((0, *self.lengths[:-1]))]
        candidates = max([1 << steps[0], *(kept << step for step in steps[1:])])
        alarm = self.false_alarm(m, candidates, chance)
        worst = max(self.variance_absent, self.variance_held) + 0.25
        return share_of((alarm + self._deviation(m, worst, chance)) / m)

    def predicted_share(self, n: int) -> float:
        """A share of the users that is found about every second time: no bound; `inf` if none is.

        At every level but the last it has to exceed what noise reaches among the candidates, and at
        that one `false_alarm` of all of them, by `heavy_hitters` without arguments: see
        `predicted`.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is no positive integer.
        """
        users = self.check_plan(n, EVEN)
        m = self._expected(users)
        *before, last = level_candidates(self.lengths[:-1], self.kept)
        found = [
            self._ranked(stage_of(users, m, self._variances, reach=noise_reaches(self.kept, many)))
            for many in before
        ]
        return evenly_found([*found, self._outstanding(users, m, last, FALSE_ALARM)])

    def _ranked(self, stage: Stage) -> Stage:
        """The stage of a level, by the estimates that rank its prefixes."""
        return stage


@dataclass(frozen=True)
class PrefixExtending(PrefixHashing):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        step: bits by which prefixes are extended at a level, 1..20; the first has as many.
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 16, which the work of
            the server is proportional to.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    step: int = 16
    g: int | None = None

    law_sha256: ClassVar[str] = "57ac2de8b9888e2abf9003ef9e39c6a61d07c76bfab40751e249bc9db63285b5"

    def __post_init__(self) -> None:
        """Check the parameters and settle the number of buckets."""
        self._check_values()
        object.__setattr__(self, "step", check_integer("step", self.step, 1, MOST_EXTENSION))
        self._settle_buckets()

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {"g": self.buckets, "step": self.step}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Bits of the prefixes of each group; the last group confirms."""
        ends = [*range(self.step, self.width, self.step), self.width]
        return (*ends, self.width)
