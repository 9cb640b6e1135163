"""Succinct histogram: every user sends one bit that finds values, and one that counts them.

Declared in `spec/protocols/succinct_histogram.py`. Both are randomized response at half of epsilon:
on a bit of the value's codeword, turned by a public random sign of its channel, and on a random
parity of the whole value. In another channel than its own a report is a fair coin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.protocols.coded_bits import CodedHashing
from ldp_verified.protocols.found_and_counted import FoundAndCounted
from ldp_verified.run.kernels.wide import draw_seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.hashed_groups import HashedGroups

    Words = NDArray[np.uint64]


@dataclass(frozen=True)
class SuccinctHistogram(FoundAndCounted, CodedHashing):
    """The protocol at its parameters. Its state is `CodedState`.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0; each report has half of it.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        cells: the number T of channels, a power of 2 up to 2^19.
        corrects: wrong bits of a channel's word that are corrected, 0..18; None for an eighth of
            the bits of a value, or as many more as the same codeword corrects.
        seed: from which h is made, public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    cells: int = 1 << 12
    corrects: int | None = None
    seed: int = 0

    law_sha256: ClassVar[str] = "8aaff5ecb83571e747c5b244ce0d9c8606ba43cd63f81d3a775e7faaff26f5aa"

    def __post_init__(self) -> None:
        """Check the parameters, and choose the code."""
        self._settle_code()

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        """The mask of each report as a function's seed, uint64 (n, 3): drawn without the value.

        Where it finds, the bit of the codeword is always selected: it turns the channel's sign.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
        """
        found = draw_seeds(len(groups), self.hash_bits, source)
        found[groups < self.levels, 1] |= self._bit_place
        return found

    @property
    def pair_variances(self) -> tuple[float, float]:
        """Two variances of what a report adds to a share, by the two pairs of a cell and a bit.

        A function always looks at the bit, so that it supports one of them and not the other. The
        half of their difference is the share, and both estimates are this half.
        """
        return self._variances

    @property
    def _bit_place(self) -> np.uint64:
        """The codeword's bit in the upper half of what a report that finds is about."""
        return np.uint64(1 << (63 - self.cell_bits))

    @property
    def _asked(self) -> HashedGroups:
        return replace(super()._asked, fixed=int(self._bit_place))

    def drawn_afresh(self, groups: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which reports have functions of the whole family: those of the counting group.

        The functions of the finding groups have a bit that is always 1.

        Args:
            groups: the public group of each user, shape (n,).
        """
        return np.asarray(groups == self.levels)

    def check_functions(self, groups: NDArray[np.uint8], seeds: Words) -> None:
        """Refuse functions that no report of the protocol has: as in `GroupedHashing`.

        Args:
            groups: the public group of each user, shape (n,).
            seeds: of the functions that the reports name, uint64.

        Raises:
            ReportError: one that finds does not look at the bit of the codeword.
        """
        super().check_functions(groups, seeds)
        if np.any(seeds[groups < self.levels, 1] & self._bit_place == 0):
            raise ReportError("seeds", "must select the bit of the codeword in reports that find")
