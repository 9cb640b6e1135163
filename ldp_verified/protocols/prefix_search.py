"""One level of a search for frequent prefixes, where reports of a function are added up first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.kernels.wide import extended, shared_supports

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Words = NDArray[np.uint64]

_AT_ONCE = 1 << 20
"""Candidates whose supports are in memory at the same time, if they are extensions of several."""

_LEAST = 16
"""Prefixes that are extended at the same time, at least: one look at a function serves them all."""


@dataclass(frozen=True)
class KeptPrefixes:
    """Prefixes that were kept, the best first.

    Attributes:
        prefixes: uint64 (k, 2), 0 beyond their bits. scores: shares, pooled over levels.
        shares: estimated from the reports of the last level alone.
        precision: of the scores: one over the variance of that of a prefix that nobody has.
    """

    prefixes: Words
    scores: Floats
    shares: Floats
    precision: float

    @staticmethod
    def nothing() -> KeptPrefixes:
        """The empty prefix, before the first level."""
        return KeptPrefixes(np.zeros((1, 2), dtype=np.uint64), np.zeros(1), np.zeros(1), 0.0)

    def taken(self, places: list[int]) -> KeptPrefixes:
        """The kept prefixes at some places, in this order."""
        at = np.array(places, dtype=np.int64)
        return KeptPrefixes(self.prefixes[at], self.scores[at], self.shares[at], self.precision)


@dataclass(frozen=True)
class PrefixLevel:
    """The result of the reports of one level.

    Attributes:
        functions: of its public list, uint64 (functions, 3).
        spectra: int64 (functions, g), of each the transform of how many reports name each bucket.
        begin, end: bits of the prefixes before and after.
        slope, offset: an estimated share is slope times the support, plus offset.
        variance: of the estimated share of a prefix that nobody has.
    """

    functions: Words
    spectra: NDArray[np.int64]
    begin: int
    end: int
    slope: float
    offset: float
    variance: float

    def extended(self, kept: KeptPrefixes, count: int) -> KeptPrefixes:
        """The best extensions of the prefixes kept, at most `count` of them.

        A score is the share estimated here, averaged with the score of the prefix that was
        extended, each weighted by its precision. That one counts for no more than a standard error
        above the estimate, as other values may have the prefix too.
        """
        size, own = 1 << (self.end - self.begin), 1 / self.variance
        error = self.variance**0.5
        prefixes: Words = np.zeros((0, 2), dtype=np.uint64)
        scores, shares = np.zeros(0), np.zeros(0)
        several = max(_LEAST, _AT_ONCE // size)
        for at in range(0, len(kept.prefixes), several):
            part = slice(at, at + several)
            parents = kept.prefixes[part]
            supports = shared_supports(self.functions, self.spectra, parents, self.begin, self.end)
            # The first level alone may have 2^24 extensions: their numbers stay integers.
            pooled: NDArray[Any] = supports
            if kept.precision:
                found = np.asarray(supports * self.slope + self.offset, dtype=np.float64)
                pooled = pooled_shares(found, own, kept.scores[part, None], kept.precision, error)
            best = largest(pooled.reshape(-1), count)
            levels = supports.reshape(-1)[best] * self.slope + self.offset
            found = np.asarray(levels, dtype=np.float64)
            rows, more = np.divmod(best, size)
            places = np.stack([rows, more], axis=1)
            prefixes = np.concatenate([prefixes, extended(parents, self.end, places)])
            more_scores = pooled.reshape(-1)[best] if kept.precision else found
            scores, shares = np.append(scores, more_scores), np.append(shares, found)
            best = largest(scores, count)
            prefixes, scores, shares = prefixes[best], scores[best], shares[best]
        return KeptPrefixes(prefixes, scores, shares, own + kept.precision)


def pooled_shares(
    shares: Floats, own: float, scores: Floats, earlier: float, error: float
) -> Floats:
    """Averages of shares with scores, weighted by precision.

    Args:
        shares: estimated by one level, of precision `own` and standard error `error`.
        scores: of the levels before, of precision `earlier`; each counts for no more than a
            standard error above the share.
    """
    pooled = np.minimum(scores, shares + error)
    pooled *= earlier
    pooled += own * shares
    pooled /= own + earlier
    return np.asarray(pooled)


def public_functions(name: str, seed: int, level: int, count: int, hash_bits: int) -> Words:
    """A public list of functions to `hash_bits` bits, from SHAKE-128; uint64 (count, 3)."""
    text = b"ldp_verified %s %d %d" % (name.encode(), seed, level)
    drawn = hashlib.shake_128(text).digest(24 * count)
    seeds = np.frombuffer(drawn, dtype="<u8").astype(np.uint64).reshape(-1, 3)
    seeds[:, 2] &= np.uint64((1 << (hash_bits - 1)) - 1)
    seeds.flags.writeable = False
    return seeds


def largest(scores: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Places of the largest scores, the largest first."""
    count = min(count, len(scores))
    if not count:
        return np.zeros(0, dtype=np.int64)
    best = np.argpartition(scores, len(scores) - count)[len(scores) - count :]
    return best[np.argsort(-scores[best], kind="stable")]
