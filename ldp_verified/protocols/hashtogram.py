"""Hashtogram: a frequency oracle of one bit a user, for domains that nobody can list.

Declared in `spec/protocols/hashtogram.py`. A user reports randomized response on one entry of a
public count sketch in Hadamard form, of the row and column that are drawn in public. A candidate
costs the server one look-up in each row, however many users there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.protocols.collisions import sign_collisions
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.sign_rows import LARGEST_SEED, SignRows, check_rows
from ldp_verified.protocols.sketch_counts import SketchCounts, Sketched
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

    Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Hashtogram(Sketched):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's report, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        rows, columns: of the sketch; columns are a power of 2, and both together at most 2^20 bits
            that a user may be asked.
        seed: from which the functions are made, public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    rows: int = 16
    columns: int = 1 << 15
    seed: int = 0

    searches: ClassVar[bool] = False
    law_sha256: ClassVar[str] = "e10803d8c54f14b7ecca6b0a41c839203dcb9f85c51183c91de7d9da66cf3706"

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
        """A report is one sign."""
        return 2

    @property
    def levels(self) -> int:
        """Return 0, as no group finds values: all users count."""
        return 0

    @property
    def counting(self) -> Fraction:
        """The chance that a user's reports count values: that of all users, 1."""
        return Fraction(1)

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {"columns": self.columns, "rows": self.rows, "seed": self.seed}

    @cached_property
    def hashtogram(self) -> SignRows:
        """The public functions and signs of the rows."""
        return SignRows(self.rows, self.columns, b"hashtogram alone %d" % self.seed)

    def inputs(self, encoded: Words, group: int) -> Words:
        """The input of each user's report: the whole value."""
        del group
        return encoded

    def draw_groups(self, n: int, source: WordSource) -> NDArray[np.uint8]:
        """All users are in the one group there is; nothing is drawn.

        Args:
            n: number of users. source: of random words.
        """
        del source
        return np.zeros(n, dtype=np.uint8)

    def draw_functions(self, groups: NDArray[np.uint8], source: WordSource) -> Words:
        """The mask of each report as a function's seed, uint64 (n, 3): one of the public rows'.

        Args:
            groups: the public group of each user, shape (n,). source: of random words.
        """
        drawn = uniform_numbers(len(groups), self.rows * self.columns, source)
        return self.hashtogram.seeds(drawn)

    def drawn_afresh(self, groups: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which reports of these groups have functions of the whole family: none.

        Args:
            groups: the public group of each user, shape (n,).
        """
        return np.zeros(len(groups), dtype=np.bool_)

    def check_functions(self, groups: NDArray[np.uint8], seeds: Words) -> None:
        """Refuse functions that no report of the protocol has: as in `GroupedHashing`.

        Args:
            groups: the public group of each user, shape (n,).
            seeds: of the functions that the reports name, uint64.

        Raises:
            ReportError: one is none of the public rows.
        """
        super().check_functions(groups, seeds)
        self.hashtogram.places_of(seeds, "the sketch")

    def level_users(self, n: int, chance: float) -> int:
        """The number of users whose reports count, all of them.

        Args:
            n: number of users.
            chance: that there are fewer, which there are not.
        """
        del chance
        return n

    def detectable_share(self, n: int, miss: float = 1e-3, candidates: int = 1) -> float:
        """A share at which a value outranks all candidates that nobody holds; `inf` if none does.

        For values that are fixed before the reports are looked at, and whatever users hold. Given
        the public functions, Bernstein's inequality bounds what reports say; collisions are bounded
        over the functions by `sign_collisions`. That these are as good as random ones and chosen
        without a look at the values is assumed.

        Args:
            n: users. miss: the chance that one of these candidates has as large a count.
            candidates: how many values that nobody holds are looked up, at most.

        Raises:
            ParameterError: n or candidates is no positive integer, or miss is not in (0, 1).
        """
        users = self.check_plan(n, miss)
        check_integer("candidates", candidates, 1, 1 << 128)
        # A half is of collisions, a quarter of reports on candidates, a quarter of those on it.
        noise = self.false_alarm(users, candidates, miss / 4) + self.false_alarm(users, 1, miss / 4)
        collided = sign_collisions(self.rows, self.columns, miss / (2 * candidates))
        return share_of(noise / users + collided)


class HashtogramState(SketchCounts):
    """Reports that were seen: 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: Hashtogram, simulated: bool = False) -> None:
        check_kind("protocol", protocol, Hashtogram)
        super().__init__(protocol, simulated)
        self.protocol = protocol
