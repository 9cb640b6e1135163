"""Exact draws with rational probabilities of any size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.run.kernels.randomness import WordSource


class Draws:
    """Draw an index with given probabilities, exactly, from uniform words.

    Args:
        source: of independent uniform words.
    """

    def __init__(self, source: WordSource) -> None:
        self._source = source

    @property
    def simulated(self) -> bool:
        """True where the words come from a seed."""
        return bool(self._source.simulated)

    def choose(self, chances: Sequence[Fraction]) -> int:
        """An index, i with probability chances[i]; they sum to 1."""
        below = lcm(*(each.denominator for each in chances))
        left = self._integer(below)
        for place, each in enumerate(chances):
            left -= each.numerator * (below // each.denominator)
            if left < 0:
                return place
        raise ArithmeticError("probabilities must sum to 1")

    def accept(self, chance: Fraction) -> bool:
        """True with this probability."""
        return self.choose((chance, 1 - chance)) == 0

    def _integer(self, below: int) -> int:
        """A uniform integer in 0..below-1, by rejection."""
        bits = (below - 1).bit_length()
        while True:
            drawn = int.from_bytes(self._source.words(-(-bits // 64)).tobytes(), "little")
            drawn &= (1 << bits) - 1
            if drawn < below:
                return drawn
