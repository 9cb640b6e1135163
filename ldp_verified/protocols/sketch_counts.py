"""Counts by a public count sketch of whole values: what Hashtogram and Bitstogram share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols.collisions import sign_collisions
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.hashed_values import SampledOracle, several
from ldp_verified.protocols.sign_rows import SignRows, listed_rows
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import HonestyCheck, of_coins
from ldp_verified.run.kernels.transform import walsh_hadamard
from ldp_verified.run.kernels.wide import draw_seeds, in_places

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.hashed_groups import HashedGroups

    Floats = NDArray[np.float64]
    Words = NDArray[np.uint64]


class Sketched(GroupedHashing):
    """Protocols whose counting group reports entries of a public sketch.

    Attributes:
        rows, columns: of the sketch.
    """

    rows: int
    columns: int

    @property
    @abstractmethod
    def hashtogram(self) -> SignRows:
        """The public rows of those who count."""

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        """The mask of each report as a function's seed, uint64 (n, 3): drawn without the value.

        Any mask in groups that find; one of the public rows in the group that counts.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
        """
        counts = groups == self.levels
        members = np.flatnonzero(~counts), np.flatnonzero(counts)
        finding = draw_seeds(len(members[0]), self.hash_bits, source)
        drawn = uniform_numbers(len(members[1]), self.rows * self.columns, source)
        return in_places(members, (finding, self.hashtogram.seeds(drawn)))

    @property
    def _asked(self) -> HashedGroups:
        return replace(super()._asked, listed=listed_rows([self.hashtogram], counts=True))

    def drawn_afresh(self, groups: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which reports have functions of the whole family: all but the counting group's.

        Args:
            groups: the public group of each user, shape (n,).
        """
        return np.asarray(groups < self.levels)

    def check_functions(self, groups: NDArray[np.uint8], seeds: Words) -> None:
        """Refuse functions that no report of the protocol has: as in `GroupedHashing`.

        Args:
            groups: the public group of each user, shape (n,).
            seeds: of the functions that the reports name, uint64.

        Raises:
            ReportError: one of the group that counts is none of the public rows.
        """
        super().check_functions(groups, seeds)
        counts = groups == self.levels
        if counts.any():
            self.hashtogram.places_of(seeds[counts], f"group {self.levels}")

    def _supported(self, encoded: Words) -> tuple[int, int]:
        """Every public mask is looked at: a transform gives the signs of all of a row."""
        cells, signs = self.hashtogram.cells(encoded)
        sums = np.zeros((self.rows, self.columns), dtype=np.int64)
        np.add.at(sums, (np.arange(self.rows)[:, None], cells), signs)
        # Half of the values and of the sum of their signs, and a report may turn all of them.
        most = int(np.abs(walsh_hadamard(sums)).max())
        return (len(encoded) - most) // 2, (len(encoded) + most) // 2


@dataclass(frozen=True)
class HashtogramCounts(SampledOracle):
    """Means over the rows of Hashtogram: users share functions, so collisions add to the errors.

    Over the functions, two values of one row share a cell with probability 1/columns: that adds at
    most n^2/(rows columns) to the variance of a count, whatever the others hold. Rows are taken to
    have the same numbers of users.
    """

    rows: int = 1
    columns: int = 2

    def absent_coins(self) -> None:
        """Users who share a function collide with a candidate together: there are no coins."""

    @property
    def _least_chance(self) -> float:
        """Functions are public, so that another value of a cell may have the other sign."""
        return 1 - self.protocol.chance_held

    @property
    def _reported(self) -> tuple[float, float]:
        absent, slope = super()._reported
        n, sketched = self.n, self.rows * self.columns
        return absent + n / sketched, slope


class SketchCounts(GroupState):
    """States that count by the sketch."""

    protocol: Sketched

    def _counted(self, encoded: Words, labels: tuple[str | int, ...]) -> Estimate:
        """Counts by Hashtogram, the mean over its rows: unbiased over functions and reports."""
        mine = self.protocol
        shares, m = self._row_shares(encoded)
        support = np.rint((shares.sum(axis=0) + m) / 2).astype(np.int64)
        sizes = self.n, m, len(labels)
        more = (*self.function_checks(), self._balance(m))
        oracle = HashtogramCounts(mine, *sizes, more=more, rows=mine.rows, columns=mine.columns)
        return Estimate(oracle, self.n, support, bool(self.simulated), labels)

    def _none_held(self, m: int, candidates: int, chance: float) -> float:
        """Half of the chance is of collisions, bounded over the public rows, half of reports."""
        mine = self.protocol
        collided = sign_collisions(mine.rows, mine.columns, chance / (2 * candidates), values=1)
        return m * collided + mine.false_alarm(m, candidates, chance / 2)

    def _balance(self, m: int) -> Callable[[], HonestyCheck]:
        """The test whether those who count drew all masks alike, to be made later."""
        mine = self.protocol
        size = mine.rows * mine.columns
        seeds, _ = self.group(mine.levels)
        places = mine.hashtogram.places_of(seeds, f"group {mine.levels}")
        counts, even = np.bincount(places, minlength=size), np.array(1 / size)
        return partial(of_coins, "cohort balance", m, counts, even, even)

    def _row_shares(self, encoded: Words) -> tuple[NDArray[np.int64], int]:
        """(sums of signs of each row for each value, int64 (rows, values); reports that count)."""
        mine = self.protocol
        seeds, buckets = self.group(mine.levels)
        places = mine.hashtogram.places_of(seeds, f"group {mine.levels}")
        table = mine.hashtogram.table(places, buckets)
        return mine.hashtogram.supports(table, encoded), len(seeds)

    def medians(self, values: object) -> Floats:
        """The median over Hashtogram's rows of each value's estimated count, float64 (values,).

        Rows with unlucky collisions do not turn it; it has no stated error, and may be biased.

        Args:
            values: several values of the domain, public ones.

        Raises:
            DomainError: one is none of the domain, or there are none.
            ReportError: no report of those who count has been seen.
        """
        mine = self.protocol
        sums, _ = self._row_shares(mine.encode(several(values)))
        seeds, _ = self.group(mine.levels)
        places = mine.hashtogram.places_of(seeds, f"group {mine.levels}")
        users = np.bincount(places // mine.columns, minlength=mine.rows)
        some = users > 0
        shares = sums[some] / (2 * mine.gain * users[some, None])
        found: Floats = self.n * np.median(shares, axis=0)
        return found
