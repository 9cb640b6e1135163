"""Planted-wrong protocols whose groups report hashes, each of which `conform` must reject.

Where a twin differs from the code is said in its name; all else is the package's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.grouped import grouped_subject
from ldp_verified.check.conformance.rounds import rounds_subject
from ldp_verified.check.conformance.signs import signs_subject
from ldp_verified.protocols import (
    BitReduction,
    BitState,
    Bitstogram,
    BitstogramState,
    PrefixCohorts,
    PrefixCohortState,
    PrefixExtending,
    PrefixRound,
    PrefixRounds,
    PrefixState,
    SignMatrix,
)
from ldp_verified.run.mechanisms import GRR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

    Words = NDArray[np.uint64]


@dataclass(frozen=True)
class GroupOfValue(PrefixExtending):
    """Of the users whose value is not 0 every other one never confirms."""

    def _reports(self, encoded: Words, group: int | None, source: WordSource) -> Any:
        drawn = super()._reports(encoded, group, source)
        moved = (drawn.groups == self.levels) & (encoded[:, 0] > 0)
        moved[::2] = False
        return replace(drawn, groups=np.where(moved, 0, drawn.groups).astype(np.uint8))


@dataclass(frozen=True)
class WholeValues(PrefixExtending):
    """All groups report on the whole value, not on its prefix."""

    def inputs(self, encoded: Words, group: int) -> Words:
        del group
        return encoded


@dataclass(frozen=True)
class EvenFunctions(PrefixExtending):
    """A bit of every function is always 0."""

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        seeds = super().draw_functions(groups, source)
        seeds[:, 0] &= ~np.uint64(2)
        return seeds


@dataclass(frozen=True)
class FirstFunctions(PrefixCohorts):
    """Users of a level have the first functions of its list more often than the last."""

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        seeds = super().draw_functions(groups, source)
        first = (groups == 0) & (seeds[:, 0] == self.functions[0][-1, 0])
        seeds[first] = self.functions[0][0]
        return seeds


@dataclass(frozen=True)
class WholePrice(BitReduction):
    """Each of the reports on the bits spends all of epsilon."""

    @property
    def _randomizer(self) -> GRR:
        return GRR(self.epsilon, self.buckets)


class OfThoseWhoConfirm(PrefixState):
    """Counts are those of the confirming users, not scaled to all."""

    @property
    def n(self) -> int:
        return len(self.group(self.protocol.levels)[0])


@dataclass(frozen=True)
class OtherGain(Bitstogram):
    """The server takes the probability of telling the truth for what a holder adds."""

    @property
    def gain(self) -> float:
        return self.chance_held


@dataclass(frozen=True)
class OneColumn(SignMatrix):
    """Every user reports on the column of user 0."""

    def draw_signs(self, numbers: Words, encoded: Words, source: WordSource) -> Any:
        return super().draw_signs(numbers * np.uint64(0), encoded, source)


@dataclass(frozen=True)
class EvenRounds(PrefixRounds):
    """All rounds ask as many users."""

    def draw_groups(self, n: int, source: WordSource) -> NDArray[np.int64]:
        from ldp_verified.protocols.uniform import uniform_numbers

        return uniform_numbers(n, self.rounds, source)


@dataclass(frozen=True)
class Unlisted(PrefixRound):
    """Users whose prefix was not published answer as if it had been the first."""

    def places(self, encoded: Words) -> NDArray[np.int64]:
        return np.maximum(super().places(encoded), 1)


def unlisted() -> Any:
    """The subject of prefix rounds, of which the second one is asked wrongly."""
    with_twin = rounds_subject(PrefixRounds(2.0, 40, first=8, step=16, cohorts=8), Unlisted)
    return replace(with_twin, scenes=with_twin.scenes[2:3])


GROUPED: dict[str, tuple[Any, str]] = {
    "a group that follows the value": (
        lambda: grouped_subject(GroupOfValue(2.0, 24), PrefixState),
        "groups and buckets, of 11184811",
    ),
    "whole values instead of prefixes": (
        lambda: grouped_subject(WholeValues(2.0, 24), PrefixState),
        "groups and buckets, of 11184811",
    ),
    "functions with a bit that is always 0": (
        lambda: grouped_subject(EvenFunctions(2.0, 24), PrefixState),
        "functions, of 0",
    ),
    "some functions of a list more often": (
        lambda: grouped_subject(FirstFunctions(2.0, 32, first=8, cohorts=4), PrefixCohortState),
        "functions, of 0",
    ),
    "all of epsilon for each bit": (
        lambda: grouped_subject(WholePrice(3.0, 4, 8), BitState),
        "groups and buckets, of 0",
    ),
    "counts of those who confirm for all": (
        lambda: grouped_subject(PrefixExtending(2.0, 24), OfThoseWhoConfirm),
        "estimates",
    ),
    "what a holder adds taken too large": (
        lambda: grouped_subject(OtherGain(1.0, 8, 8, 1, 2, 8), BitstogramState),
        "estimates of 200 users",
    ),
    "one column for all users": (lambda: signs_subject(OneColumn(3.0, 16)), "signs of 65535"),
    "all rounds ask as many users": (
        lambda: rounds_subject(EvenRounds(2.0, 40, first=8, step=16, cohorts=8)),
        "groups that are drawn",
    ),
    "an answer of those whose prefix is not listed": (unlisted, "answers in round 1, without"),
}
"""What is wrong -> how the subject is made, and the start of the name of a look that shows it."""
