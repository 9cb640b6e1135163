"""Heavy hitters by the bits of a value: as lecture notes print it, and as one would run it.

Declared in `spec/protocols/bit_reduction.py` and `bit_groups.py`. A public function h sends values
to T cells, and reports are on pairs (h(x), bit l of x), for every l. In each cell the likelier bits
make up one candidate. So a value is found where it outweighs the other values of its cell, bit by
bit; two frequent values in one cell hide each other.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.predicted import EVEN, evenly_found, stage_of
from ldp_verified.run.kernels.wide import MOST_EXTENSION, hashes
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

LARGEST_SEED = (1 << 64) - 1

MOST_BITS_OF_ALL = 16
"""Bits of a value of which every user reports all: each has a sixteenth of epsilon then."""


class BitHashing(GroupedHashing):
    """The base of protocols that hash values to cells and report on pairs of a cell and a bit.

    Attributes:
        cells: the number T of cells, a power of 2 up to 2^19. seed: from which h is drawn, public
            and fixed before anybody reports.
    """

    cells: int
    seed: int

    def _check_cells(self) -> None:
        self._check_values()
        cells = check_integer("cells", self.cells, 2, 1 << (MOST_EXTENSION - 1))
        if cells & (cells - 1):
            raise ParameterError("cells", "must be a power of 2", cells)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, LARGEST_SEED))

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {"cells": self.cells, "g": self.buckets, "seed": self.seed}

    @property
    def levels(self) -> int:
        """The number of levels: one group for each bit."""
        return self.width

    @property
    def cell_bits(self) -> int:
        """The logarithm of T."""
        return self.cells.bit_length() - 1

    @cached_property
    def _function(self) -> Words:
        text = b"ldp_verified bit reduction %d" % self.seed
        return np.frombuffer(hashlib.shake_128(text).digest(24), dtype="<u8").astype(np.uint64)

    def cells_of(self, encoded: Words) -> NDArray[np.int64]:
        """The cell h(x) of each value; two values share one with probability 1/T over h."""
        functions = np.broadcast_to(self._function, (len(encoded), 3))
        return hashes(functions, encoded, self.cell_bits)

    def bits_at(self, encoded: Words, place: int) -> Words:
        """The bit of each value that a group reports on, uint64 (n,)."""
        return encoded[:, place // 64] >> np.uint64(63 - place % 64) & np.uint64(1)

    def inputs(self, encoded: Words, group: int) -> Words:
        """Cell and bit as the first bits of a number; whole values in the group that confirms."""
        if group == self.levels:
            return encoded
        bit = self.bits_at(encoded, group)
        pair = self.cells_of(encoded).astype(np.uint64) << np.uint64(1) | bit
        found = np.zeros_like(encoded)
        found[:, 0] = pair << np.uint64(63 - self.cell_bits)
        return found

    def detectable_share(self, n: int, miss: float = 1e-3) -> float:
        """A share of the users that a value needs to be found; `inf` where none is enough.

        Bernstein's inequality bounds sizes of groups and, given who is in them, what reports say,
        for a value whose cell holds no other value.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed, in (0, 1).

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        m = self.level_users(self.check_plan(n, miss), miss / 2)
        miss /= 2
        if m == 0:
            return math.inf
        worst = max(self.variance_absent, self.variance_held) + 0.25
        each = self._deviation(m, worst, miss / (4 * self.levels)) / m
        every = self.false_alarm(m * self.levels, 1 << self.width, miss)
        every += self._deviation(m * self.levels, worst, miss / 2)
        return share_of(max(2 * each, every / (m * self.levels)))

    def predicted_share(self, n: int) -> float:
        """A share of the users that is found about every second time: no bound; `inf` if none is.

        Two bits are compared at each place, of which `mended` may be wrong, and the sum over all
        places has to stand out as published, see `predicted`.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is no positive integer.
        """
        users = self.check_plan(n, EVEN)
        pair = self.pair_variances
        place = stage_of(users, self._expected(users), pair, reach=0.0, times=self.levels)
        return evenly_found([place, self._all_levels(users)], self.mended)

    @property
    def pair_variances(self) -> tuple[float, float]:
        """Two variances of what a report adds to a share, by the two pairs of a cell and a bit.

        The first is where its user holds neither of them, the second where one of them.
        """
        absent, held = self._variances
        return 2 * absent, held + absent

    @property
    def mended(self) -> int:
        """Places of a cell's word that may be wrong."""
        return 0


@dataclass(frozen=True)
class BitReduction(BitHashing):
    """Every user reports on all bits, and each report has an even part of epsilon.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0: the printed eps times `bits`.
        bits: values are integers below 2^bits, with bits in 2..16.
        cells: the number T of cells, a power of 2 up to 2^19. seed: from which h is drawn, public
            and fixed before anybody reports.
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 16.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int
    cells: int = 1 << 12
    seed: int = 0
    g: int | None = None

    law_sha256: ClassVar[str] = "1f8dfba2f80a3b6dc1473eec29085d5a702a07851388a7e7324c7cc731997138"

    def __post_init__(self) -> None:
        """Check the parameters and settle the number of buckets."""
        check_integer("bits", self.bits, 2, MOST_BITS_OF_ALL)
        self._check_cells()
        self._settle_buckets()

    @property
    def reports_per_user(self) -> int:
        """The number of reports of a user: one for each bit."""
        return self.bits


@dataclass(frozen=True)
class BitGroups(BitHashing):
    """A user reports on one bit, which is drawn in public, or confirms.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        cells: the number T of cells, a power of 2 up to 2^19. seed: from which h is drawn, public
            and fixed before anybody reports.
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 16.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    cells: int = 1 << 12
    seed: int = 0
    g: int | None = None

    law_sha256: ClassVar[str] = "08d81b6bd04d03a7f792277c1e04123ceb90a1a1c2b8b6b314c6303fafb03447"

    def __post_init__(self) -> None:
        """Check the parameters and settle the number of buckets."""
        self._check_cells()
        self._settle_buckets()
