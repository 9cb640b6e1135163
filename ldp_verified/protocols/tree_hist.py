"""TreeHist: heavy hitters down the binary prefix tree, by one bit of each user.

Declared in `spec/protocols/tree_hist.py`. A user of a level reports randomized response on one bit
of a count sketch of their prefix: that of one row and one column of the Hadamard matrix. A user who
confirms reports on one bit of the whole value, a random parity of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.protocols.collisions import row_collisions, wrong_each
from ldp_verified.protocols.grouped_hashing import COINS, LEVEL_COINS
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.prefix_extending import KEPT, PrefixHashing
from ldp_verified.protocols.sign_rows import LARGEST_SEED, SignRows, check_rows, listed_rows
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.kernels.wide import extended
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.predicted import Stage
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.hashed_groups import HashedGroups

    Words = NDArray[np.uint64]


@dataclass(frozen=True)
class TreeHist(PrefixHashing):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128. The tree has so many levels.
        rows, columns: of each level's sketch; columns are a power of 2, and both together at most
            2^20 bits that a user of the level may be asked.
        seed: from which the sketches' functions are made, public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    rows: int = 16
    columns: int = 4096
    seed: int = 0

    law_sha256: ClassVar[str] = "25c8e2ce0b6ab8ed1448fd8e1e536d0185f6fc4ef6aa2d57ce3aee0d5fb8a8e5"

    def __post_init__(self) -> None:
        """Check the parameters."""
        self._check_values()
        rows, columns = check_rows(self.rows, self.columns)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, LARGEST_SEED))
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    @property
    def buckets(self) -> int:
        """A report is one bit."""
        return 2

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {"columns": self.columns, "rows": self.rows, "seed": self.seed}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Bits of the prefixes of each group: one more at each level; the last group confirms."""
        return (*range(1, self.width + 1), self.width)

    def detectable_share(self, n: int, miss: float = 1e-3, keep: int | None = None) -> float:
        """A share at which a value outranks all that nobody holds at every level; `inf` if none.

        It holds whatever users hold. A level's candidates do not depend on its reports and rows.
        In one row, a candidate's share is wrong by collisions (`row_collisions`), by reports
        (Hoeffding 1963), or as fewer of the row's users hold the value. A median is wrong where
        half of the rows are (`wrong_each`). Given who is in which row, collisions and reports are
        independent over rows. Numbers of holders are negatively associated (Joag-Dev, Proschan
        1983, Negative association of random variables). A union is over levels and candidates. It
        is assumed that the public rows are as good as random ones, and chosen without a look at
        the values. A value of that share is left out only where `keep` others that users hold have
        larger medians at a level, or `top` others at the last.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is outranked, in (0, 1), or does not stand out
                at a `false_alarm` that is no smaller. A half is of the sizes of rows.
            keep: prefixes that are kept at a level, for the number of candidates.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        users = self.check_plan(n, miss)
        kept = check_integer("keep", self.kept if keep is None else keep, 1, 1 << 16)
        each = self.levels * self.rows
        m = self.fewest_drawn(users, LEVEL_COINS / (COINS * each), miss / (2 * each))
        if m == 0:
            return math.inf
        chance = miss / (4 * self.levels)
        reached = self.others_reach(m, 2 * kept, chance)
        part = wrong_each(self.rows, chance) / 3
        said = math.sqrt(-math.log(part) / (2 * m))
        return share_of(reached + row_collisions(self.columns, part) + said / self.gain + said)

    def hoped_share(self, n: int, miss: float = 1e-3) -> float:
        """The share if each report had a function of its own, and a level one row: a plan.

        Collisions are left out, and what medians take. It is far below the bound where rows or
        columns are few, and values of that share are found in most populations.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is missed then, in (0, 1).
        """
        return super().detectable_share(n, miss)

    def _ranked(self, stage: Stage) -> Stage:
        """The median of rows has a variance of pi/2 of that of their mean."""
        absent, held, drawn = (math.pi / 2 * part for part in stage[:3])
        return stage._replace(absent=absent, held=held, drawn=drawn)

    def others_reach(self, m: int, candidates: int, chance: float) -> float:
        """A median over rows that no candidate reaches which nobody holds, but for this chance.

        Args:
            m: users of each row, at least. candidates: fixed before these reports and rows.
            chance: in (0, 1).
        """
        part = wrong_each(self.rows, chance / candidates) / 2
        said = math.sqrt(-math.log(part) / (2 * m)) / self.gain
        return row_collisions(self.columns, part) + said

    @cached_property
    def sketches(self) -> tuple[SignRows, ...]:
        """The public rows of each level."""
        return tuple(
            SignRows(self.rows, self.columns, b"tree hist %d %d" % (self.seed, level))
            for level in range(self.levels)
        )

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        """The mask of each report as a function's seed, uint64 (n, 3): drawn without the value.

        Of the rows of the group's level; where the group confirms, any mask of 128 bits.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
        """

        def listed(level: int, count: int) -> Words:
            drawn = uniform_numbers(count, self.rows * self.columns, source)
            return self.sketches[level].seeds(drawn)

        return self.draw_listed(groups, source, listed)

    @property
    def _asked(self) -> HashedGroups:
        return replace(super()._asked, listed=listed_rows(self.sketches, counts=False))

    def drawn_afresh(self, groups: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which reports have functions of the whole family: those of the confirming group.

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
            ReportError: one of a level is none of its public rows.
        """
        super().check_functions(groups, seeds)
        for level in np.unique(groups[groups < self.levels]).tolist():
            self.sketches[level].places_of(seeds[groups == level], f"group {level}")


class TreeHistState(GroupState):
    """Reports that were seen, 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: TreeHist, simulated: bool = False) -> None:
        check_kind("protocol", protocol, TreeHist)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    def heavy_hitters(
        self, top: int = 16, *, keep: int = KEPT, false_alarm: float | None = 1e-3
    ) -> Estimate:
        """Values that many users hold, most frequent first, with counts of the confirming group.

        At each level the prefixes kept are extended by 0 and by 1, and the `keep` whose shares are
        estimated largest are kept. An estimate is the median over the rows of the level's sketch,
        which few rows with unlucky collisions cannot turn. The confirming group has no say in what
        is published, so that its counts are not biased by selection.

        Args:
            top: values, at most. keep: prefixes that are kept at a level, top or more.
            false_alarm: only what stands out at the last level is published: values whose joint
                share (`joint_shares`) exceeds `false_alarm` of the protocol at this chance, for
                all candidates there, as if each report had a function of its own: a rule, for
                collisions with values that are not named remain. So are values whose median exceeds
                `others_reach` of the protocol, which is a bound. None publishes the
                first `top` values whatever their estimates are, also such as nobody holds.

        Raises:
            ParameterError: an argument is out of range.
            ReportError: no report, a group without any, or nothing stands out; the message says how
                many users would do.
        """
        mine = self.protocol
        most = self._check_search(top, false_alarm)
        check_integer("keep", keep, most, 1 << 16)
        kept, medians = np.zeros((1, 2), dtype=np.uint64), np.zeros(1)
        users, candidates = np.zeros(1, dtype=np.int64), 0
        for level, end in enumerate(mine.lengths[:-1]):
            parents = np.arange(len(kept), dtype=np.int64)
            places = np.stack([np.repeat(parents, 2), np.tile([0, 1], len(kept))], axis=1)
            children = extended(kept, end, places)
            users, shares = self._row_shares(level, children)
            medians = np.median(shares, axis=0)
            best = np.argsort(-medians, kind="stable")[:keep]
            medians = medians[best]
            candidates = len(children)
            kept = children[best]
        # Where values are strings, most of what noise makes up is no string.
        named = [place for place, value in enumerate(kept) if mine.decode(value) is not None]
        kept, medians = kept[named[:most]], medians[named[:most]]
        if false_alarm is not None and len(kept):
            shares = self.joint_shares(mine.levels - 1, kept)
            m, fewest = int(users.sum()), int(users.min())
            stands_out = m * shares > mine.false_alarm(m, candidates, false_alarm)
            if fewest:
                stands_out |= medians > mine.others_reach(fewest, candidates, false_alarm)
            kept = kept[stands_out]
        return self._chosen(kept)

    def joint_shares(self, level: int, values: Words) -> NDArray[np.float64]:
        """The shares of some prefixes that fit all rows best together: least squares.

        The rows are public, so a prefix that shares cells with frequent ones of the list is told
        from one that users hold. Collisions with prefixes that are not listed stay.

        Args:
            level: of the tree. values: encoded prefixes, uint64 (m, 2), each once.

        Returns:
            float64 (m,).

        Raises:
            ReportError: the level has no report.
        """
        users, shares = self._row_shares(level, values)
        mixed = self.protocol.sketches[level].collisions(values)[users > 0].astype(np.float64)
        # A row's error falls with the root of its reports.
        weights = np.sqrt(users[users > 0])
        left = (mixed * weights[:, None, None]).reshape(-1, len(values))
        right = (shares * weights[:, None]).reshape(-1)
        return np.asarray(np.linalg.lstsq(left, right, rcond=None)[0])

    def row_shares(self, level: int, values: Words) -> tuple[int, NDArray[np.float64]]:
        """(reports of the level, the share of each prefix by each row with reports).

        Args:
            level: of the tree. values: encoded prefixes, uint64 (m, 2).

        Returns:
            The second is float64 (rows with reports, m), each row unbiased over its functions.

        Raises:
            ReportError: the level has no report.
        """
        users, found = self._row_shares(level, values)
        return int(users.sum()), found

    def _row_shares(
        self, level: int, values: Words
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The reports of each row, and the shares as in `row_shares`."""
        mine = self.protocol
        seeds, buckets = self.group(level)
        sketch = mine.sketches[level]
        places = sketch.places_of(seeds, f"group {level}")
        users = np.bincount(places // mine.columns, minlength=mine.rows)
        found = sketch.supports(sketch.table(places, buckets), values)
        some = users > 0
        return users, found[some] / (2 * mine.gain * users[some, None])
