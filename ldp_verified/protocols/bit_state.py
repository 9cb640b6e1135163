"""The server's side of the reduction to bits: one candidate a cell, and its count."""

from __future__ import annotations

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.protocols.bit_reduction import BitHashing
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.wide import extension_supports


class BitState(GroupState):
    """Reports that were seen: hashed reports have no smaller summary. About 26 bytes each.

    Where every user reports on all bits there is no confirming group. A count is then the mean of
    the counts of a value's pairs. Those who hold another value of its cell add to it, as far as
    their bits agree. Values that were found by these reports are counted too high.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: BitHashing, simulated: bool = False) -> None:
        check_kind("protocol", protocol, BitHashing)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    def heavy_hitters(self, top: int = 16, *, false_alarm: float = 1e-3) -> Estimate:
        """Values that many users hold, most frequent first.

        A cell's candidate has the likelier bit at each place. It is published if h sends it to
        its own cell, it is among the first `top`, and the support of its pairs, over all bits,
        exceeds `BitHashing.false_alarm` for all values of the domain. The confirming group of
        `BitGroups` has no say in what is published. `BitReduction` has none: there the reports that
        found a value count it, so that its count is too high.

        Args:
            top: values, at most.
            false_alarm: the chance of publishing a value of whose cell nobody holds anything.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        root = np.zeros((1, 2), dtype=np.uint64)
        candidates = np.zeros((mine.cells, 2), dtype=np.uint64)
        total, m = np.zeros(mine.cells, dtype=np.int64), 0
        for place in range(mine.levels):
            seeds, buckets = self.group(place)
            pairs = extension_supports(
                seeds, buckets, root, 0, mine.cell_bits + 1, mine.hash_bits
            ).reshape(mine.cells, 2)
            likelier = (pairs[:, 1] > pairs[:, 0]).astype(np.uint64)
            candidates[:, place // 64] |= likelier << np.uint64(63 - place % 64)
            total += pairs.max(axis=1)
            m += len(seeds)
        inside = (total - m / mine.buckets) / mine.gain
        at_home = mine.cells_of(candidates) == np.arange(mine.cells)
        alarm = mine.false_alarm(m, 1 << mine.width, false_alarm)
        found = np.flatnonzero(at_home & (inside > alarm))
        best = found[np.argsort(-inside[found], kind="stable")][:most]
        return self._chosen(candidates[best])
