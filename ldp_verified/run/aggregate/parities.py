"""The layout of reports on parities: the number of a set of bits and a sign, as one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.aggregate.layouts import Indexed, Unsigned
from ldp_verified.run.aggregate.public_choices import Coins, coins_of, uniform_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import FrequencyOracle

    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ParityLayout(Indexed):
    """A report is 2 j where the parity of set j is even, and 2 j + 1 where it is odd.

    It supports the set, and so the users whose parity there is even, or no set.

    Attributes:
        k: the number of sets.
    """

    k: int

    @property
    def counters(self) -> int:
        """The number of counters: two for each set."""
        return 2 * self.k

    def supports(self, counters: Integers) -> Integers:
        """The number of reports on each set that are even."""
        return np.array(counters[0::2])

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports are even on a set."""
        return np.asarray(data == 2 * value)


@uniform_counts.register(ParityLayout)
def users(layout: ParityLayout, counters: Any) -> Integers:
    """Count the reports of each set, int64 (k,)."""
    del layout
    return np.asarray(counters.reshape(-1, 2).sum(axis=1))


@coins_of.register(ParityLayout)
def _signs(layout: ParityLayout, counters: Any, oracle: FrequencyOracle) -> Coins:
    """Coins of parities: each is even or odd, and is sent as it is with the chance k p*."""
    right = float(layout.k * oracle.p_star)
    n = users(layout, counters)
    return Coins("parities of each set", n, counters[0::2], 1 - right, right)
