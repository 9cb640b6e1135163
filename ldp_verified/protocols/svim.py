"""SVIM and SVSM: the most frequent items, and sets of items, within the sets that users have.

Declared in `spec/protocols/svim.py` and `svsm.py`. Users are split over public groups, each of
which sends one report; every group but the first is asked about candidates that were found before.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.protocols.candidates import CandidateCounts, CandidateRound, CandidateSizes
from ldp_verified.protocols.mined import Mined, counted
from ldp_verified.protocols.set_mining import SetMining
from ldp_verified.run.aggregate.consistent import norm_sub
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from ldp_verified.protocols.candidates import Itemset
    from ldp_verified.protocols.set_mining import Rounds, States
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.aggregate.tabulated import Floats

PERCENTILE = 0.9
"""The share of the sets that are not empty which no cutting touches."""

USUAL_TOP = 32
"""How many are named where nobody says how many."""

DAMPING = 0.9
"""The guessed share of the most frequent item."""


def percentile(sizes: Floats) -> int:
    """The smallest length that so many of the sets that are not empty are not longer than.

    Args:
        sizes: float64, how many sets have 0, 1, ... items; none below 0.
    """
    total = np.cumsum(sizes[1:])
    if total[-1] <= 0:
        return 1
    return 1 + int(np.argmax(total >= PERCENTILE * total[-1]))


def cut_factor(sizes: Floats, length: int) -> float:
    """All items of all sets over those that are left when they are cut: at least 1."""
    number = np.arange(len(sizes))
    left = float((np.minimum(number, length) * sizes).sum())
    return float((number * sizes).sum()) / left if left > 0 else 1.0


def guessed(found: Mined, top: int) -> tuple[Itemset, ...]:
    """The sets of two or more of these items with the largest products of shares.

    An item's share is its count over the largest one, times 0.9: so larger sets are guessed to be
    less frequent than the sets within them.

    Args:
        found: single items. top: how many sets, at most.
    """
    order = np.argsort(-found.counts, kind="stable")
    order = order[found.counts[order] > 0]
    if len(order) < 2:
        return ()
    share = (DAMPING * found.counts[order] / found.counts[order[0]]).tolist()
    heap: list[tuple[float, tuple[int, ...]]] = [(-share[0], (0,))]
    sets: list[Itemset] = []
    # Sets in falling order of their products: the last place moves on, or a next one is added.
    while heap and len(sets) < top:
        product, places = heapq.heappop(heap)
        if len(places) > 1:
            sets.append(tuple(sorted(found.sets[order[place]][0] for place in places)))
        following = places[-1] + 1
        if following < len(share):
            heapq.heappush(heap, (product * share[following], (*places, following)))
            moved = product / share[places[-1]] * share[following]
            heapq.heappush(heap, (moved, (*places[:-1], following)))
    return tuple(sets)


class SetValueMining(SetMining):
    """The three rounds that both protocols begin with."""

    def _next(self, rounds: Rounds, states: States) -> CandidateRound:
        """The round after `rounds`, given their states."""
        if not rounds:
            return CandidateCounts(self.epsilon, self.k)
        if len(rounds) == 1:
            names = rounds[0].estimate(states[0]).counts
            best = np.argsort(-names, kind="stable")[: self.kept]
            return CandidateSizes(self.epsilon, self.k, tuple((int(item),) for item in best))
        return self._counts_of(rounds[1], states[1])

    def _counts_of(self, sizes: CandidateRound, state: State) -> CandidateRound:
        """The round that counts the candidates whose sizes were asked for."""
        length = percentile(_sizes(sizes, state))
        group = sizes.group + 1
        return CandidateCounts(self.epsilon, self.k, sizes.candidates, length, group=group)

    def _counted(self, rounds: Rounds, states: States, sizes: int, n: int) -> Mined:
        """The counts of candidates, scaled to n users.

        Args:
            rounds, states: of all. sizes: the number of the round of sizes; counts come next.
        """
        asked = rounds[sizes + 1]
        factor = cut_factor(_sizes(rounds[sizes], states[sizes]), asked.length)
        return counted(asked, states[sizes + 1], n, factor)


@dataclass(frozen=True)
class SVIM(SetValueMining):
    """Set-value item mining: the most frequent of many items that users have sets of.

    Attributes:
        epsilon: of one user's whole transcript, which is one report; a number > 0.
        k: how many items there are, at least 2.
        top: how many are named, at most k; left out or None for 32, or all k if these are fewer.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    top: int | None = None

    law_sha256: ClassVar[str] = "83b045b3351eb679d72033630f13ca68afe20d6a6c30439b6695926d518627e5"
    shares: ClassVar[tuple[int, ...]] = (4, 1, 5)

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.top is None and is_integer(self.k):
            object.__setattr__(self, "top", min(USUAL_TOP, self.k))
        self._settle()
        check_integer("top", self.top, 1, self.k)

    def _found(self, rounds: Rounds, states: States) -> Mined:
        """The most frequent items."""
        n = sum(state.n for state in states)
        return self._counted(rounds, states, 1, n).best(self._top)


@dataclass(frozen=True)
class SVSM(SetValueMining):
    """Set-value itemset mining: the most frequent sets of items that lie within users' sets.

    Attributes:
        epsilon: of one user's whole transcript, which is one report; a number > 0.
        k: how many items there are, at least 2.
        top: how many sets are named, single items among them; and how many sets of two or more
            items are counted.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    top: int = USUAL_TOP

    law_sha256: ClassVar[str] = "9aaa8b627ded4f5ddc652158e0408bb7302b83e99937923d9d14784d29f14402"
    shares: ClassVar[tuple[int, ...]] = (4, 1, 5, 3, 12)

    def __post_init__(self) -> None:
        """Check the parameters."""
        self._settle()

    def _next(self, rounds: Rounds, states: States) -> CandidateRound:
        """The rounds of SVIM; the size of what users hold of the guessed sets; their counts."""
        if len(rounds) < 3:
            return super()._next(rounds, states)
        if len(rounds) == 4:
            return self._counts_of(rounds[3], states[3])
        n = max(1, sum(state.n for state in states))
        candidates = guessed(self._counted(rounds, states, 1, n).best(self.top), self.top)
        singles = rounds[2].candidates
        assert singles is not None
        if len(candidates) < 2:  # too little was found to be made into sets: any item will do
            candidates = (*candidates, *singles[: 2 - len(candidates)])
        return CandidateSizes(self.epsilon, self.k, candidates, group=3)

    def _found(self, rounds: Rounds, states: States) -> Mined:
        """The most frequent sets, single items among them."""
        n = sum(state.n for state in states)
        several = self._counted(rounds, states, 3, n)
        single = self._counted(rounds, states, 1, n).best(self.top)
        known = np.flatnonzero([len(each) > 1 for each in several.sets])
        return single.beside(several.taken(known)).best(self.top)


def _sizes(asked: CandidateRound, state: State) -> Floats:
    """Estimated numbers of users who hold 0, 1, ... candidates: none below 0, as many as reported.

    The nearest such numbers: setting negative ones to 0 alone would leave the noise of large sizes,
    and with it a length and a factor that are too large.
    """
    counts = asked.estimate(state).counts
    return norm_sub(counts, float(state.n), np.zeros_like(counts))
