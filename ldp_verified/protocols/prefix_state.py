"""The server's side of prefix extending: heavy hitters, level by level."""

from __future__ import annotations

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.prefix_extending import KEPT, PrefixExtending
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.wide import extended, extension_supports
from ldp_verified.run.realize.parameters import check_integer


class PrefixState(GroupState):
    """Reports that were seen: hashed reports have no smaller summary. About 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: PrefixExtending, simulated: bool = False) -> None:
        check_kind("protocol", protocol, PrefixExtending)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    def heavy_hitters(
        self, top: int = 16, *, keep: int = KEPT, false_alarm: float | None = 1e-3
    ) -> Estimate:
        """Values that many users hold, most frequent first, with counts of the confirming group.

        At each level the prefixes kept are extended by all strings of `step` bits, and of those the
        `keep` with the largest support among the reports of that level's group are kept. A whole
        value is published if it is among the first `top` of the last level and its support there
        exceeds `PrefixExtending.false_alarm` for all candidates of that level. The confirming group
        has no say in what is published, so that its counts are not biased by selection.

        Args:
            top: values, at most. keep: prefixes that are kept at a level, top or more.
            false_alarm: the chance of publishing a value that nobody holds, at the last level. None
                publishes the first `top` values whatever their estimates are.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        check_integer("keep", keep, most, 1 << 16)
        kept = np.zeros((1, 2), dtype=np.uint64)
        begin = 0
        for level, end in enumerate(mine.lengths[:-1]):
            seeds, buckets = self.group(level)
            m = len(seeds)
            supports = extension_supports(seeds, buckets, kept, begin, end, mine.hash_bits)
            flat = supports.reshape(-1)
            last = end == mine.width
            count = min(most if last else keep, len(flat))
            best = np.argpartition(-flat, count - 1)[:count]
            best = best[np.argsort(-flat[best], kind="stable")]
            places = np.stack(np.unravel_index(best, supports.shape), axis=1).astype(np.int64)
            kept, begin = extended(kept, end, places), end
            if last and false_alarm is not None:
                inside = (flat[best] - m / mine.buckets) / mine.gain
                kept = kept[inside > mine.false_alarm(m, len(flat), false_alarm)]
        return self._chosen(kept)
