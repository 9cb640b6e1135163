"""The server's side of prefix cohorts: reports are added up by function before any candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.prefix_cohorts import PrefixCohorts
from ldp_verified.protocols.prefix_search import KeptPrefixes, PrefixLevel, largest, pooled_shares
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.transform import walsh_hadamard
from ldp_verified.run.kernels.wide import value_supports
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Words = NDArray[np.uint64]

MOST_KEPT = 1 << 16
"""Prefixes that are kept at a level, at most."""

RANKINGS = ("finding", "all")
"""The reports by which found values are chosen and ordered: of the finding groups, or all."""


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
        keep: int | None = None,
        false_alarm: float | None = 1e-3,
        ranked: str = "finding",
    ) -> Estimate:
        """Values that many users hold, with counts of the confirming group.

        At each level the prefixes kept are extended by all strings of `step` bits, and the `keep`
        with the largest scores are kept. A score is the share estimated from the reports of the
        level, averaged with the score of the prefix that was extended. Both are weighted by numbers
        of reports, as often one value has nearly all holders of a prefix. Where many values share
        it, its score counts for no more than a standard error above the estimate.

        By default the confirming group has no say in what is published or in which order, so its
        counts are not biased by selection. With `ranked="all"` it has. Of the first 2 `top` values
        that the other groups find, at most `top` are published. They are those that are first when
        its reports are pooled in as those of one more level, in this order, if their counts exceed
        a standard error. So counts of what is published are too high. Of s values among c found
        they are so by about sqrt(2 ln(c / s)) standard errors on average at most, and each by
        sqrt(2 ln c), to the normal approximation. A list ranked so names more of the true top.

        Args:
            top: values, at most. keep: prefixes that are kept at a level, top or more; None for
                those of the protocol, or twice `top`.
            false_alarm: only what stands out at the last level is published: values whose support
                exceeds `false_alarm` of the protocol at this chance, for all candidates there, as
                if each report had a function of its own. None publishes the first `top` values
                whatever their estimates are, also such as nobody holds.
            ranked: "finding" or "all".

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        if keep is None:
            keep = min(max(mine.kept, 2 * most), MOST_KEPT)
        check_integer("keep", keep, most, MOST_KEPT)
        if not isinstance(ranked, str) or ranked not in RANKINGS:
            raise ParameterError("ranked", f"must be one of {', '.join(RANKINGS)}", ranked)
        kept, candidates, m = KeptPrefixes.nothing(), 0, 0
        for level in range(mine.levels):
            m, reports = self._level(level)
            candidates = len(kept.prefixes) << (reports.end - reports.begin)
            kept = reports.extended(kept, keep)
        # Where values are strings, most of what noise makes up is no string.
        named = [i for i, value in enumerate(kept.prefixes) if mine.decode(value) is not None]
        chosen = named[: most if ranked == "finding" else 2 * most]
        if false_alarm is not None:
            alarm = mine.false_alarm(m, candidates, false_alarm)
            chosen = [place for place in chosen if m * kept.shares[place] > alarm]
        values, scores = kept.prefixes[chosen], kept.scores[chosen]
        if ranked == "all" and chosen:
            values = values[self._confirmed(values, scores, kept.precision)[:most]]
        return self._chosen(values)

    def _confirmed(self, values: Words, scores: Floats, earlier: float) -> NDArray[np.int64]:
        """Places of the values that the confirming group's reports do not speak against, in order.

        Args:
            values: that were found. scores: of these, of precision `earlier`.
        """
        mine = self.protocol
        seeds, buckets = self.group(mine.levels)
        m = len(seeds)
        support = value_supports(seeds, buckets, values, mine.hash_bits)
        shares = (support / m - 1 / mine.buckets) / mine.gain
        variance = mine.variance_absent / m
        error = variance**0.5
        order = largest(pooled_shares(shares, 1 / variance, scores, earlier, error), len(values))
        return np.asarray(order[shares[order] > error])

    def _level(self, level: int) -> tuple[int, PrefixLevel]:
        """(reports of a level, what they say)."""
        mine = self.protocol
        m, spectra = self._spectra(level)
        begin, end = (0, *mine.lengths)[level], mine.lengths[level]
        slope, offset = 1 / (m * mine.gain), -1 / (mine.buckets * mine.gain)
        variance = mine.variance_absent / m
        return m, PrefixLevel(mine.functions[level], spectra, begin, end, slope, offset, variance)

    def _spectra(self, level: int) -> tuple[int, NDArray[np.int64]]:
        """(reports of a level, of each function of its list the transform of its bucket counts)."""
        mine = self.protocol
        seeds, buckets = self.group(level)
        cells = mine.cohorts_of(level, seeds) * mine.buckets + buckets
        counts = np.bincount(cells, minlength=mine.cohorts * mine.buckets).astype(np.int64)
        return len(seeds), walsh_hadamard(counts.reshape(mine.cohorts, mine.buckets))
