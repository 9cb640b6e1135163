"""Heavy hitters by prefixes, simulated by the law of their supports instead of report by report.

Supports of prefixes are sums over many reports: here they are the numbers of users in the level's
group, drawn exactly, plus normal noise of the variance that the protocol states. Of the prefixes
that nobody has only those above a threshold are drawn, as many as there are by binomial law. So a
run takes a tenth of a second, and hundreds can be compared. What is left out: that users share
functions, and that strings made up by noise could be strings. `benchmarks.heavy_hitters` runs the
protocols themselves beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from ldp_verified.protocols import PrefixCohorts, PrefixExtending, PrefixRound, PrefixRounds
from ldp_verified.protocols.prefix_search import largest, pooled_shares
from ldp_verified.run.kernels.wide import prefixes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

NOBODY = -1
"""The place of a prefix that no user has."""

DRAWN = 60
"""Prefixes that nobody has are drawn until so many times as many as are kept are expected."""


@dataclass(frozen=True)
class Holders:
    """A population by prefixes.

    Attributes:
        encoded: distinct values, uint64 (k, 2), most frequent first. counts: int64 (k,).
    """

    encoded: NDArray[np.uint64]
    counts: Places
    _known: dict[int, Places] = field(default_factory=dict, compare=False)

    def of(self, length: int) -> Places:
        """The number of each value's prefix of so many bits, int64 (k,)."""
        if length not in self._known:
            cut = np.ascontiguousarray(prefixes(self.encoded, length)).view("V16").reshape(-1)
            self._known[length] = np.unique(cut, return_inverse=True)[1].astype(np.int64)
        return self._known[length]


@dataclass(frozen=True)
class Scheme:
    """A protocol as far as its supports go.

    Attributes:
        lengths: bits of the prefixes of each level. shares: of the users, of each level, then of
            those who confirm. keep: prefixes that are kept at a level. listed: values that are
            confirmed. top: values that are named.
        pooled: whether the levels before count in a score. all_rank: whether the confirming users
            rank too, and drop what does not exceed a standard error.
        rounds: of a protocol in rounds, whose variance depends on how many users hold what was
            published; else `flat` is the variance of every report.
    """

    lengths: tuple[int, ...]
    shares: tuple[float, ...]
    keep: int
    listed: int
    top: int
    pooled: bool
    all_rank: bool
    rounds: tuple[PrefixRound, ...] = ()
    flat: float = 0.0

    def variance(self, level: int, inside: float) -> float:
        """Variance of what a report adds to the count of a prefix that its user does not have."""
        return self.rounds[level].spread(inside) if self.rounds else self.flat

    @staticmethod
    def extending(protocol: PrefixExtending, top: int, keep: int) -> Scheme:
        """`PrefixExtending` with lists of `top`, whatever the estimates are."""
        shares = _even(protocol.levels)
        lengths, flat = protocol.lengths[:-1], protocol.variance_absent
        return Scheme(lengths, shares, keep, top, top, pooled=False, all_rank=False, flat=flat)

    @staticmethod
    def cohorts(protocol: PrefixCohorts, top: int) -> Scheme:
        """`PrefixCohorts` with `false_alarm=None` and `ranked="all"`."""
        shares, flat = _even(protocol.levels), protocol.variance_absent
        keep, lengths = max(protocol.kept, 2 * top), protocol.lengths[:-1]
        return Scheme(lengths, shares, keep, 2 * top, top, pooled=True, all_rank=True, flat=flat)

    @staticmethod
    def in_rounds(protocol: PrefixRounds) -> Scheme:
        """`PrefixRounds.found`."""
        return Scheme(
            protocol.lengths,
            tuple(protocol.share(number) for number in range(protocol.rounds)),
            protocol.kept,
            protocol.listed,
            protocol.top,
            pooled=True,
            all_rank=True,
            rounds=tuple(map(protocol.largest, range(protocol.rounds))),
        )

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """Bits by which prefixes are extended at each level."""
        return tuple(b - a for a, b in zip((0, *self.lengths), self.lengths, strict=False))

    def named(
        self, holders: Holders, text: bool, rng: np.random.Generator
    ) -> list[tuple[int, float]]:
        """(place of a value among the population's, or `NOBODY`, its estimated count) of a run.

        Args:
            holders: the population. text: whether values are strings: then what noise makes up is
                taken to be none. rng: of the run.
        """
        groups = _split(holders.counts, self.shares, rng)
        n = int(holders.counts.sum())
        owners, scores, precision = np.zeros(1, dtype=np.int64), np.zeros(1), 0.0
        parent_of = np.zeros(len(holders.counts), dtype=np.int64)
        for level, length in enumerate(self.lengths):
            group, of = groups[level], holders.of(length)
            m = int(group.sum())
            inside = np.isin(parent_of, owners)
            variance = self.variance(level, float(group[inside].sum()) / m) / m
            true, first = np.unique(of[inside], return_index=True)
            parents = parent_of[inside][first]
            held = np.bincount(of[inside], weights=group[inside], minlength=int(of.max()) + 1)[true]
            rows = _rows(owners, parents)
            made = _noise(len(owners), self.steps[level], self.keep, rng)
            own = np.concatenate([held / m + rng.normal(0, variance**0.5, len(true)), made[1]])
            own[len(true) :] *= variance**0.5
            rows = np.concatenate([rows, made[0]])
            whose = np.concatenate([true, np.full(len(made[0]), NOBODY)])
            total = own
            if self.pooled and precision:
                error = variance**0.5
                total = pooled_shares(own, 1 / variance, scores[rows], precision, error)
            best = largest(total, self.keep)
            owners, scores, precision = whose[best], total[best], precision + 1 / variance
            parent_of = of
        place = {int(each): rank for rank, each in reversed(list(enumerate(parent_of)))}
        ranks = np.array([place.get(int(each), NOBODY) for each in owners])
        if text:
            ranks, scores = ranks[ranks != NOBODY], scores[ranks != NOBODY]
        return self._confirmed(ranks[: self.listed], scores, precision, groups[-1], n, rng)

    def _confirmed(
        self,
        ranks: Places,
        scores: Floats,
        precision: float,
        group: Places,
        n: int,
        rng: np.random.Generator,
    ) -> list[tuple[int, float]]:
        m = int(group.sum())
        variance = self.variance(len(self.lengths), 1.0) / m
        error = variance**0.5
        held = np.where(ranks == NOBODY, 0, group[ranks]) / m
        shares = held + rng.normal(0, error, len(ranks))
        order = np.arange(len(ranks))[: self.top]
        if self.all_rank:
            pooled = pooled_shares(shares, 1 / variance, scores[: len(ranks)], precision, error)
            order = largest(pooled, len(ranks))
            order = order[shares[order] > error][: self.top]
        return [(int(ranks[each]), float(n * shares[each])) for each in order]


def _even(levels: int) -> tuple[float, ...]:
    return (*[0.85 / levels] * levels, 0.15)


def _split(counts: Places, shares: Sequence[float], rng: np.random.Generator) -> list[Places]:
    """The holders of each value in each group."""
    left, whole, found = counts.copy(), 1.0, []
    for share in shares[:-1]:
        found.append(rng.binomial(left, min(1.0, share / whole)))
        left, whole = left - found[-1], whole - share
    return [*found, left]


def _rows(owners: Places, parents: Places) -> Places:
    """Where each parent stands among the prefixes kept."""
    order = np.argsort(owners, kind="stable")
    return np.asarray(order[np.searchsorted(owners[order], parents)])


def _noise(parents: int, step: int, keep: int, rng: np.random.Generator) -> tuple[Places, Floats]:
    """(row of the parent, deviation in standard deviations) of prefixes that nobody has."""
    tail = min(0.5, DRAWN * keep / (parents << step))
    number = rng.binomial(parents << step, tail)
    # Chances are multiples of 2^-53 of the tail, so the largest deviation is never infinite.
    chances = (1 - rng.random(number)) * tail
    return rng.integers(0, parents, number), np.asarray(-ndtri(chances))
