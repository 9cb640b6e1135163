"""All pairs of inputs at once: which of them is told apart best, at one level over all of them.

A pooled event averages over pairs, so that a leak between two of many inputs hardly moves it, and a
learnt event is about one pair. Here every pair has an event of its own, fixed before the test. An
output supports one of the two inputs alone. The reading of a pooled event decides this, or the
values of a feature that were likelier under one of them among the learning samples. Each pair has
an equal part of a level that is set aside for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ldp_verified.check.audit.bounds.bounds import Stake, Tally
from ldp_verified.check.audit.events import features
from ldp_verified.check.audit.events.events import DuelEvent, Event, PairEvent, PooledEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch

    Counts = NDArray[np.int64]
    Bound = Callable[[Tally, Stake, float], float]

MOST_INPUTS = 256
"""Beyond this many inputs pairs are not counted one by one."""


@dataclass(frozen=True)
class Pair:
    """The tally of two inputs' outputs, and the bound on epsilon that it gives.

    Attributes:
        x, x2: indices of the inputs.
        tally: of the pair's event.
        bound: on eps, all pairs together at the level set aside for them.
    """

    x: int
    x2: int
    tally: Tally
    bound: float

    @property
    def point(self) -> float:
        """The event's ln ratio as seen; infinite where nothing speaks against the input."""
        return self.tally.point(Stake())


class InputPairs(Protocol):
    """Counts for every pair of inputs."""

    def see(self, batch: Batch, sides: Sides | None) -> None:
        """Count a batch; `sides` are those of the pooled event, where it was counted."""

    def tallies(self) -> Iterator[tuple[int, int, Tally]]:
        """(x, x', counts) of every pair."""

    def event(self, x: int, x2: int) -> Event:
        """The event of a pair."""


Sides = tuple["NDArray[np.int64]", "NDArray[np.int64]"]


class PooledPairs:
    """Every pair of a pooled event."""

    def __init__(self, event: PooledEvent) -> None:
        self.reading = event.reading
        self.k = len(event.reading.inputs)
        self.plus = np.zeros((self.k, self.k + 1), dtype=np.int64)
        self.minus = np.zeros_like(self.plus)
        self.all = np.zeros_like(self.plus)

    def see(self, batch: Batch, sides: Sides | None) -> None:
        """Count by input and other input; the last column is for no other input."""
        if sides is None:
            return
        other, side = sides
        for counts, rows in (
            (self.plus, side > 0),
            (self.minus, side < 0),
            (self.all, np.full(len(batch), True)),
        ):
            np.add.at(counts, (batch.inputs[rows], other[rows]), 1)

    def tallies(self) -> Iterator[tuple[int, int, Tally]]:
        """Yield (x, x', the tally of both directions of the pair)."""
        single = self.reading.single
        right, total = self.plus[:, -1], self.all.sum(axis=1)
        for x, x2 in combinations(range(self.k), 2):
            minus = int(self.minus[x, x2] + self.minus[x2, x])
            if single:
                plus, n = int(right[x] + right[x2]), int(total[x] + total[x2])
            else:
                plus = int(self.plus[x, x2] + self.plus[x2, x])
                n = int(self.all[x, x2] + self.all[x2, x])
            yield x, x2, Tally(plus, minus, n)

    def event(self, x: int, x2: int) -> Event:
        """The event of the reading for two inputs."""
        return DuelEvent(self.reading, x, x2)


class Featured:
    """Every pair, by a feature whose values' frequencies were learnt."""

    def __init__(
        self, feature: str, labels: tuple[str, ...], shares: NDArray[np.float64], samples: int
    ) -> None:
        """Fix the events.

        Args:
            feature: its name.
            labels: values that come often enough.
            shares: of each value under each input, shape (inputs, values), none of them 0.
            samples: of the test, for one pair.
        """
        self.feature, self.labels = feature, labels
        self.k = len(shares)
        self.index = {label: i for i, label in enumerate(labels)}
        self.counts = np.zeros((self.k, len(labels)), dtype=np.int64)
        self.total = np.zeros(self.k, dtype=np.int64)
        self.sets = {
            pair: _chosen(shares[pair[0]], shares[pair[1]], samples)
            for pair in combinations(range(self.k), 2)
        }

    def see(self, batch: Batch, sides: Sides | None) -> None:
        """Count values by input."""
        del sides
        coded = features.values(self.feature, batch)
        place = np.array([self.index.get(label, -1) for label in coded.labels], dtype=np.int64)
        own = place[coded.codes]
        np.add.at(self.counts, (batch.inputs[own >= 0], own[own >= 0]), 1)
        self.total += np.bincount(batch.inputs, minlength=self.k)

    def tallies(self) -> Iterator[tuple[int, int, Tally]]:
        """Sums over the values that speak for either."""
        for (x, x2), (yes, no) in self.sets.items():
            plus = int(self.counts[x, yes].sum() + self.counts[x2, no].sum())
            minus = int(self.counts[x2, yes].sum() + self.counts[x, no].sum())
            yield x, x2, Tally(plus, minus, int(self.total[x] + self.total[x2]))

    def event(self, x: int, x2: int) -> Event:
        """The values that speak for either."""
        yes, no = (frozenset(self.labels[i] for i in side.tolist()) for side in self.sets[x, x2])
        return PairEvent(self.feature, x, x2, yes, no)


def _chosen(
    first: NDArray[np.float64], second: NDArray[np.float64], samples: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The likelihood-ratio sets of the threshold that promises most, a deviation of 3 off."""
    loss = np.log(first) - np.log(second)
    best, found = -np.inf, (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    for t in np.unique(np.quantile(np.abs(loss), np.linspace(0, 0.98, 12))).tolist():
        yes, no = np.flatnonzero(loss >= max(t, 1e-12)), np.flatnonzero(loss <= min(-t, -1e-12))
        plus = samples / 2 * float(first[yes].sum() + second[no].sum()) + 1
        minus = samples / 2 * float(second[yes].sum() + first[no].sum()) + 1
        promise = float(np.log(plus / minus)) - 3 * (1 / plus + 1 / minus) ** 0.5
        if len(yes) + len(no) and promise > best:
            best, found = promise, (yes, no)
    return found


def all_pairs(pairs: InputPairs, level: float, bound: Bound) -> tuple[Pair, ...]:
    """Every pair with its bound, the largest first; all bounds together hold at `level`."""
    tallies = list(pairs.tallies())
    own = level / max(len(tallies), 1)
    found = [Pair(x, x2, tally, bound(tally, Stake(), own)) for x, x2, tally in tallies]
    return tuple(sorted(found, key=lambda pair: (-pair.bound, -pair.point)))
