"""Bitstogram and succinct histograms share this: cells, a code of the value's bits, and decoding.

A public function h sends values to T cells, and reports are on the cell with one bit of the value's
codeword. In each cell the likelier bits make a word, which the code mends: so a value is found
though some bits of its cell come out wrong.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.bit_reduction import BitHashing
from ldp_verified.protocols.collisions import bernstein
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.planned import share_of
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.bch import BCH, LONGEST
from ldp_verified.run.kernels.wide import extension_supports
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

MOST_CORRECTED = 18
"""Wrong bits that are corrected, at most: then 128 bits still fit a codeword of 255."""


class CodedHashing(BitHashing):
    """The shared part: groups report on bits of a codeword, one sign each.

    Attributes:
        corrects: wrong bits of a cell's word that are corrected; None for an eighth of the bits of
            a value, or as many more as the same codeword corrects.
    """

    corrects: int | None

    def _settle_code(self) -> None:
        self._check_cells()
        if self.corrects is None:
            least = max(1, self.width // 8)
            parity = BCH(self.width, least).parity_bits
            alike = (t for t in range(MOST_CORRECTED, 0, -1) if self._parity(t) == parity)
            object.__setattr__(self, "corrects", next(alike))
        most = check_integer("corrects", self.corrects, 0, MOST_CORRECTED)
        object.__setattr__(self, "corrects", most)
        if self.code.length > LONGEST:
            rule = f"must leave a codeword of at most {LONGEST} bits"
            raise ParameterError("corrects", rule, most)
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    def _parity(self, corrects: int) -> int:
        return BCH(self.width, corrects).parity_bits

    @cached_property
    def code(self) -> BCH:
        """The code of values."""
        assert self.corrects is not None
        return BCH(self.width, self.corrects)

    @property
    def mended(self) -> int:
        """Places of a cell's word that may be wrong: the code corrects them."""
        assert self.corrects is not None
        return self.corrects

    @property
    def buckets(self) -> int:
        """A report is one sign."""
        return 2

    @property
    def levels(self) -> int:
        """The number of levels: one group for each bit of a codeword."""
        return self.code.length

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        assert self.corrects is not None
        return {"cells": self.cells, "corrects": self.corrects, "seed": self.seed}

    def bits_at(self, encoded: Words, place: int) -> Words:
        """The bit of each value's codeword that a group reports on, uint64 (n,)."""
        return self.code.bits(encoded, place).astype(np.uint64)

    def detectable_share(self, n: int, miss: float = 1e-3) -> float:
        """A share of the users that a value needs to be found; `inf` where none is enough.

        It bounds the chance of a miss for a value that is alone in its cell, whatever values of
        other cells users hold. Bernstein's inequality bounds sizes of groups, and how many in each
        hold the value. Given who is in which group, reports of different bits are independent: so
        by the binomial law at most `corrects` bits come out wrong. Over h, others with a share s of
        the users are in its cell with a chance of 1/(s cells) at most: that is left out.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed, in (0, 1), at a `false_alarm` that
                is no smaller. A half is of the sizes of groups, a quarter of wrong bits.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        m = self.level_users(self.check_plan(n, miss), miss / 2)
        if m == 0:
            return math.inf
        assert self.corrects is not None
        wrong = likeliest_error(self.levels, self.corrects, miss / 4)
        total, spread, most = m * self.levels, 0.25 / self.gain**2, 1 / self.gain
        drawn = bernstein(m, 0.25, 1.0, miss / (8 * self.levels)) / m
        each = bernstein(m, spread, most, wrong / 2) / m
        every = self.false_alarm(total, 1 << self.width, miss)
        every += bernstein(total, spread, most, miss / 8)
        return share_of(drawn + max(2 * each, every / total))


def likeliest_error(bits: int, corrects: int, miss: float) -> float:
    """The largest chance of a wrong bit at which more than `corrects` are wrong with `miss` only.

    Args:
        bits: independent ones. corrects: 0 or more. miss: between 0 and 1.
    """
    low, high = 0.0, 0.5
    for _ in range(60):
        chance = (low + high) / 2
        terms = (
            math.exp(
                math.lgamma(bits + 1)
                - math.lgamma(wrong + 1)
                - math.lgamma(bits - wrong + 1)
                + wrong * math.log(chance)
                + (bits - wrong) * math.log1p(-chance)
            )
            for wrong in range(corrects + 1, bits + 1)
        )
        low, high = (chance, high) if math.fsum(terms) <= miss else (low, chance)
    return low


class CodedState(GroupState):
    """Reports that were seen: 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: CodedHashing, simulated: bool = False) -> None:
        check_kind("protocol", protocol, CodedHashing)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    def heavy_hitters(self, top: int = 16, *, false_alarm: float = 1e-3) -> Estimate:
        """Values that many users hold, most frequent first.

        The word of a cell has the likelier bit at each place. The value whose codeword is near
        enough is published if h sends it to this cell and it is among the first `top`. The support
        of its pairs, over all bits, must exceed `false_alarm` of the protocol for all values of the
        domain. The reports that count values have no say in what is published, so that counts are
        not biased by selection.

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
        supports, m = self.cell_supports()
        words = (supports[:, :, 1] > supports[:, :, 0]).T.astype(np.uint8)
        candidates, good = mine.code.decoded(np.ascontiguousarray(words))
        cells = np.flatnonzero(good & (mine.cells_of(candidates) == np.arange(mine.cells)))
        candidates = candidates[cells]
        codewords = mine.code.codewords(candidates)
        own = np.where(codewords.T == 1, supports[:, cells, 1], supports[:, cells, 0])
        inside = (own.sum(axis=0) - m / 2) / mine.gain
        found = np.flatnonzero(inside > mine.false_alarm(m, 1 << mine.width, false_alarm))
        best = found[np.argsort(-inside[found], kind="stable")][:most]
        return self._chosen(candidates[best])

    def cell_supports(self) -> tuple[NDArray[np.int64], int]:
        """Count the reports of each place of the code that support each cell with each bit.

        Returns:
            int64 (places, cells, 2), and the number of reports.

        Raises:
            ReportError: a group has no report.
        """
        mine = self.protocol
        root = np.zeros((1, 2), dtype=np.uint64)
        found = np.empty((mine.levels, mine.cells, 2), dtype=np.int64)
        m = 0
        for place in range(mine.levels):
            seeds, buckets = self.group(place)
            flat = extension_supports(seeds, buckets, root, 0, mine.cell_bits + 1, 1)
            found[place] = flat.reshape(mine.cells, 2)
            m += len(seeds)
        return found, m
