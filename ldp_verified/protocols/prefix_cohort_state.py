"""The server's side of prefix cohorts: reports are added up by function before any candidate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.estimate import Estimate
from ldp_verified.errors import check_kind
from ldp_verified.kernels.transform import walsh_hadamard
from ldp_verified.kernels.wide import extended, shared_supports
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.prefix_cohorts import PrefixCohorts
from ldp_verified.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Words = NDArray[np.uint64]

_AT_ONCE = 1 << 20
"""Candidates whose supports are in memory at the same time, if they are extensions of several."""

_LEAST = 16
"""Prefixes that are extended at the same time, at least: one look at a function serves them all."""


class PrefixCohortState(GroupState):
    """Reports that were seen: hashed reports have no smaller summary. About 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: PrefixCohorts, simulated: bool = False) -> None:
        check_kind("protocol", protocol, PrefixCohorts)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    def heavy_hitters(
        self,
        top: int = 16,
        *,
        keep: int = PrefixCohorts.kept,
        false_alarm: float | None = 1e-3,
    ) -> Estimate:
        """Values that many users hold, most frequent first, with counts of the confirming group.

        At each level the prefixes kept are extended by all strings of `step` bits, and the `keep`
        with the largest scores are kept. A score is the share estimated from the reports of the
        level. That of the likeliest extension of each prefix is averaged with the prefix's own
        score, weighted by numbers of reports, as often one value has nearly all holders of a
        prefix. Where many values share it, its score counts for no more than a standard error above
        the estimate. The confirming group has no say in what is published, so that its counts are
        not biased by selection.

        Args:
            top: values, at most. keep: prefixes that are kept at a level, top or more.
            false_alarm: only what stands out at the last level is published: values whose support
                exceeds `false_alarm` of the protocol at this chance, for all candidates there, as
                if each report had a function of its own. None publishes the first `top` values
                whatever their estimates are, also such as nobody holds.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        check_integer("keep", keep, most, 1 << 16)
        kept, scores = np.zeros((1, 2), dtype=np.uint64), np.zeros(1)
        begin = earlier = m = candidates = 0
        for level, end in enumerate(mine.lengths[:-1]):
            candidates = len(kept) << (end - begin)
            m, kept, scores, shares = self._extended(level, kept, scores, begin, earlier, keep)
            begin, earlier = end, earlier + m
        # Where values are strings, most of what noise makes up is no string.
        named = [place for place, value in enumerate(kept) if mine.decode(value) is not None]
        kept, shares = kept[named[:most]], shares[named[:most]]
        if false_alarm is not None:
            kept = kept[m * shares > mine.false_alarm(m, candidates, false_alarm)]
        return self._chosen(kept)

    def _extended(
        self, level: int, kept: Words, scores: Floats, begin: int, earlier: int, count: int
    ) -> tuple[int, Words, Floats, Floats]:
        """(reports of the level, the best extensions, their scores, their shares at this level)."""
        mine, end = self.protocol, self.protocol.lengths[level]
        m, spectra = self._spectra(level)
        error = (mine.variance_absent / m) ** 0.5
        bar, size = -math.inf, 1 << (end - begin)
        found: tuple[Words, Floats, Floats] = (np.zeros((0, 2), np.uint64), *np.zeros((2, 0)))
        several = max(_LEAST, _AT_ONCE // size)
        for at in range(0, len(kept), several):
            part = slice(at, at + several)
            supports = shared_supports(mine.functions[level], spectra, kept[part], begin, end)
            top = np.arange(len(supports)) * size + supports.argmax(axis=1)
            flat = supports.reshape(-1)
            shares = (flat[top] / m - 1 / mine.buckets) / mine.gain
            pooled = shares
            if earlier:
                bound = np.minimum(scores[part], shares + error)
                pooled = (m * shares + earlier * bound) / (m + earlier)
            flat[top] = -1
            # Only what is above the bar can be among the best: most extensions are passed over.
            least = max(-1.0, (bar * mine.gain + 1 / mine.buckets) * m)
            other = np.flatnonzero(flat > least)
            other = other[_largest(flat[other], count)]
            shares = np.append(shares, (flat[other] / m - 1 / mine.buckets) / mine.gain)
            pooled = np.append(pooled, shares[len(top) :])
            rows, more = np.divmod(np.append(top, other), size)
            prefixes = extended(kept[part], end, np.stack([rows, more], axis=1))
            prefixes, pooled, shares = (
                np.concatenate(pair) for pair in zip(found, (prefixes, pooled, shares), strict=True)
            )
            best = _largest(pooled, count)
            found = prefixes[best], pooled[best], shares[best]
            if len(best) == count:
                bar = float(found[1][-1])
        return m, *found

    def _spectra(self, level: int) -> tuple[int, NDArray[np.int64]]:
        """(reports of a level, of each function of its list the transform of its bucket counts)."""
        mine = self.protocol
        seeds, buckets = self.group(level)
        cells = mine.cohorts_of(level, seeds) * mine.buckets + buckets
        counts = np.bincount(cells, minlength=mine.cohorts * mine.buckets).astype(np.int64)
        return len(seeds), walsh_hadamard(counts.reshape(mine.cohorts, mine.buckets))


def _largest(scores: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Places of the largest scores, the largest first."""
    count = min(count, len(scores))
    if not count:
        return np.zeros(0, dtype=np.int64)
    best = np.argpartition(-scores, count - 1)[:count]
    return best[np.argsort(-scores[best], kind="stable")]
