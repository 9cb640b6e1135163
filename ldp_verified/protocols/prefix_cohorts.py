"""Prefix cohorts extend prefixes, and their finding groups share public hash functions.

Declared in `spec/protocols/prefix_cohorts.py`. A user of a finding group draws one function of a
public list, and k-ary randomized response on the bucket of the first bits of their value. A user
who confirms draws a function of the whole balanced family of `run.kernels.wide`. The lists are made
from a public seed. Epsilon does not depend on them: both draws are made without looking at the
value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.protocols.collisions import Chances, others_reach, share_above
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.prefix_extending import PrefixHashing
from ldp_verified.protocols.prefix_search import public_functions
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.kernels.wide import MOST_EXTENSION, MOST_SHARED
from ldp_verified.run.program.hashed_groups import ListedFunctions
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.hashed_groups import HashedGroups

    Words = NDArray[np.uint64]

LARGEST_SEED = (1 << 64) - 1

MOST_COHORTS = 1 << 16
"""Functions of a list, at most."""

MOST_BUCKET_BITS = 6
"""The logarithm of the largest g that is chosen: the server's work is proportional to g."""

LEAST_KEPT, EXTENSIONS = 300, 1 << 22
"""Prefixes of a level that are kept, at least, and extensions of them that are looked at."""


@dataclass(frozen=True)
class PrefixCohorts(PrefixHashing):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        first: bits of the first prefixes, 1..24. step: bits by which they are extended then, 1..20;
            None for 12, and above 64 bits for 16.
        cohorts: functions of each level's list, 1..65536. seed: from which the lists are made,
            public and fixed before anybody reports.
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 64.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    first: int = 24
    step: int | None = None
    cohorts: int = 8192
    seed: int = 0
    g: int | None = None

    law_sha256: ClassVar[str] = "4055d7d32468b517669932dc6ab3c57296144f90cb332d72410ae3fc98ced808"

    def __post_init__(self) -> None:
        """Check the parameters and settle the number of buckets."""
        self._check_values()
        if self.step is None:
            object.__setattr__(self, "step", 12 if self.width <= 64 else 16)
        for name, least, most in (
            ("first", 1, MOST_SHARED),
            ("step", 1, MOST_EXTENSION),
            ("cohorts", 1, MOST_COHORTS),
            ("seed", 0, LARGEST_SEED),
        ):
            object.__setattr__(self, name, check_integer(name, getattr(self, name), least, most))
        self._settle_buckets(MOST_BUCKET_BITS)

    @property
    def extension(self) -> int:
        """The bits by which prefixes are extended."""
        assert self.step is not None
        return int(self.step)

    @property
    def kept(self) -> int:
        """Prefixes that are kept at a level: see `plan_kept`."""
        return plan_kept(self.extension)

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {
            "cohorts": self.cohorts,
            "first": self.first,
            "g": self.buckets,
            "seed": self.seed,
            "step": self.extension,
        }

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Bits of the prefixes of each group; the last group confirms."""
        ends = [*range(self.first, self.width, self.extension), self.width]
        return (*ends, self.width)

    def detectable_share(self, n: int, miss: float = 1e-3, keep: int | None = None) -> float:
        """A share at which a value outranks all that nobody holds at every level; `inf` if none.

        It holds whatever users hold, for the ranking by "finding" reports, see `others_reach` and
        `share_above`; sizes of groups are bounded by Bernstein's inequality. That the public
        functions are as good as random ones and chosen without a look at the values is assumed. A
        value at that share is left out only where `keep` others that users hold have larger scores
        at a level, or `top` others at the last.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is outranked, in (0, 1), or does not stand out
                at a `false_alarm` that is no smaller. A half is of the sizes of groups.
            keep: prefixes that are kept at a level, for the number of candidates.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        m = self.level_users(self.check_plan(n, miss), miss / 2)
        kept = check_integer("keep", self.kept if keep is None else keep, 1, 1 << 20)
        if m == 0:
            return math.inf
        steps = [end - begin for begin, end in pairwise((0, *self.lengths[:-1]))]
        most = max([1 << steps[0], *(kept << step for step in steps[1:])])
        of: Chances = {"gain": self.gain, "even": self.chance, "functions": self.cohorts}
        chance = miss / (2 * self.levels)
        return share_of(share_above(others_reach(m, chance, most, of), m, chance, of))

    @cached_property
    def functions(self) -> tuple[Words, ...]:
        """The public list of each level: seeds of its functions, uint64 (cohorts, 3)."""
        return tuple(
            public_functions("prefix cohorts", self.seed, level, self.cohorts, self.hash_bits)
            for level in range(self.levels)
        )

    @cached_property
    def _sorted(self) -> tuple[tuple[NDArray[np.int64], Words], ...]:
        """The order of each level's list by first words, and the first words in that order."""
        orders = [np.argsort(seeds[:, 0], kind="stable") for seeds in self.functions]
        return tuple((o, s[o, 0]) for o, s in zip(orders, self.functions, strict=True))

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        """The seed of each report's function, uint64 (n, 3), uniform without a look at any value.

        Of the list of the group's level; where the group confirms, of the whole family.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
        """

        def listed(level: int, count: int) -> Words:
            return self.functions[level][uniform_numbers(count, self.cohorts, source)]

        return self.draw_listed(groups, source, listed)

    @property
    def _asked(self) -> HashedGroups:
        words = np.concatenate(self.functions)
        low, high, more = ((*words[:, part].tolist(),) for part in range(3))
        listed = ListedFunctions(False, self.cohorts, 1, (low, high, more))
        return replace(super()._asked, listed=listed)

    def drawn_afresh(self, groups: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which reports have functions of the whole family: those of the confirming group.

        Args:
            groups: the public group of each user, shape (n,).
        """
        return np.asarray(groups == self.levels)

    def cohorts_of(self, level: int, seeds: Words) -> NDArray[np.int64]:
        """The place of each function in a level's list, int64 (n,).

        Raises:
            ReportError: one is not in the list.
        """
        order, words = self._sorted[level]
        places = order[np.minimum(np.searchsorted(words, seeds[:, 0]), self.cohorts - 1)]
        if np.any(self.functions[level][places] != seeds):
            raise ReportError("seeds", f"must be of the public functions of group {level}")
        return places

    def check_functions(self, groups: NDArray[np.uint8], seeds: Words) -> None:
        """Refuse functions that no report of the protocol has: as in `GroupedHashing`.

        Args:
            groups: the public group of each user, shape (n,).
            seeds: of the functions that the reports name, uint64.

        Raises:
            ReportError: one of a finding group is not in the public list of its level.
        """
        super().check_functions(groups, seeds)
        for level in range(self.levels):
            self.cohorts_of(level, seeds[groups == level])


def plan_kept(step: int) -> int:
    """Prefixes that are kept at a level: with 2^22 extensions in all, but at least 300."""
    return max(LEAST_KEPT, EXTENSIONS >> step)
