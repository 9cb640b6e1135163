"""Candidate events, learnt on samples that take no part in testing them.

Two thirds of the learning samples build events, one third ranks them by the bound that they
promise on the test samples: an event that only fits noise does not get far. Nothing here needs to
be right for the bounds to hold; it only decides how large they can get.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldp_verified.check.audit.bounds.bounds import Stake, predicted
from ldp_verified.check.audit.bounds.strata import promised
from ldp_verified.check.audit.events import features, inside, rare
from ldp_verified.check.audit.events.events import Event, PairEvent, PooledEvent
from ldp_verified.check.audit.events.plausible import plausible
from ldp_verified.check.audit.events.readings import OutputReading, learnt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ldp_verified.check.audit.targets.batch import Batch

Counts = NDArray[np.float64]

FEWEST = 8
"""A value of a feature that comes less often than this, in all inputs together, is ignored."""

MOST_VALUES = 4096
MOST_CELLS = 1 << 20
MOST_PAIRS = 60
MOST_SPOKEN = 1 << 14
"""Values times inputs of a reading that is learnt: it is written down in full."""

CAUTION = 0.002
"""The ranking samples alone mislead less often than this about one event."""

COVERED = 0.99
"""Where whole outputs are compared for this share of the samples, none of their parts is missed."""

TESTED = 5
"""Events that share the level of the test."""


@dataclass(frozen=True)
class EventCandidate:
    """An event and what it promises.

    Attributes:
        event: the event.
        promise: the bound that its counts among the ranking samples promise, in eps.
        plus, minus: shares of the samples (all of them) on either side, among those samples.
    """

    event: Event
    promise: float
    plus: float
    minus: float


@dataclass(frozen=True)
class Learned:
    """The events that the learning samples suggest.

    Attributes:
        candidates: the most promising events, best first.
        looked_at: how many events were built.
        covered: share of the samples whose whole output comes often enough to be an event: where
            it is near 1, the likelihood-ratio sets over whole outputs miss nothing.
    """

    candidates: tuple[EventCandidate, ...]
    looked_at: int
    covered: float
    telling: tuple[str, ...] = ()
    cuts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Goal:
    """The sample size, level and delta for which events are ranked.

    Attributes:
        samples: how many there will be in the test.
        level: of one bound.
        delta: of the claim.
        sequential: whether the test may stop at any time.
    """

    samples: int
    level: float
    delta: float
    sequential: bool = False

    def careful(self, ranked: int) -> Goal:
        """The goal at the level at which bounds from the ranking samples promise the test's.

        The test's own bound lies below its estimate, the further the fewer samples show the event.
        Without that, of many outputs that tell equally much those few would win that look best by
        chance.

        Args:
            ranked: how many ranking samples there are.
        """
        from scipy.special import ndtr, ndtri

        own = ndtri(self.level) * math.sqrt(ranked / max(self.samples, 1))
        return replace(self, level=float(ndtr(ndtri(CAUTION) + own)))


def learn(
    batch: Batch,
    inputs: Sequence[Any],
    goal: Goal,
    rng: np.random.Generator,
    readings: Sequence[str] = (),
    left: Callable[[], float] = lambda: math.inf,
) -> Learned:
    """The most promising events; where no seconds are left, of those that were looked at.

    Args:
        batch: the samples.
        inputs: their labels.
        goal: of the test.
        rng: of the split.
        readings: tried beside those that the outputs suggest.
        left: tells the seconds that are left.
    """
    building = rng.random(len(batch)) < 2 / 3
    k, looked, covered = len(inputs), 0, 0.0
    sizes = [np.bincount(batch.inputs[mask], minlength=k) for mask in (building, ~building)]
    found: list[EventCandidate] = []
    for name in _names(batch.take(building), inputs):
        coded = features.values(name, batch)
        kept = _kept(coded.codes, building, len(coded.labels))
        if name == "value":
            covered = float(np.mean(np.isin(coded.codes, kept)))
        if not len(kept):
            continue
        tables = _tables(batch.inputs, coded.codes, building, k, kept, len(coded.labels))
        labels = [coded.labels[i] for i in kept.tolist()]
        best, seen = _of_feature(name, labels, tables, sizes, goal, rng)
        found += best
        looked += seen
        if left() <= 0:
            break
    ranking = batch.take(~building)
    built = batch.take(building)
    tried = list(readings)
    if left() > 0:
        tried += _learnt(found, batch, building, k)
        tried += [*rare.readings(built), *plausible(built, inputs)]
    for reading in dict.fromkeys(tried):
        event = PooledEvent(OutputReading(reading, tuple(inputs)))
        found.append(_pooled(event, ranking, goal, rng))
        looked += 1
        if left() <= 0:
            break
    found.sort(key=lambda candidate: -candidate.promise)
    names = dict.fromkeys(c.event.feature for c in found if isinstance(c.event, PairEvent))
    cuts = {} if covered >= COVERED else inside.cuts(built)
    return Learned(tuple(_varied(found)), looked, covered, tuple(names), cuts)


def _learnt(
    found: list[EventCandidate], batch: Batch, building: NDArray[np.bool_], k: int
) -> list[str]:
    """Readings of the whole output, and of the feature that promises most.

    A value speaks for the inputs under which its share is nearer to its largest one than to its
    smallest. An event of one pair leaves the samples of all other inputs out; this one does not.
    """
    if k < 3:
        return []
    best = max(found, key=lambda candidate: candidate.promise, default=None)
    names = {"value"} | (
        {best.event.feature} if best and isinstance(best.event, PairEvent) else set()
    )
    made = []
    for name in sorted(names):
        held = shares_of(batch.take(building), name, k)
        if held is None or len(held[0]) * k > MOST_SPOKEN:
            continue
        logs = np.log(held[1])
        near = logs > (logs.max(axis=0) + logs.min(axis=0)) / 2
        made.append(
            learnt(name, {v: np.flatnonzero(near[:, i]).tolist() for i, v in enumerate(held[0])})
        )
    return made


def shares_of(batch: Batch, name: str, k: int) -> tuple[tuple[str, ...], Counts] | None:
    """The values of a feature that come often enough, and their shares under each input.

    None where there are none, or too many inputs and values for every pair to be looked at.
    """
    coded = features.values(name, batch)
    everything = np.full(len(batch), True)
    kept = _kept(coded.codes, everything, len(coded.labels))
    if not len(kept) or k * k * len(kept) > MOST_CELLS:
        return None
    counts, _ = _tables(batch.inputs, coded.codes, everything, k, kept, len(coded.labels))
    sizes = np.bincount(batch.inputs, minlength=k)
    return tuple(coded.labels[i] for i in kept.tolist()), (counts + 0.5) / (sizes[:, None] + 1.0)


def _names(batch: Batch, inputs: Sequence[Any]) -> list[str]:
    from ldp_verified.check.audit.events.classifier import candidates

    return [*features.candidates(batch), *candidates(batch, len(inputs))]


def _kept(codes: NDArray[np.int64], building: NDArray[np.bool_], values: int) -> NDArray[np.int64]:
    """The values that come often enough among the building samples, at most `MOST_VALUES`."""
    totals = np.bincount(codes[building], minlength=values)
    kept = np.flatnonzero(totals >= FEWEST)
    return kept if len(kept) <= MOST_VALUES else kept[np.argsort(-totals[kept])[:MOST_VALUES]]


def _tables(
    inputs: NDArray[np.int64],
    codes: NDArray[np.int64],
    building: NDArray[np.bool_],
    k: int,
    kept: NDArray[np.int64],
    values: int,
) -> tuple[Counts, Counts]:
    """Counts by input and kept value, of the building and of the ranking samples."""
    position = np.full(values, -1, dtype=np.int64)
    position[kept] = np.arange(len(kept))
    own = position[codes]

    def table(mask: NDArray[np.bool_]) -> Counts:
        rows = mask & (own >= 0)
        joint = inputs[rows] * len(kept) + own[rows]
        flat = np.bincount(joint, minlength=k * len(kept))
        return flat.reshape(k, len(kept)).astype(np.float64)

    return table(building), table(~building)


def _of_feature(
    name: str,
    labels: list[str],
    tables: tuple[Counts, Counts],
    sizes: list[NDArray[np.int64]],
    goal: Goal,
    rng: np.random.Generator,
) -> tuple[list[EventCandidate], int]:
    """The best few events of one feature, and how many were built."""
    build, rank = tables
    shares = (build + 0.5) / (sizes[0][:, None] + 1.0)
    high, low = shares.argmax(axis=0), shares.argmin(axis=0)
    across = np.arange(len(labels))
    singles = predicted(
        build[high, across], build[low, across], sizes[0].sum(), Stake(), goal.level, goal.delta
    )
    events = [
        PairEvent(name, int(high[v]), int(low[v]), frozenset([labels[v]]))
        for v in np.argsort(-singles)[:6].tolist()
        if high[v] != low[v]
    ]
    looked = len(labels)
    for x, x2 in _pairs(build.shape[0], [(e.x, e.x2) for e in events], rng):
        for yes, no in _sets(shares[x], shares[x2]):
            looked += 1
            if len(yes) or len(no):
                sets = [frozenset(labels[i] for i in side.tolist()) for side in (yes, no)]
                events.append(PairEvent(name, x, x2, *sets))
    index = {label: i for i, label in enumerate(labels)}
    total = int(sizes[1].sum())
    careful = goal.careful(total)
    found = []
    for event in dict.fromkeys(events):
        for_x, for_x2 = ([index[label] for label in side] for side in (event.yes, event.no))
        plus = float(rank[event.x, for_x].sum() + rank[event.x2, for_x2].sum())
        minus = float(rank[event.x2, for_x].sum() + rank[event.x, for_x2].sum())
        own = int(sizes[1][event.x] + sizes[1][event.x2])
        found.append(_candidate(event, plus, minus, own, total, careful))
    found.sort(key=lambda candidate: -candidate.promise)
    return found[:TESTED], looked


def _candidate(
    event: Event, plus: float, minus: float, own: int, total: int, careful: Goal
) -> EventCandidate:
    """Make a candidate that promises the bound of the ranking samples, at the level of `careful`.

    These samples are fewer than those of the test, and many events compete: a bound, not the
    estimate, keeps rare events from winning by luck.
    """
    sides = np.array([plus]), np.array([minus])
    promise = predicted(*sides, own, event.stake, careful.level, careful.delta)
    return EventCandidate(event, float(promise[0]), plus / max(total, 1), minus / max(total, 1))


def _pooled(
    event: PooledEvent, ranking: Batch, goal: Goal, rng: np.random.Generator
) -> EventCandidate:
    """Make a candidate that promises the bound of its strata, if the test will count by strata."""
    if goal.delta or goal.sequential or not event.stratified:
        tally = event.count(ranking, rng)
        return _candidate(event, tally.plus, tally.minus, tally.n, tally.n, goal.careful(tally.n))
    (_, side), found = event.strata(ranking, rng)
    plus, minus = float(np.mean(side > 0)), float(np.mean(side < 0))
    return EventCandidate(event, promised(found, goal.careful(len(side)).level), plus, minus)


def _pairs(
    k: int, known: list[tuple[int, int]], rng: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """Pairs of inputs to learn sets of values for: all where they are few."""
    if k * (k - 1) // 2 <= MOST_PAIRS:
        yield from combinations(range(k), 2)
        return
    chosen = {(min(pair), max(pair)) for pair in known}
    while len(chosen) < MOST_PAIRS // 2:
        x, x2 = sorted(rng.choice(k, size=2, replace=False).tolist())
        chosen.add((x, x2))
    yield from sorted(chosen)


def _sets(
    shares: NDArray[np.float64], others: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Likelihood-ratio sets: where ln(share/other) is above t, below -t, or both."""
    loss = np.log(shares) - np.log(others)
    size = np.unique(np.abs(loss))
    if len(size) > 12:
        size = np.quantile(size, np.linspace(0, 0.98, 12))
    none = np.zeros(0, dtype=np.int64)
    for t in size.tolist():
        yes, no = np.flatnonzero(loss >= max(t, 1e-12)), np.flatnonzero(loss <= min(-t, -1e-12))
        yield yes, no
        if len(yes) and len(no):
            yield yes, none
            yield none, no


def _varied(found: list[EventCandidate]) -> list[EventCandidate]:
    """The best, not two of one feature and pair; one of them about all pairs, where there is one.

    Events of single pairs are many, so that the luckiest of them looks better than it is. And one
    of them is about rare outputs, where there are any: seldom seen, they promise little.
    """
    kept: dict[object, EventCandidate] = {}
    for candidate in found:
        event = candidate.event
        name: object = event
        if isinstance(event, PairEvent):
            name = (event.feature, frozenset((event.x, event.x2)))
        kept.setdefault(name, candidate)
    best = list(kept.values())
    whole = (i for i, c in enumerate(best) if isinstance(c.event, PooledEvent))
    pooled = next((i for i in whole if not _of_rare(best[i].event)), 0)
    if pooled >= TESTED:
        best.insert(TESTED - 1, best.pop(pooled))
    about = [i for i, c in enumerate(best) if _of_rare(c.event)]
    if about and about[0] >= TESTED:
        best.insert(TESTED - 2, best.pop(about[0]))
    return best[:TESTED]


def _of_rare(event: Event) -> bool:
    return isinstance(event, PooledEvent) and event.reading.name.startswith(f"{rare.HEAD}:")
