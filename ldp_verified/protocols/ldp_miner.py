"""LDPMiner: the most frequent of many items that users have sets of, in two reports of each user.

Declared in `spec/protocols/ldp_miner.py`. Everybody reports in both rounds, at half of epsilon
each: first on all items, then on the candidates that the first reports gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.protocols.candidates import CandidateCounts
from ldp_verified.protocols.influenced import places_of
from ldp_verified.protocols.mined import counted
from ldp_verified.protocols.padding import MOST_PLACES
from ldp_verified.protocols.set_mining import SetMining
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.protocols.candidates import Itemset
    from ldp_verified.protocols.mined import Mined
    from ldp_verified.protocols.set_mining import Rounds, States
    from ldp_verified.run.aggregate.influence import Influence


@dataclass(frozen=True)
class LDPMiner(SetMining):
    """Two reports at half of epsilon: a bit of a hash on one of all items, then RAPPOR's bits.

    Attributes:
        epsilon: of both reports together, a number > 0.
        k: how many items there are, at least 2.
        length: the number of places that sets are padded or cut to in the first round.
        top: how many items are named.
        places: the same as `length` in the second round; None for as many as there are candidates,
            so that nothing is cut.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int
    top: int = 32
    places: int | None = None

    law_sha256: ClassVar[str] = "63c594c1aef3f7cbfa8359bcd5963761b2a568b52aaffac00b7f077b9803b0ee"
    shares: ClassVar[tuple[int, ...]] = (1, 1)
    everybody: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        self._settle()
        object.__setattr__(self, "length", check_integer("length", self.length, 1, MOST_PLACES))
        places = self.kept if self.places is None else self.places
        object.__setattr__(self, "places", check_integer("places", places, 1, MOST_PLACES))

    def influence(self, items: Iterable[int] | None = None) -> Influence:
        """Return what one user, honest or not, can add to a named item's estimated count: attained.

        It is on the counts, which the second reports alone make, not on which items are named.

        Args:
            items: each once, of those that the second round asks about: of the numbers of users
                with each of them, the sum. None for one item.

        Raises:
            ParameterError: no such items, or more than the second round asks about.
        """
        asked = self._asked(tuple((item,) for item in range(self.kept)))
        if items is None:
            return asked.influence()
        # The bound depends on how many candidates there are, not on which.
        return asked.influence(range(len(places_of(items, self.k, "items"))))

    def _next(self, rounds: Rounds, states: States) -> CandidateCounts:
        """One bit on all items; then unary encoding of the candidates."""
        half = self.report_epsilon
        if not rounds:
            return CandidateCounts(half, self.k, None, self.length, "BLH")
        best = np.argsort(-rounds[0].estimate(states[0]).counts, kind="stable")[: self.kept]
        return self._asked(tuple((int(item),) for item in best))

    def _asked(self, candidates: tuple[Itemset, ...]) -> CandidateCounts:
        """The round that counts candidates."""
        assert self.places is not None
        half = self.report_epsilon
        return CandidateCounts(half, self.k, candidates, self.places, "SUE", group=1)

    def _found(self, rounds: Rounds, states: States) -> Mined:
        """The most frequent items, as the second reports count them."""
        return counted(rounds[1], states[1], states[1].n, 1.0).best(self.top)
